/** Marks in the table `once`: when something last happened, so that all nodes together do it only once in a period. */
import { insertDelivery, type NewDelivery } from './deliveries/rows.ts'
import { fromRow, type Condition, type Engine } from './engine/engine.ts'

export type Mark = {
  at: number
  /** A word or an id that belongs to the mark; '' without one. */
  about: string
}

type Claim = {
  /** An earlier claim at or after this time refuses this one. By default every earlier claim does. */
  before?: number
  about?: string
  /** These deliveries are added in the same commit, if the claim succeeds. */
  adds?: readonly NewDelivery[]
}

export class Marks {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Returns true for one caller of all nodes, which must then do what the mark stands for. */
  async claim(id: string, at: number, claim: Claim = {}): Promise<boolean> {
    const { before = 0, about = '', adds = [] } = claim
    const written = 'exists (select 1 from once where id = $1 and at = $2 and about = $3)'
    const ifWritten: Condition = [written, [id, at, about]]
    const [claimed] = await this.#engine.run([
      [
        `insert into once (id, at, about) values ($1, $2, $3) on conflict (id)
         do update set at = excluded.at, about = excluded.about where once.at < $4`,
        [id, at, about, before],
      ],
      ...adds.map((notice) => insertDelivery(notice, ifWritten)),
    ])
    return claimed === 1
  }

  /** Replaces an earlier mark, whatever its time. */
  async put(id: string, at: number, about = ''): Promise<void> {
    const sql = `insert into once (id, at, about) values ($1, $2, $3)
      on conflict (id) do update set at = excluded.at, about = excluded.about`
    await this.#engine.run([[sql, [id, at, about]]])
  }

  async find(id: string): Promise<Mark | undefined> {
    const [row] = await this.#engine.read('select at, about from once where id = $1', [id])
    return row && fromRow<Mark>(row)
  }

  /** Changes `about`, but not the time, if it still is `from`. */
  async replaceAbout(id: string, from: string, to: string): Promise<void> {
    const sql = 'update once set about = $1 where id = $2 and about = $3'
    await this.#engine.run([[sql, [to, id, from]]])
  }

  async forget(idStart: string, before: number): Promise<void> {
    // `~` sorts after every character of an id.
    const sql = 'delete from once where id >= $1 and id < $2 and at < $3'
    await this.#engine.run([[sql, [idStart, `${idStart}~`, before]]])
  }
}
