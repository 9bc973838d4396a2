/** What a stranger typed, on a page: inert, and its direction stays inside. */
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'

export function said(text: string): Html {
  return html`<bdi>${text}</bdi>`
}
