/** Lists and counts of leads. They are read through an index, so they stay fast however many leads there are. */
import { countedStates, states, type State } from '../../contract/states.ts'
import { dayMs } from '../../time.ts'
import { type Span } from '../deliveries/about.ts'
import { fromRow, toParameters, type Engine, type Row, type Value } from '../engine/engine.ts'
import { type LeadEvent } from './events.ts'
import type { SearchFill } from './fill.ts'
import { personColumns, sentUpTo, type PersonLead } from './persons.ts'
import { readLeads, toIdStart, type Lead } from './rows.ts'
import {
  begun,
  byDue,
  countToday,
  due,
  listed,
  readToday,
  start,
  type DuePage,
  type Today,
} from './today.ts'

export type CountedLead = Pick<Lead, 'id' | 'receivedAt' | 'door' | 'state'> & {
  lostWhy: string | null
  proposalSum: number | null
  postcode: string
  moves: readonly LeadEvent[]
}

const ways = {
  newest: ['<', 'desc', '~'],
  oldest: ['>', 'asc', ''],
} as const

export type LeadsPage = {
  states?: readonly State[] | undefined
  order?: keyof typeof ways
  past?: string | undefined
  limit: number
}

/** Whether a later event takes this one back. */
const isUndone = `exists (select 1 from event back
  where back.lead_id = event.lead_id and back.undoes = event.number)`

export type LeadFacts = {
  /** 3 for the person's third request; 0 without email and phone number. Counts up to about 100. */
  nth: number
  /** When the person's last request before this one was won; `undefined` if none was. */
  wonAt: number | undefined
  /** How many calls nobody answered; 0 if the lead is neither new nor contacted. */
  tries: number
  /** When a member last did something with the lead. */
  touchedAt: number
}

export class LeadViews {
  readonly #engine: Engine
  readonly #fill: SearchFill

  constructor(engine: Engine, fill: SearchFill) {
    this.#engine = engine
    this.#fill = fill
  }

  list({ states: wanted, order = 'newest', past, limit }: LeadsPage): Promise<Lead[]> {
    const [compare, direction, first] = ways[order]
    const from = [past ?? first, limit]
    const page = `id ${compare} $1 order by id ${direction} limit $2`
    if (wanted === undefined) return readLeads(this.#engine, `where ${page}`, from)
    // One query for several states would sort all their leads, so each state is read by itself.
    const parts = wanted.map(
      (_, index) =>
        `select id from (select id from lead where state = $${index + 3} and ${page}) as part${index}`,
    )
    const rest = `where id in (${parts.join(' union all ')}) order by id ${direction} limit $2`
    return readLeads(this.#engine, rest, [...from, ...wanted])
  }

  ofToday(page: DuePage): Promise<Lead[]> {
    return readToday(this.#engine, page)
  }

  /** `contacted` also lists new leads that have a date: nobody answered the owner's call, and the date says when to ring again. */
  async byDate(wanted: readonly State[], { past, limit }: Omit<DuePage, 'today'>): Promise<Lead[]> {
    const inState = `where state = $4 and state in (${begun})
      and ${due} >= $1 and (${due}, id) > ($1, $2) order by ${due}, id limit $3`
    const tried = `where state = 'new' and next_at >= $1
      and (next_at, id) > ($1, $2) order by next_at, id limit $3`
    const { at, id } = past ?? start
    const from = [at, id, limit]
    const parts = await Promise.all([
      ...wanted.map((state) => readLeads(this.#engine, inState, [...from, state])),
      wanted.includes('contacted') ? readLeads(this.#engine, tried, from) : [],
    ])
    return parts.flat().sort(byDue).slice(0, limit)
  }

  /** Each count stops at `most`, so that it stays fast in a large store. `tried`: new leads with a day to ring again. */
  async countDue(today: Today, most: number): Promise<{ today: number; tried: number }> {
    const tried = `select count(*) as n from (select 1 from lead
      where state = 'new' and next_at > 0 limit $1) as part`
    const [dueToday, [row]] = await Promise.all([
      countToday(this.#engine, today, most),
      this.#engine.read(tried, [most]),
    ])
    return { today: dueToday, tried: Number(row!['n']) }
  }

  async countStates(most: number): Promise<Record<State, number>> {
    const parts = states.map(
      (state, index) =>
        `select '${state}' as state, count(*) as n
         from (select 1 from lead where state = '${state}' limit $1) as part${index}`,
    )
    return byState(await this.#engine.read(parts.join(' union all '), [most]))
  }

  toVisit(from: number, limit: number): Promise<Lead[]> {
    const rest = `where state = 'consultation_booked' and next_at >= $1 and next_for = 'visit'
      order by next_at, id limit $2`
    return readLeads(this.#engine, rest, [from, limit])
  }

  /** Leads whose visit may have taken place since then, though they have another date by now, or none. */
  async maybeVisited(from: number, limit: number): Promise<Lead[]> {
    const moved = `where visit_shown is not null and state_changed_at >= $1
      and state not in ('held', 'spam', 'erased') order by state_changed_at desc, id desc limit $2`
    // A day to ring again leaves the state as it is.
    const ringing = `where state = 'consultation_booked' and state in (${begun})
      and ${due} >= $1 and next_for = 'ring' order by ${due}, id limit $2`
    const parts = await Promise.all(
      [moved, ringing].map((rest) => readLeads(this.#engine, rest, [from, limit])),
    )
    return [...new Map(parts.flat().map((lead) => [lead.id, lead])).values()]
  }

  async personKeysOf(leadId: string): Promise<string[]> {
    const sql = 'select email_key, phone_key from lead where id = $1'
    const [row] = await this.#engine.read(sql, [leadId])
    return Object.values(row ?? {})
      .map(String)
      .filter(Boolean)
  }

  async ofPerson(
    keys: readonly string[],
    { before = '~', limit }: { before?: string | undefined; limit: number },
  ): Promise<Lead[]> {
    await this.#fill.catchUp()
    const places = toParameters(keys.length, 3)
    const ids = `select lead_id from search_doc where email_key in (${places}) and lead_id < $1
      union select lead_id from search_doc where phone_key in (${places}) and lead_id < $1
      order by lead_id desc limit $2`
    const rest = `where id in (${ids}) order by id desc`
    return readLeads(this.#engine, rest, [before, limit, ...keys])
  }

  async factsOf(ids: readonly string[]): Promise<Map<string, LeadFacts>> {
    await this.#fill.catchUp()
    const rows = await this.#engine.read(
      `select ${personColumns},
       (select count(*) from event where event.lead_id = lead.id and kind = 'lead.tried'
         and lead.state in ('new', 'contacted') and not ${isUndone}) as tries,
       (select max(event.at) from event where event.lead_id = lead.id
         and kind <> 'lead.repeated') as touched_at
       from lead where lead.id in (${toParameters(ids.length)})`,
      ids,
    )
    const found = rows.map(fromRow<PersonLead & Pick<LeadFacts, 'tries' | 'touchedAt'>>)
    const sent = await sentUpTo(this.#engine, found)
    const facts = found.map(({ id, tries, touchedAt }): [string, LeadFacts] => {
      const own = sent.get(id)!
      const won = own.filter((each) => each.state === 'won' && each.id !== id)
      const wonAt =
        won.length === 0 ? undefined : Math.max(...won.map((each) => each.stateChangedAt))
      return [id, { nth: own.length, wonAt, tries, touchedAt }]
    })
    return new Map(facts)
  }

  async countReceived(span: Span): Promise<Partial<Record<State, number>>> {
    const sql = 'select state, count(*) as n from lead where id >= $1 and id < $2 group by state'
    return byState(await this.#engine.read(sql, idsOf(span)))
  }

  async toCount(from: number): Promise<CountedLead[]> {
    // The SQL names the columns as the types do, because `fromRow` would take longer than the queries.
    const leads = `select id, received_at as "receivedAt", door, state, postcode,
      lost_why as "lostWhy", proposal_sum as "proposalSum" from lead
      where id >= $1 and state in (${listed(countedStates)})`
    const moves = `select lead_id as "leadId", number, at, kind, data from event
      where lead_id >= $1 and kind = 'lead.state_changed' order by lead_id, number`
    const found = [leads, moves].map((sql) => this.#engine.read(sql, [toIdStart(from)]))
    const [counted, moved] = (await Promise.all(found)) as unknown as [CountedLead[], LeadEvent[]]
    const byLead = Map.groupBy(moved, ({ leadId }) => leadId)
    return counted.map((lead) => ({ ...lead, moves: byLead.get(lead.id) ?? [] }))
  }

  /** Leads that were kept in the span. A lead that waited in a journal is kept later than its id says. */
  held(span: Span, limit: number): Promise<Lead[]> {
    const rest = `where ${heldIn} order by score, id desc limit $5`
    return readLeads(this.#engine, rest, [...keptIn(span), limit])
  }

  async countHeld(span: Span): Promise<number> {
    const sql = `select count(*) as n from lead where ${heldIn}`
    const [row] = await this.#engine.read(sql, keptIn(span))
    return Number(row!['n'])
  }

  /** Held because the sender is blocked, though neither the words nor the network are of a lead that was marked. */
  heldUnlikeSpam(span: Span, limit: number): Promise<Lead[]> {
    const rest = `where ${heldIn} and reasons = 'blocked' and not exists (select 1 from blocked
        join lead marked on marked.id = blocked.lead_id
        where blocked.key in (lead.email_key, lead.phone_key) and (marked.client = lead.client
          or (marked.message = lead.message and lead.message <> '')))
      order by id desc limit $5`
    return readLeads(this.#engine, rest, [...keptIn(span), limit])
  }
}

/** The ids are only for the index. The first event is as old as the row. */
const heldIn = `state = 'held' and id >= $1 and id < $2 and exists (select 1 from event
  where event.lead_id = lead.id and number = 0 and event.at >= $3 and event.at < $4)`

/** Longer than a lead waits in a journal. */
const longestInJournalMs = 7 * dayMs

function keptIn({ from, before }: Span): Value[] {
  return [toIdStart(Math.max(0, from - longestInJournalMs)), toIdStart(before), from, before]
}

function idsOf({ from, before }: Span): [string, string] {
  return [toIdStart(from), toIdStart(before)]
}

function byState(rows: Row[]): Record<State, number> {
  const counts = rows.map((row) => [row['state'], Number(row['n'])])
  return Object.fromEntries(counts) as Record<State, number>
}
