/** Today: which requests stand there, why, and in which order. The list, the count, the rows and the morning email ask here. */
import {
  begunStates,
  openStates,
  states,
  untouchedDays,
  type State,
} from '../../contract/states.ts'
import { asksForAnotherTime } from '../../contract/visit.ts'
import { dayMs } from '../../time.ts'
import type { Engine, Value } from '../engine/engine.ts'
import { readLeads, type Lead } from './rows.ts'

/**
 * Why a request stands in Today, in the order of its parts: the customer asks for another time; with a
 * date, also of a visit that is called off; new ones without; and others that nobody has touched for days.
 */
export const partsOfToday = ['asked', 'dated', 'undated', 'forgotten'] as const
export type PartOfToday = (typeof partsOfToday)[number]

/** `until`: the end of the day. */
export type Today = { now: number; until: number }

/** Why a request that stands in Today does so. */
export function partOf(lead: Lead, now: number): PartOfToday {
  if (asksForAnotherTime(lead, now)) return 'asked'
  if (lead.date !== undefined) return 'dated'
  return lead.state === 'new' ? 'undated' : 'forgotten'
}

export function listed(some: readonly State[]): string {
  return some.map((state) => `'${state}'`).join(', ')
}

const open = listed(openStates)
export const begun = listed(begunStates)

/** The visit is ahead, as `asksForAnotherTime` says it. */
const isAsking = `state not in (${listed(states.filter((state) => state !== 'consultation_booked'))})
  and next_for = 'visit' and next_at > $1`

export const due = 'coalesce(next_at, state_changed_at)'

const untouchedMs = untouchedDays * dayMs

/** `by`: what orders the leads, before their id. `values`: those of `$1` and so on in `where`. */
type Selection = { where: string; by: string; values: (today: Today) => Value[] }

/** The condition of each part of Today, as `partOf` says it. */
const selections: Record<PartOfToday, readonly Selection[]> = {
  asked: [
    {
      // Written so that SQLite reads the index of these few leads, not that of the states.
      where: `asked_at > 0 and ${isAsking}`,
      by: due,
      values: ({ now }) => [now],
    },
  ],
  dated: [
    {
      where: `state in (${open}) and next_at < $2 and not (asked_at is not null and ${isAsking})`,
      by: 'next_at',
      values: ({ now, until }) => [now, until],
    },
    { where: `state = 'withdrawn' and next_at > 0`, by: 'next_at', values: () => [] },
  ],
  undated: [{ where: `state = 'new' and next_at is null`, by: 'id', values: () => [] }],
  forgotten: [
    {
      // A repeat is the sender's, so it is no touch.
      where: `state in (${begun}) and next_at is null and ${due} < $1
        and not exists (select 1 from event where event.lead_id = lead.id and event.at >= $1
          and event.kind <> 'lead.repeated')`,
      by: due,
      values: ({ until }) => [until - untouchedMs],
    },
  ],
}

/** Where the page before ended. `at` is the date of its last lead or, without one, its last change of state. */
export type DueCursor = { at: number; id: string; part: PartOfToday }

export type DuePage = { today: Today; past?: DueCursor | undefined; limit: number }

export const start: DueCursor = { at: 0, id: '', part: 'asked' }

export function dueOf({ date, stateChangedAt }: Lead): number {
  return date?.at ?? stateChangedAt
}

export function byDue(one: Lead, other: Lead): number {
  return dueOf(one) - dueOf(other) || (one.id < other.id ? -1 : 1)
}

export async function readToday(engine: Engine, page: DuePage): Promise<Lead[]> {
  const parts = await Promise.all(partsOfToday.map((part) => readPart(engine, part, page)))
  return parts.flat().slice(0, page.limit)
}

async function readPart(engine: Engine, part: PartOfToday, page: DuePage): Promise<Lead[]> {
  const past = cursorIn(part, page.past ?? start)
  if (past === undefined) return []
  const read = (selection: Selection) => readSelection(engine, selection, { ...page, past })
  const found = await Promise.all(selections[part].map(read))
  return found.length === 1 ? found[0]! : found.flat().sort(byDue)
}

/** Where to begin in a part; `undefined` if the pages before had all of it. */
function cursorIn(part: PartOfToday, past: DueCursor): DueCursor | undefined {
  if (part === past.part) return past
  return partsOfToday.indexOf(part) < partsOfToday.indexOf(past.part) ? undefined : start
}

function readSelection(
  engine: Engine,
  { where, by, values }: Selection,
  { today, past, limit }: DuePage & { past: DueCursor },
): Promise<Lead[]> {
  const own = values(today)
  const [one, two, three] = [1, 2, 3].map((n) => `$${own.length + n}`)
  if (by === 'id') {
    const rest = `where ${where} and id > ${one} order by id limit ${two}`
    return readLeads(engine, rest, [...own, past.id, limit])
  }
  const rest = `where ${where} and ${by} >= ${one} and (${by}, id) > (${one}, ${two})
    order by ${by}, id limit ${three}`
  return readLeads(engine, rest, [...own, past.at, past.id, limit])
}

/** Each part counts up to `most`, so that counting stays fast in a large store. */
export async function countToday(engine: Engine, today: Today, most: number): Promise<number> {
  const all = partsOfToday.flatMap((part) => selections[part])
  const counts = await Promise.all(
    all.map(async ({ where, values }) => {
      const own = values(today)
      const sql = `select count(*) as n from (select 1 from lead where ${where}
        limit $${own.length + 1}) as part`
      const [row] = await engine.read(sql, [...own, most])
      return Number(row!['n'])
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
