/** Everything that is kept about one person, for that person: leads, their history, notes and notices. */
import { keysToTrust } from '../lead/person-keys.ts'
import type { Delivery, Try } from '../store/delivery-rows.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { pagesOfPerson, toShownEvent, type ShownEvent } from './export.ts'
import { toShown, toShownNotes, toTime, type ShownLead, type ShownNote } from './shown-lead.ts'

export type PersonFile = {
  made_at: string
  leads: {
    lead: ShownLead
    notes: ShownNote[]
    events: ShownEvent[]
    notices: ShownNotice[]
  }[]
}

type ShownNotice = {
  notice: string
  channel: string
  /** '' while it waits. */
  outcome: string
  tries: { at: string; outcome: string; answer: string }[]
}

export type PersonFileStore = Pick<
  Store,
  'personKeysOf' | 'leadsOfPerson' | 'notesOf' | 'eventsOf' | 'deliveriesOf' | 'triesOfLead'
>

/** Of the person of this lead: all that share its email or, with `alsoPhone`, its number. Newest first. */
export async function readPersonFile(
  store: PersonFileStore,
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

async function readAll(store: PersonFileStore, lead: Lead): Promise<PersonFile['leads'][number]> {
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
    notices: deliveries.map((delivery) => toShownNotice(delivery, tries)),
  }
}

function toShownNotice(
  { id, kind, channel, outcome }: Delivery,
  tries: readonly Try[],
): ShownNotice {
  const own = tries.filter(({ deliveryId }) => deliveryId === id)
  return {
    notice: kind,
    channel,
    outcome,
    tries: own.map((each) => ({
      at: toTime(each.at),
      outcome: each.outcome,
      answer: each.answer,
    })),
  }
}
