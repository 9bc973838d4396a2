/** All that is kept about one person: read for that person, as data or as a page to print, and erased. */
import { fields } from '../contract/fields.ts'
import { html, type Html } from '../html.ts'
import { eraseLead } from '../lead/move.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { Try } from '../store/deliveries/rows.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'
import { pagesOfPerson, toShown, toShownEvent, toShownNotes, toTime } from './export.ts'

const pageSize = 50

/**
 * All that share the email of this lead, or with `alsoPhone` its phone number, itself included. `by`:
 * the id of the member. Returns how many.
 */
export async function erasePerson(
  store: Store,
  { leadId, by, at, alsoPhone }: { leadId: string; by: string; at: number; alsoPhone: boolean },
): Promise<number> {
  const named = await store.findLead(leadId)
  if (named === undefined) return 0
  const keys = keysToTrust(await store.personKeysOf(leadId), alsoPhone)
  let leads = [named]
  let erased = 0
  do {
    for (const { id } of leads) await eraseLead(store, { leadId: id, by, at })
    erased += leads.length
    // Always the first page: what is erased is no longer under a key.
    const next = await store.leadsOfPerson(keys, { limit: pageSize })
    leads = next.filter(({ state }) => state !== 'erased')
  } while (leads.length > 0)
  return erased
}

export type PersonFile = { made_at: string; leads: KeptLead[] }

type KeptLead = Awaited<ReturnType<typeof readAll>>

/** Of the person of this lead: all that share its email or, with `alsoPhone`, its number. Newest first. */
export async function readPersonFile(
  store: Store,
  named: Lead,
  { at, alsoPhone }: { at: number; alsoPhone: boolean },
): Promise<PersonFile> {
  const leads: Lead[] = []
  const keys = keysToTrust(await store.personKeysOf(named.id), alsoPhone)
  for await (const page of pagesOfPerson(store, keys)) leads.push(...page)
  // An erased lead shares nothing with any other.
  if (!leads.some(({ id }) => id === named.id)) leads.push(named)
  const whole: PersonFile = { made_at: toTime(at), leads: [] }
  for (const lead of leads) whole.leads.push(await readAll(store, lead))
  return whole
}

async function readAll(store: Store, lead: Lead) {
  const [[events = []], notes, deliveries, tries] = await Promise.all([
    store.eventsOf([lead]),
    store.notesOf([lead]),
    store.deliveriesOf(lead.id),
    store.triesOfLead(lead.id),
  ])
  return {
    lead: toShown(lead),
    notes: toShownNotes(notes),
    events: events.map(toShownEvent),
    notices: deliveries.map(({ id, kind, channel, outcome }) => ({
      notice: kind,
      channel,
      /** '' while it waits. */
      outcome,
      tries: tries.filter(({ deliveryId }) => deliveryId === id).map(toShownTry),
    })),
  }
}

function toShownTry({ at, outcome, answer }: Try) {
  return { at: toTime(at), outcome, answer }
}

/** `from`: the name of the business. */
export function writePersonPage({ made_at: madeAt, leads }: PersonFile, from: string): string {
  const page = html`<!doctype html>
<html lang="en-AU">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>What ${from} keeps about you</title>
<style>
body { font: 11pt/1.45 sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .15rem 1rem .15rem 0; overflow-wrap: anywhere; }
th { white-space: nowrap; }
td { white-space: pre-wrap; }
section { border-top: 1px solid; margin-top: 2rem; }
@media print { body { margin: 0; } tr { break-inside: avoid; } }
</style>
</head>
<body>
<h1>What ${from} keeps about you</h1>
<p>Made at ${madeAt}. All times are in UTC. ${countRequests(leads.length)}</p>
${leads.map(writeRequest)}
</body>
</html>
`
  return page.text
}

function countRequests(count: number): string {
  return count === 1 ? 'There is one request.' : `There are ${count} requests, newest first.`
}

function writeRequest({ lead, notes, events, notices }: KeptLead): Html {
  const facts = Object.entries(lead).filter(([, value]) => value !== '')
  const tries = notices.flatMap(({ notice, channel, outcome, tries: each }) =>
    each.length === 0
      ? [['', notice, channel, outcome || 'waiting']]
      : each.map((one) => [one.at, notice, channel, `${one.outcome} ${one.answer}`.trim()]),
  )
  return html`<section>
<h2>Request ${lead['reference'] ?? ''}</h2>
<table>${facts.map(([name, value]) => html`<tr><th scope="row">${labelOf(name)}</th><td>${value}</td></tr>`)}</table>
${writeTable(
  'What happened',
  ['At', 'What', 'With'],
  events.map(({ at, kind, data }) => [at, kind, toText(data)]),
)}
${writeTable(
  'Notes about it',
  ['At', 'Note'],
  notes.map(({ at, words }) => [at, words]),
)}
${writeTable('Who was told', ['At', 'Notice', 'By', 'Result'], tries)}
</section>
`
}

function writeTable(title: string, heads: readonly string[], rows: readonly string[][]): Html {
  if (rows.length === 0) return html``
  return html`<h3>${title}</h3>
<table>
<tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr>
${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
</table>
`
}

/** As the form asks for it; other facts by their names, in words. */
function labelOf(name: string): string {
  const field = fields.find((each) => each.name === name)
  return field?.label ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}

function toText(data: unknown): string {
  if (typeof data === 'string') return data
  return Object.entries(data as object)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
