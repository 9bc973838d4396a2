/** Records when something last happened, so that all nodes together do it only once in a given time. */
import { hourMs } from '../time.ts'
import { insertDelivery, type NewDelivery } from './deliveries/rows.ts'
import { fromRow, type Condition, type Engine } from './engine/engine.ts'

/**
 * A clock that was ahead leaves times of the future, which would block a job until they come. They
 * count as never. An hour is more than the clocks of nodes differ.
 */
const aheadMs = hourMs

export function isOfFuture(at: number, now: number): boolean {
  return at > now + aheadMs
}

export type Once = ReturnType<typeof createOnce>

export function createOnce(engine: Engine) {
  return {
    /** Returns false if a time at or after `before` is recorded already, unless it lies in the future. */
    async firstSince(
      id: string,
      at: number,
      options: { about?: string; before?: number; adds?: readonly NewDelivery[] } = {},
    ): Promise<boolean> {
      const { about = '', before = 0, adds = [] } = options
      const written = 'exists (select 1 from once where id = $1 and at = $2 and about = $3)'
      const ifWritten: Condition = [written, [id, at, about]]
      const [noted] = await engine.run([
        [
          `insert into once (id, at, about) values ($1, $2, $3) on conflict (id)
           do update set at = excluded.at, about = excluded.about where once.at < $4 or once.at > $5`,
          [id, at, about, before, at + aheadMs],
        ],
        ...adds.map((notice) => insertDelivery(notice, ifWritten)),
      ])
      return noted === 1
    },

    /** With `now`, a time of the future counts as never. */
    async findOnce(id: string, now?: number): Promise<{ at: number; about: string } | undefined> {
      const rows = await engine.read('select at, about from once where id = $1', [id])
      const found = rows.map(fromRow<{ at: number; about: string }>)[0]
      if (found !== undefined && now !== undefined && isOfFuture(found.at, now)) return undefined
      return found
    },

    async replaceOnce(id: string, from: string, to: string): Promise<void> {
      const sql = 'update once set about = $1 where id = $2 and about = $3'
      await engine.run([[sql, [to, id, from]]])
    },

    async forgetOnce(idStart: string, before: number): Promise<void> {
      // `~` sorts after every character of an id.
      const sql = 'delete from once where id >= $1 and id < $2 and at < $3'
      await engine.run([[sql, [idStart, `${idStart}~`, before]]])
    },
  }
}
