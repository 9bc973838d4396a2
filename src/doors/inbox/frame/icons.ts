/** The drawings on buttons. A page that uses them holds each once, at its end. */
import { html, type Html } from '../../../html.ts'

export type Icon = 'call' | 'text' | 'mail' | 'map'

export function icon(name: Icon): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="#${name}"/></svg>`
}

const drawings: Record<Icon, Html> = {
  call: html`<path d="M6.6 3h3l1.5 4.6-2.3 1.7a13 13 0 0 0 5.9 5.9l1.7-2.3L21 14.4v3A3.3 3.3 0 0 1 17.7 21 14.7 14.7 0 0 1 3 6.3 3.3 3.3 0 0 1 6.6 3z"/>`,
  text: html`<path d="M4 4h16a1.5 1.5 0 0 1 1.5 1.5v10A1.5 1.5 0 0 1 20 17h-9l-5 4v-4H4a1.5 1.5 0 0 1-1.5-1.5v-10A1.5 1.5 0 0 1 4 4zM7 9h10M7 12.5h6"/>`,
  mail: html`<path d="M4 5h16a1.5 1.5 0 0 1 1.5 1.5v11A1.5 1.5 0 0 1 20 19H4a1.5 1.5 0 0 1-1.5-1.5v-11A1.5 1.5 0 0 1 4 5zM3 7l9 6.5L21 7"/>`,
  map: html`<path d="M12 21.5C8 17 5 13.5 5 9.8a7 7 0 0 1 14 0c0 3.7-3 7.2-7 11.7zM12 7.3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z"/>`,
}

export function iconSheet(...names: Icon[]): Html {
  const symbols = names.map(
    (name) => html`<symbol id="${name}" viewBox="0 0 24 24">${drawings[name]}</symbol>`,
  )
  return html`<svg hidden>${symbols}</svg>
`
}
