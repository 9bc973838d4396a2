/** How often somebody tried something within a time, counted for all nodes. */
import type { Engine, Row } from '../engine/engine.ts'

export type Counted = { count: number; endsAt: number }

export type Attempts = {
  findAttempts(id: string, at: number): Promise<Counted | undefined>
  /** The first one begins a time of this length. */
  countAttempt(id: string, at: number, windowMs: number): Promise<Counted>
  forgetAttempts(id: string): Promise<void>
}

export function createAttempts(engine: Engine): Attempts {
  return {
    async findAttempts(id, at) {
      const sql = 'select count, ends_at from attempt where id = $1 and ends_at > $2'
      const [found] = await engine.read(sql, [id, at])
      return found && toCounted(found)
    },

    async countAttempt(id, at, windowMs) {
      const endsAt = at + windowMs
      const [, counted] = await engine.run([
        ['delete from attempt where ends_at <= $1', [at]],
        [
          `insert into attempt (id, count, ends_at) values ($1, 1, $2)
           on conflict (id) do update set count = attempt.count + 1 returning count, ends_at`,
          [id, endsAt],
        ],
      ])
      return toCounted((counted as Row[])[0]!)
    },

    async forgetAttempts(id) {
      await engine.run([['delete from attempt where id = $1', [id]]])
    },
  }
}

function toCounted(row: Row): Counted {
  return { count: Number(row['count']), endsAt: Number(row['ends_at']) }
}
