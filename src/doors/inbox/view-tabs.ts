/** The tabs above the list, with how many leads each has. */
import { toCountText, viewNames, views } from '../../desk/views.ts'
import type { ViewName } from '../../desk/views.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { listPath } from './paths.ts'

/** `here`: `undefined` where no tab is open, as among the results of a search. */
export function viewTabs(counts: Record<ViewName, number>, here: ViewName | undefined): Html {
  const tabs = viewNames.map((name) => {
    const current = name === here ? html` aria-current="page"` : ''
    const count =
      counts[name] === 0 ? '' : html` <span class="count">${toCountText(counts[name])}</span>`
    return html`<li><a href="${listPath({ view: name })}"${current}>${views[name].label}${count}</a></li>
`
  })
  return html`<nav class="tabs" aria-label="Requests"><ul>
${tabs}</ul></nav>
`
}
