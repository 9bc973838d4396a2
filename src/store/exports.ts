/** Which member exported what. A chain, as the events of a lead are: `verify` finds a changed row. */
import { digest } from './chain.ts'
import type { Engine, Row } from './engine/engine.ts'
import { untilMoved } from './moves.ts'

export type Export = {
  number: number
  at: number
  memberId: string
  /** JSON without personal data. */
  what: string
  hash: string
}

export type Exports = {
  noteExport(what: Pick<Export, 'at' | 'memberId' | 'what'>): Promise<void>
  /** Oldest first, after this number. */
  listExports(after: number, limit: number): Promise<Export[]>
}

export function createExports(engine: Engine): Exports {
  return {
    noteExport: ({ at, memberId, what }) =>
      untilMoved(async () => {
        const [last] = await engine.read(
          `select ${columns} from exported where number > 0 order by number desc limit 1`,
        )
        const { number, hash } = last ? toExport(last) : beforeFirst
        const next = linkExport({ number: number + 1, at, memberId, what }, hash)
        const [inserted] = await engine.run([
          [
            `insert into exported (${columns}) values ($1, $2, $3, $4, $5)
             on conflict (number) do nothing`,
            [next.number, at, memberId, what, next.hash],
          ],
        ])
        return inserted === 1 ? undefined : 'overtaken'
      }),

    async listExports(after, limit) {
      const rows = await engine.read(
        `select ${columns} from exported where number > $1 order by number limit $2`,
        [after, limit],
      )
      return rows.map(toExport)
    },
  }
}

/** `before`: the export before the first of these. */
export function findBreakIn(exports: readonly Export[], before: Export = beforeFirst) {
  let last = before
  for (const each of exports) {
    if (each.number !== last.number + 1) return `export ${last.number + 1} is missing`
    if (linkExport(each, last.hash).hash !== each.hash) {
      return `export ${each.number}, or what it follows, was changed`
    }
    last = each
  }
  return undefined
}

const columns = 'number, at, member_id, what, hash'
const beforeFirst: Export = { number: 0, at: 0, memberId: '', what: '', hash: '' }

function linkExport(given: Omit<Export, 'hash'>, before: string): Export {
  const { number, at, memberId, what } = given
  return { ...given, hash: digest(`${before}\0${number}\0${at}\0${memberId}\0${what}`) }
}

function toExport(row: Row): Export {
  return {
    number: Number(row['number']),
    at: Number(row['at']),
    memberId: String(row['member_id']),
    what: String(row['what']),
    hash: String(row['hash']),
  }
}
