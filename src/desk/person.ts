/** All that is kept about one person: read for that person, as data or as a page to print, and erased. */
import { fields } from '../contract/fields.ts'
import { html, type Html } from '../html.ts'
import { eraseLead } from '../lead/move.ts'
import { keysToTrust } from '../lead/person-keys.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'
import { pagesOfPerson, toShown, toShownEvent, toShownNotes, toTime } from './export.ts'

const pageSize = 50

/**
 * Erases the leads with the email of this lead, or with `alsoPhone` its phone number, itself included. `by`:
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

/** The leads with the email of this lead or, with `alsoPhone`, its number. Newest first. */
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
      tries: tries
        .filter(({ deliveryId }) => deliveryId === id)
        .map(({ at, outcome: ending, answer }) => ({ at: toTime(at), outcome: ending, answer })),
    })),
  }
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
<p>Made at ${madeAt}. All times are in UTC. Requests: ${leads.length}, newest first.</p>
${leads.map(writeRequest)}
</body>
</html>
`
  return page.text
}

function writeRequest({ lead, ...others }: KeptLead): Html {
  return html`<section>
<h2>Request ${lead['reference'] ?? ''}</h2>
${writeValue({ ...lead, ...others })}
</section>
`
}

/** An object as a table of what it has, with tables inside. */
function writeValue(value: unknown): Html {
  if (Array.isArray(value)) return html`${value.map(writeValue)}`
  if (typeof value !== 'object' || value === null) return html`${String(value)}`
  const rows = Object.entries(value).map(([name, inner]) => ({ name, text: writeValue(inner) }))
  const filled = rows.filter(({ text }) => text.text !== '')
  if (filled.length === 0) return html``
  return html`<table>${filled.map(({ name, text }) => html`<tr><th scope="row">${labelOf(name)}</th><td>${text}</td></tr>`)}</table>`
}

/** The label in the form; other facts by their names, in words. */
function labelOf(name: string): string {
  const field = fields.find((each) => each.name === name)
  return field?.label ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}
