/** Changes leads for tests: as the program decides, or else by force, to states that no button leads to. */
import { randomUUID } from 'node:crypto'
import { eventOfMove, type State } from '../../src/contract/states.ts'
import { nextOf, toDate } from '../../src/contract/visit.ts'
import { actOn } from '../../src/lead/act.ts'
import { type VisitDate } from '../../src/lead/asking.ts'
import {
  askForAnotherTime,
  changeNote,
  correct,
  erase,
  explainLost,
  move,
  note,
  plan,
  sumUp,
  take,
  type Decide,
} from '../../src/lead/life.ts'
import type { LeadChange } from '../../src/store/leads/changes.ts'
import { detailsOf } from '../../src/store/leads/details.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import type { NewPhoto, Origin } from '../../src/store/photos/photos.ts'
import type { Store } from '../../src/store/store.ts'
import { dayMs } from '../../src/time.ts'

type Move = VisitDate & { to: State; by: string; at: number; undoes?: number }

/** `undefined`: somebody changed the lead since it was read. */
export async function moveLead(store: Store, lead: Lead, asked: Move): Promise<Lead | undefined> {
  const { to, by, at, undoes, ...date } = asked
  const decision = move(to, date, { by, at })(lead, await store.leads.historyOf(lead))
  const isDecided = decision.kind === 'change' && undoes === undefined
  return store.leads.apply(lead, isDecided ? decision.change : forced(lead, asked))
}

function forced(lead: Lead, { to, by, at, undoes, next }: Move): LeadChange {
  const kind = eventOfMove(lead.state, to)
  const isSpam = lead.state === 'held' || lead.state === 'spam'
  return {
    event: { at, kind, data: { from: lead.state, to, by, next, was: nextOf(lead), undoes } },
    after: { ...lead, state: to, stateChangedAt: at, date: toDate(next, lead) },
    notices: to === 'withdrawn' && isSpam ? [] : [{ kind, dueAt: at }],
    freesContent: to === 'withdrawn',
  }
}

export async function addNote(
  store: Store,
  lead: Lead,
  { at, memberId, words }: { at: number; memberId: string; words: string },
): Promise<Lead | undefined> {
  const decision = note(words, { by: memberId, at })(lead, await store.leads.historyOf(lead))
  return apply(store, lead, decision)
}

export async function eraseLead(
  store: Store,
  lead: Lead,
  asked: { by: string; at: number },
): Promise<Lead | undefined> {
  return apply(store, lead, erase(asked)(lead, await store.leads.familyOf(lead)))
}

function apply(store: Store, lead: Lead, decision: ReturnType<ReturnType<typeof erase>>) {
  if (decision.kind !== 'change') throw new Error(`${decision.kind}: ${lead.state}`)
  return store.leads.apply(lead, decision.change)
}

/** Gives a lead something in every table and column that can hold what somebody wrote about it. */
export async function writeEverything(store: Store, leadId: string, at: number): Promise<void> {
  const asking = { by: 'member-1', at }
  const next = { at: at + dayMs, what: 'visit' } as const
  const lead = (await store.leads.find(leadId))!
  const details = {
    ...detailsOf(lead),
    name: 'Quux Corrected',
    secondPhone: '0491 570 156',
    street: '1 Quux Lane',
  }
  const acts = [
    correct(details, asking),
    note('A quux gate', asking),
    note('A quux dog', asking),
    changeNote(3, 'A quux cat', asking),
    take('member-1', asking),
    move('consultation_booked', { next, place: '2 Quux Lane', shown: true }, asking),
    plan({ next, place: '3 Quux Lane' }, asking),
    askForAnotherTime('After five, says Quux', { at }),
  ]
  for (const decide of acts) await actOrThrow(store, leadId, decide)
  await sendVisitEmail(store, leadId, at)
  await store.photos.keep(photoOf(leadId, 'sender', at))
}

/** A photo whose picture is no picture: the store does not look into it. */
export function photoOf(
  leadId: string,
  origin: Origin,
  at: number,
  words = 'A quux lawn',
): NewPhoto {
  const picture = { large: Buffer.from(words), small: Buffer.from(`${words}, small`) }
  const id = randomUUID()
  return { id, leadId, origin, memberId: '', at, picture: { ...picture, width: 4, height: 3 } }
}

async function sendVisitEmail(store: Store, leadId: string, at: number): Promise<void> {
  const channel = 'sender'
  const id = `${leadId}/visit/${channel}`
  const email = {
    id,
    leadId,
    channel,
    kind: 'lead.visit',
    about: '{"visit":null}',
    dueAt: at,
  } as const
  const leased = { ...email, attempts: 1, leasedUntil: 0, doneAt: undefined, problem: '' }
  const delivery = { ...leased, outcome: '' } as const
  await store.deliveries.finish(delivery, { ending: { kind: 'untried' }, at }, [email])
  const said = { to: 'e1', at: at + dayMs, place: '4 Quux Lane', isOff: false, answers: at }
  await store.deliveries.finish(delivery, { ending: { kind: 'delivered' }, at, said })
}

/** Marks the lead as spam, which blocks its sender. */
export async function markAsSpam(store: Store, leadId: string, at: number): Promise<void> {
  await actOrThrow(store, leadId, move('spam', {}, { by: 'member-1', at }))
}

export async function loseLead(store: Store, leadId: string, at: number): Promise<void> {
  const asking = { by: 'member-1', at }
  for (const decide of [
    move('contacted', {}, asking),
    move('proposal_sent', { next: { at: at + dayMs, what: 'ring' } }, asking),
    sumUp(41_000, asking),
    move('lost', {}, asking),
    explainLost('budget', asking),
  ]) {
    await actOrThrow(store, leadId, decide)
  }
}

async function actOrThrow(store: Store, leadId: string, decide: Decide): Promise<void> {
  const { kind } = await actOn(store, leadId, decide)
  if (kind !== 'done') throw new Error(kind)
}
