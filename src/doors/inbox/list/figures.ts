import { plural } from '../../../contract/limits.ts'
import { doorWords, type Door } from '../../../contract/states.ts'
import { otherPlaces, readFigures, sumOf, type Figures, type Tally } from '../../../desk/figures.ts'
import { capital } from '../../../desk/words.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { inWords, minuteMs } from '../../../time.ts'
import { settingsLink } from '../access/settings.ts'
import { showPage } from '../frame/answers.ts'
import { type Visitor } from '../frame/inbox.ts'

export async function showFigures(visitor: Visitor): Promise<Answer> {
  const { store, business, now } = visitor.inbox
  const figures = await readFigures(store, business, now())
  const main =
    sumOf(figures.all) === 0
      ? nothingYet
      : html`${about}${weeksFigure(figures, business.timeZone)}${contactFigure(figures)}${progressFigure(figures)}${placesFigure(figures)}${doorsFigure(figures)}`
  return showPage(visitor, { back: settingsLink, title: 'Figures', main })
}

const nothingYet = html`<p class="empty">No request came in during the last thirteen weeks. From the next one on you see here how many come, how soon you are in touch, and what becomes of them.</p>
`

const about = html`<p class="soft">The last thirteen weeks. People use the form, agents every other door. Spam, held and erased requests do not count.</p>
`

function figure(title: string, sentence: string, below: Html): Html {
  return html`<h2>${title}</h2>
<p>${sentence}</p>
${below}`
}

function weeksFigure({ weeks, all }: Figures, timeZone: string): Html {
  // `inWords` returns "Mon, 16 Nov, 12:00 am"; the day is its second part.
  const dayOf = ({ from }: { from: number }) => inWords(from, timeZone).split(', ')[1]!
  const fullest = weeks.reduce((best, week) => (sumOf(week) > sumOf(best) ? week : best))
  const sentence = `${plural(sumOf(all), 'request')} came in, ${all.people} from people and ${all.agents} from agents. The fullest week began on ${dayOf(fullest)}, with ${sumOf(fullest)}.`
  const running = weeks.at(-1)!
  const rows = weeks.toReversed().map((week) => ({
    ...week,
    name: week === running ? `${dayOf(week)}, so far` : dayOf(week),
  }))
  const bars = weeks.map((week) => ({ ...week, label: dayOf(week) }))
  const below = html`${drawBars(bars, sentence)}<details><summary>Week by week</summary>
${tallies('Week from', rows)}</details>
`
  return figure('Requests per week', sentence, below)
}

const barPx = 110
/** The y of the line under the bars, with room for a number above the highest bar. */
const floor = barPx + 24

/** Widths are percentages and heights are pixels, so that text has the same size on every screen. */
function drawBars(weeks: readonly (Tally & { label: string })[], takeaway: string): Html {
  const highest = Math.max(...weeks.map(sumOf))
  const top = (n: number) => floor - Math.round((barPx * n) / highest)
  const percent = (at: number) => `${((100 * at) / weeks.length).toFixed(2)}%`
  const part = (kind: keyof Tally, at: number, from: number, to: number) =>
    html`<rect class="${kind}" x="${percent(at + 0.15)}" width="${percent(0.7)}" y="${top(to)}" height="${top(from) - top(to)}"/>`
  const drawn = weeks.map((week, at) => {
    const [sum, last] = [sumOf(week), weeks.length - 1]
    const bar = html`${part('people', at, 0, week.people)}${part('agents', at, week.people, sum)}<text class="number" x="${percent(at + 0.5)}" y="${top(sum) - 6}" text-anchor="middle">${sum}</text>`
    const label = html`<text x="${percent(at + 0.15)}" y="${floor + 18}">${week.label}</text>`
    return html`<g${at === last ? html` class="running"` : ''}>${sum === 0 ? '' : bar}${at % 4 === 0 && at < last ? label : ''}</g>
`
  })
  return html`<svg class="bars" role="img" width="100%" height="${floor + 24}"><title>${takeaway}</title>
${drawn}<text x="100%" y="${floor + 18}" text-anchor="end">this week</text><line x1="0" x2="100%" y1="${floor}" y2="${floor}"/></svg>
<p class="key"><span class="people">People</span> <span class="agents">Agents</span> <span class="running">So far</span></p>
`
}

function contactFigure(figures: Figures): Html {
  const { contacted, waiting, all } = figures
  const [half, most] = [lengthOf(figures.halfWithinMs), lengthOf(figures.mostWithinMs)]
  const soon =
    contacted === 0
      ? 'You have contacted nobody yet.'
      : `Half of those you contacted heard from you within ${half} of opening hours, nine of ten within ${most}.`
  const wait = waiting === 1 ? '1 is still waiting.' : `${waiting} are still waiting.`
  const rows: TableRow[] = [
    { name: 'Half within', cells: [contacted === 0 ? '–' : half] },
    { name: 'Nine of ten within', cells: [contacted === 0 ? '–' : most] },
    { name: 'Still waiting', cells: [waiting] },
    { name: 'Closed without contact', cells: [sumOf(all) - contacted - waiting] },
  ]
  return figure('Time to first contact', `${soon} ${wait}`, table([], rows))
}

function progressFigure(figures: Figures): Html {
  const { contacted, booked, won, lost, notSuitable, withdrawn } = figures
  const received = sumOf(figures.all)
  const steps = {
    Received: received,
    Contacted: contacted,
    Booked: booked,
    Won: won,
    Lost: lost,
    'Not suitable': notSuitable,
    Withdrawn: withdrawn,
    'Still open': received - won - lost - notSuitable - withdrawn,
  }
  const rows = Object.entries(steps).map(([name, n]) => {
    return { name, cells: [n, `${Math.round((100 * n) / received)}%`] }
  })
  const sentence = `You contacted ${contacted} of ${received}, booked ${booked} and won ${won}.`
  return figure('What became of them', sentence, table(['Step', 'Requests', 'Share'], rows))
}

function placesFigure({ places, all }: Figures): Html {
  const served = places.filter(({ name }) => !otherPlaces.includes(name))
  const near = served.reduce((sum, place) => sum + sumOf(place), 0)
  const [first] = served
  const most = near === 0 ? '' : `, most from ${first!.name}: ${sumOf(first!)}`
  const sentence = `${near} of ${sumOf(all)} came from the places you serve${most}.`
  return figure('By place', sentence, tallies('Place', places))
}

function doorsFigure({ doors, all }: Figures): Html {
  const used = (Object.keys(doorWords) as Door[]).filter((door) => doors.has(door))
  const rows = used.map((door) => ({ name: doorWords[door], cells: [doors.get(door)!] }))
  const sentence = `${all.people} came by the form, ${all.agents} by agents.`
  return figure('By door', sentence, table(['Door', 'Requests'], rows))
}

function tallies(head: string, rows: readonly (Tally & { name: string })[]): Html {
  const all = rows.map((row) => ({ ...row, cells: [row.people, row.agents, sumOf(row)] }))
  return table([head, 'People', 'Agents', 'All'], all)
}

type TableRow = { name: string; cells: readonly (string | number)[] }

function table(heads: readonly string[], rows: readonly TableRow[]): Html {
  const head = html`<thead><tr>${heads.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
`
  const body = rows.map(({ name, cells }) => {
    return html`<tr><th scope="row">${capital(name)}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`
  })
  return html`<table class="sheet">
${heads.length === 0 ? '' : head}<tbody>
${body}</tbody>
</table>
`
}

function lengthOf(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / minuteMs))
  const parts = [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`]
  return parts.filter((part) => !part.startsWith('0 ')).join(' ')
}
