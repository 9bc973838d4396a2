/** Marks in the table `once`: when something last happened, so that all nodes together do it only once in a period. */
import { hourMs } from '../time.ts'
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

/**
 * A clock that was ahead leaves times of the future, which would block a job until they come. They
 * count as never. An hour is more than the clocks of nodes differ.
 */
const aheadMs = hourMs

export function isOfFuture(at: number, now: number): boolean {
  return at > now + aheadMs
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
         do update set at = excluded.at, about = excluded.about where once.at < $4 or once.at > $5`,
        [id, at, about, before, at + aheadMs],
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

  /** Returns the mark as it was written, also one of the future. */
  async find(id: string): Promise<Mark | undefined> {
    const [row] = await this.#engine.read('select at, about from once where id = $1', [id])
    return row && fromRow<Mark>(row)
  }

  /** To decide whether something is due again: a mark of the future counts as never. */
  async findPast(id: string, now: number): Promise<Mark | undefined> {
    const found = await this.find(id)
    return found !== undefined && isOfFuture(found.at, now) ? undefined : found
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
