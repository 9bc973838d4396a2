/** The table `once` records when something last happened that all nodes together do at most once in a while. */
import { insertDelivery, type NewDelivery } from './deliveries/rows.ts'
import { fromRow, type Condition, type Engine } from './engine/engine.ts'

export type Once = ReturnType<typeof createOnce>

export function createOnce(engine: Engine) {
  return {
    /**
     * Returns true if no node has called this with the same id since `before`; without `before`, if
     * none ever has. Only then adds the deliveries in `adds`, in the same transaction.
     */
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
           do update set at = excluded.at, about = excluded.about where once.at < $4`,
          [id, at, about, before],
        ],
        ...adds.map((notice) => insertDelivery(notice, ifWritten)),
      ])
      return noted === 1
    },

    async findOnce(id: string): Promise<{ at: number; about: string } | undefined> {
      const rows = await engine.read('select at, about from once where id = $1', [id])
      return rows.map(fromRow<{ at: number; about: string }>)[0]
    },

    /** Replaces the text `from` of an entry. If the entry has another text by now, it stays as it is. */
    async replaceOnce(id: string, from: string, to: string): Promise<void> {
      const sql = 'update once set about = $1 where id = $2 and about = $3'
      await engine.run([[sql, [to, id, from]]])
    },

    /** Deletes entries from before `before` whose id begins with `idStart`. */
    async forgetOnce(idStart: string, before: number): Promise<void> {
      // `~` sorts after every character of an id.
      const sql = 'delete from once where id >= $1 and id < $2 and at < $3'
      await engine.run([[sql, [idStart, `${idStart}~`, before]]])
    },
  }
}
