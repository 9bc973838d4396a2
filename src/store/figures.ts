/** Figures for the operator's monitoring. Each is read by an index, however many leads there are. */
import { states } from '../contract/states.ts'
import type { Span } from './about.ts'
import type { Engine } from './engine/engine.ts'
import { timeOf, toIdStart } from './id-time.ts'

export type Figures = {
  /** When the newest wanted lead came in. */
  newestLeadAt(): Promise<number | undefined>
  /** Wanted leads of this span; each state is counted up to `most`. */
  countWanted(span: Span, most: number): Promise<number>
  /** Since when the delivery waits that waits longest of those that are due; `undefined`: none is. */
  waitingSince(channel: string, at: number): Promise<number | undefined>
}

const unwanted = ['held', 'spam', 'erased']
const wanted = states.filter((state) => !unwanted.includes(state))

export function createFigures(engine: Pick<Engine, 'read'>): Figures {
  return {
    async newestLeadAt() {
      const parts = wanted.map((state) => `select max(id) as id from lead where state = '${state}'`)
      const [row] = await engine.read(
        `select max(id) as id from (${parts.join(' union all ')}) as newest`,
      )
      return typeof row?.['id'] === 'string' ? timeOf(row['id']) : undefined
    },

    async countWanted({ from, before }, most) {
      const parts = wanted.map(
        (state, index) =>
          `select count(*) as n from (select 1 from lead
           where state = '${state}' and id >= $1 and id < $2 limit $3) as part${index}`,
      )
      const [row] = await engine.read(
        `select sum(n) as n from (${parts.join(' union all ')}) as counted`,
        [toIdStart(from), toIdStart(before), most],
      )
      return Number(row?.['n'])
    },

    async waitingSince(channel, at) {
      // What was tried most often has waited longest; its next try is due in the future.
      const [row] = await engine.read(
        `select
           (select min(due_at) from delivery
            where channel = $1 and done_at is null and due_at > 0) as due,
           (select min(at) from delivery_try where delivery_id = (
              select id from delivery where channel = $1 and done_at is null and attempts > 0
              order by attempts desc, id limit 1)) as tried`,
        [channel],
      )
      const times = [row?.['due'], row?.['tried']].filter((time) => time !== null).map(Number)
      const since = Math.min(...times)
      return since <= at ? since : undefined
    },
  }
}
