/** Draws what stands around a list: the tabs above it, and the links below it. */
import { toCountText, viewNames, views, type ViewName } from '../../../desk/views.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { listPath, type ListPlace } from '../paths.ts'

type Counts = Record<ViewName, number>

/** These tabs are behind "More". */
const lessOften: readonly ViewName[] = ['proposals', 'held', 'spam', 'done', 'all']

/** `here` is undefined on the page of a search. */
export function viewTabs(counts: Counts, here: ViewName | undefined): Html {
  const often = viewNames.filter((name) => !lessOften.includes(name))
  const tab = (name: ViewName) => viewTab(name, counts, name === here)
  return html`<nav class="tabs" aria-label="Requests">
<ul>
${often.map(tab)}<li>
<details class="menu">
${moreSummary(counts, here)}
<ul>
${lessOften.map(tab)}</ul>
</details>
</li>
</ul>
</nav>
`
}

function viewTab(name: ViewName, counts: Counts, isHere: boolean): Html {
  const current = isHere ? html` aria-current="page"` : ''
  const dot = name === 'held' ? heldDot(counts, '') : ''
  const number = html` <span class="count">${toCountText(counts[name])}</span>`
  const count = counts[name] === 0 ? '' : number
  return html`<li><a href="${listPath({ view: name })}"${current}>${views[name].label}${dot}${count}</a></li>
`
}

function moreSummary(counts: Counts, here: ViewName | undefined): Html {
  if (here !== undefined && lessOften.includes(here)) {
    return html`<summary class="here">${views[here].label}</summary>`
  }
  return html`<summary>More${heldDot(counts, ', some are held')}</summary>`
}

function heldDot({ held }: Counts, words: string): Html {
  if (held === 0) return noHtml
  return html` <span class="dot"><span class="unseen">${words}</span></span>`
}

/** `next` is the `past` of the next page, and `label` the words of its link. */
export function pageLinks(
  place: ListPlace,
  next: string | undefined,
  label = nextLabel(place),
): Html {
  const links: Html[] = []
  const { past, ...list } = place
  if (past !== undefined) {
    links.push(html`<a class="button quiet" href="${listPath(list)}">From the start</a>
`)
  }
  if (next !== undefined) {
    const further = listPath({ ...list, past: next })
    links.push(html`<a class="button quiet" rel="next" href="${further}">${label}</a>
`)
  }
  if (links.length === 0) return noHtml
  return html`<p class="paging">
${links}</p>
`
}

function nextLabel({ view, s }: ListPlace): string {
  return s === undefined && views[view].order === 'due' ? 'Next page' : 'Earlier'
}
