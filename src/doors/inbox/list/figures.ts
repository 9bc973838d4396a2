/** Draws the figures of the last thirteen weeks. */
import { sumInWords } from '../../../desk/plan.ts'
import { plural, capital } from '../../../words.ts'
import { countedStates, lostReasons, openStates, shortWords } from '../../../contract/states.ts'
import {
  otherPlaces,
  readFigures,
  sumOf,
  waitInWords,
  type Figures,
  type Tally,
} from '../../../desk/figures.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { partsOf, dayAndMonth } from '../../../time.ts'
import { settingsLink } from '../access/settings.ts'
import { showPage } from '../frame/answers.ts'
import { type SignedInCaller } from '../frame/inbox.ts'

export async function showFigures(caller: SignedInCaller): Promise<Answer> {
  const { store, business, now } = caller.inbox
  const figures = await readFigures(store, business, now())
  const main =
    sumOf(figures.all) === 0
      ? nothingYet
      : html`${about}
${weeksFigure(figures, business.timeZone)}
${contactFigure(figures)}
${outcomesFigure(figures)}
${proposalsFigure(figures)}
${lostFigure(figures)}
${placesFigure(figures)}
${waysFigure(figures)}`
  return showPage(caller, { back: settingsLink, title: 'Figures', main })
}

const nothingYet = html`<p class="empty">No request came in during the last thirteen weeks. From the next one on, this page shows how many come, how soon you are in touch, and how they end.</p>
`

const about = html`<p class="soft">The last thirteen weeks. People filled in the form themselves or rang; agents are AI assistants and programs. Waiting times count your opening hours only, and nobody who rang. Spam, held and erased requests are left out.</p>
`

function figure(title: string, sentence: string, below = noHtml): Html {
  return html`<h2>${title}</h2>
<p>${sentence}</p>
${below}`
}

/** The sentence says what matters. */
function folded(words: string, below: Html): Html {
  return html`<details>
<summary>${words}</summary>
${below}</details>
`
}

function weeksFigure({ weeks, all }: Figures, timeZone: string): Html {
  const dayOf = ({ from }: { from: number }) => dayAndMonth(partsOf(from, timeZone, from))
  const fullest = weeks.reduce((best, week) => (sumOf(week) > sumOf(best) ? week : best))
  const sentence = `${plural(sumOf(all), 'request')} came in, ${all.people} from people and ${all.agents} from agents. The busiest week began on ${dayOf(fullest)}, with ${sumOf(fullest)}.`
  const running = weeks.at(-1)!
  const rows = weeks.toReversed().map((week) => ({
    ...week,
    name: week === running ? `${dayOf(week)}, so far` : dayOf(week),
  }))
  const bars = weeks.map((week) => ({ ...week, label: dayOf(week) }))
  const below = html`${drawBars(bars, sentence)}${folded('Week by week', tallies('Week from', rows))}`
  return figure('Requests per week', sentence, below)
}

const barPx = 110
/** The y of the line under the bars, with room for a number above the highest bar. */
const floor = barPx + 24

type Week = Tally & { label: string }

/** Widths are percentages and heights are pixels, so that text has the same size on every screen. */
function drawBars(weeks: readonly Week[], takeaway: string): Html {
  return html`<svg class="bars" role="img" width="100%" height="${floor + 24}">
<title>${takeaway}</title>
${weeks.map((_, at) => drawWeek(weeks, at))}
<text x="100%" y="${floor + 18}" text-anchor="end">this week</text>
<line x1="0" x2="100%" y1="${floor}" y2="${floor}"/>
</svg>
<p class="key">
<span class="people">People</span>
<span class="agents">Agents</span>
<span class="running">So far</span>
</p>
`
}

/** The last week is not over yet. Only each fourth week has room for its name. */
function drawWeek(weeks: readonly Week[], at: number): Html {
  const { people, label } = weeks[at]!
  const sum = sumOf(weeks[at]!)
  const isLast = at === weeks.length - 1
  const highest = Math.max(...weeks.map(sumOf))
  const top = (n: number) => floor - Math.round((barPx * n) / highest)
  const percent = (part: number) => `${((100 * (at + part)) / weeks.length).toFixed(2)}%`
  const bar = (kind: keyof Tally, from: number, to: number) =>
    html`<rect class="${kind}" x="${percent(0.15)}" width="${widthOf(weeks)}"
  y="${top(to)}" height="${top(from) - top(to)}"/>
`
  const number = html`<text class="number" x="${percent(0.5)}" y="${top(sum) - 6}"
  text-anchor="middle">${sum}</text>
`
  const name = html`<text x="${percent(0.15)}" y="${floor + 18}">${label}</text>
`
  return html`<g${isLast ? html` class="running"` : ''}>
${sum === 0 ? '' : html`${bar('people', 0, people)}${bar('agents', people, sum)}${number}`}
${at % 4 === 0 && !isLast ? name : ''}</g>
`
}

function widthOf(weeks: readonly Week[]): string {
  return `${(70 / weeks.length).toFixed(2)}%`
}

function contactFigure({ waited, waiting, halfWithinMs, mostWithinMs, openDayMs }: Figures): Html {
  const half = waitInWords(halfWithinMs, openDayMs)
  const slowest = `${waitInWords(mostWithinMs, openDayMs)} or longer`
  const soon =
    waited === 0
      ? 'You have got back to nobody yet.'
      : `Half of the people you contacted heard from you within ${half}; the slowest tenth waited ${slowest}.`
  const wait = waiting === 1 ? '1 is still waiting.' : `${waiting} are still waiting.`
  return figure('Time to first contact', `${soon} ${wait}`)
}

function outcomesFigure(figures: Figures): Html {
  const { outcomeOf } = figures
  const received = sumOf(figures.all)
  const outcomes = countedStates.filter((state) => state !== 'new')
  const ended = outcomes.filter((state) => !openStates.includes(state))
  const steps = [
    ['Received', received],
    ...outcomes.map((state) => [shortWords[state], outcomeOf(state)] as const),
    ['Still open', ended.reduce((open, state) => open - outcomeOf(state), received)],
  ] as const
  const rows = steps.map(([name, n]) => {
    return { name, cells: [n, `${Math.round((100 * n) / received)}%`] }
  })
  const [contacted, booked] = [outcomeOf('contacted'), outcomeOf('consultation_booked')]
  const won = `${outcomeOf('won')}${sumAfter(figures.wonSum)}`
  const sentence = `You contacted ${contacted} of ${received}, booked ${booked} and won ${won}.`
  const below = folded('All outcomes', table(['Outcome', 'Requests', 'Share'], rows))
  return figure('Outcomes', sentence, below)
}

function proposalsFigure({ proposals }: Figures): Html {
  const { sent, won, wonSum, lost, open, openSum } = proposals
  if (sent === 0) return noHtml
  const lostWords = `${lost} ${lost === 1 ? 'was' : 'were'} lost`
  const workWords = `${won} became work${sumAfter(wonSum)}`
  const openWords = `${open} out${sumAfter(openSum)}`
  const ended = sent - won - lost - open
  const endedWords = ended === 0 ? '' : `, ${ended} ended otherwise`
  const sentence = `You sent ${plural(sent, 'proposal')}: ${workWords}, ${lostWords}${endedWords}, ${openWords}.`
  return figure('Proposals', sentence)
}

/** " (41,000)". */
function sumAfter(sum: number): string {
  return sum === 0 ? '' : ` (${sumInWords(sum)})`
}

/** "You lost 3: went with someone else (2), without a reason (1)." */
function lostFigure({ outcomeOf, lostWhy }: Figures): Html {
  const lost = outcomeOf('lost')
  if (lost === 0) return noHtml
  const counts = [...lostWhy].map(([reason, n]) => `${lostReasons[reason]} (${n})`)
  const unsaid = lost - [...lostWhy.values()].reduce((sum, n) => sum + n, 0)
  if (unsaid > 0) counts.push(`without a reason (${unsaid})`)
  return figure('Why requests were lost', `You lost ${lost}: ${counts.join(', ')}.`)
}

function placesFigure({ places, all }: Figures): Html {
  const served = places.filter(({ name }) => !otherPlaces.includes(name))
  const near = served.reduce((sum, place) => sum + sumOf(place), 0)
  const [first] = served
  const most = near === 0 ? '' : `, most from ${first!.name}: ${sumOf(first!)}`
  const sentence = `${near} of ${sumOf(all)} came from the places you serve${most}.`
  return figure('By place', sentence, folded('All places', tallies('Place', places)))
}

function waysFigure({ doors, all }: Figures): Html {
  const rang = doors.get('phone') ?? 0
  const byPhone = rang === 0 ? '' : ` ${rang} by phone,`
  const sentence = `${all.people - rang} came by the form on the website,${byPhone} ${all.agents} by agents.`
  return figure('How they came', sentence)
}

function tallies(head: string, rows: readonly (Tally & { name: string })[]): Html {
  const all = rows.map((row) => ({ ...row, cells: [row.people, row.agents, sumOf(row)] }))
  return table([head, 'People', 'Agents', 'All'], all)
}

type TableRow = { name: string; cells: readonly (string | number)[] }

function table(heads: readonly string[], rows: readonly TableRow[]): Html {
  return html`<table class="sheet">
<thead>
<tr>
${heads.map((each) => html`<th scope="col">${each}</th>\n`)}</tr>
</thead>
<tbody>
${rows.map(tableRow)}</tbody>
</table>
`
}

function tableRow({ name, cells }: TableRow): Html {
  return html`<tr>
<th scope="row">${capital(name)}</th>
${cells.map((cell) => html`<td>${cell}</td>\n`)}</tr>
`
}
