/** What a stranger typed, on a page: inert, and its direction stays inside. */
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'

export function said(text: string): Html {
  return html`<bdi>${inert(text)}</bdi>`
}

/** Characters that turn other text around, and control characters, become visible. */
export function inert(text: string): string {
  return text.replaceAll(turning, '\uFFFD')
}

const turning = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g
