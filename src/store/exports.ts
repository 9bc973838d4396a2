/** Which member exported what. */
import { randomUUID } from 'node:crypto'
import type { Engine } from './engine/engine.ts'

export type Export = {
  at: number
  memberId: string
  /** JSON without personal data. */
  what: string
}

export type Exports = {
  noteExport(made: Export): Promise<void>
  /** Oldest first. */
  listExports(limit: number): Promise<Export[]>
}

export function createExports(engine: Engine): Exports {
  return {
    async noteExport({ at, memberId, what }) {
      await engine.run([
        [
          'insert into exported (id, at, member_id, what) values ($1, $2, $3, $4)',
          [randomUUID(), at, memberId, what],
        ],
      ])
    },

    async listExports(limit) {
      const rows = await engine.read(
        'select at, member_id, what from exported order by at, id limit $1',
        [limit],
      )
      return rows.map((row) => ({
        at: Number(row['at']),
        memberId: String(row['member_id']),
        what: String(row['what']),
      }))
    },
  }
}
