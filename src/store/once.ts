/** Things that happen at most once in a while, across all nodes: when each last happened. */
import { insertDeliveryOf, type NewDelivery } from './delivery-rows.ts'
import type { Engine } from './engine/engine.ts'

export type Once = {
  /**
   * True for the first call since `before`, across all nodes; without `before`, for the first of all.
   * `adds` is added in the same transaction, or not at all.
   */
  firstSince(
    id: string,
    at: number,
    options?: { about?: string; before?: number; adds?: readonly NewDelivery[] },
  ): Promise<boolean>
  findOnce(id: string): Promise<{ at: number; about: string } | undefined>
  /** False: it does not say `from` any more. */
  replaceOnce(id: string, from: string, to: string): Promise<boolean>
  /** As if it had not happened, where it still says `about`. */
  removeOnce(id: string, about: string): Promise<boolean>
  /** Forgets those whose id begins so, and that happened before this time. */
  forgetOnce(idStart: string, before: number): Promise<void>
}

export function createOnce(engine: Engine): Once {
  return {
    async firstSince(id, at, { about = '', before, adds = [] } = {}) {
      const again = `do update set at = excluded.at, about = excluded.about where once.at < $4`
      const [noted] = await engine.run([
        [
          `${insert} on conflict (id) ${before === undefined ? 'do nothing' : again}`,
          [id, at, about, ...(before === undefined ? [] : [before])],
        ],
        ...adds.map((notice) => insertDeliveryOf({ id, at, about }, notice)),
      ])
      return Number(noted) === 1
    },

    async findOnce(id) {
      const [row] = await engine.read('select at, about from once where id = $1', [id])
      return row && { at: Number(row['at']), about: String(row['about']) }
    },

    async replaceOnce(id, from, to) {
      const sql = 'update once set about = $1 where id = $2 and about = $3'
      const [replaced] = await engine.run([[sql, [to, id, from]]])
      return Number(replaced) === 1
    },

    async removeOnce(id, about) {
      const sql = 'delete from once where id = $1 and about = $2'
      const [removed] = await engine.run([[sql, [id, about]]])
      return Number(removed) === 1
    },

    async forgetOnce(idStart, before) {
      // `~` sorts after all that an id is made of.
      const sql = 'delete from once where id >= $1 and id < $2 and at < $3'
      await engine.run([[sql, [idStart, `${idStart}~`, before]]])
    },
  }
}

const insert = 'insert into once (id, at, about) values ($1, $2, $3)'
