/** The schema fills the index from `search_doc`: FTS5 in SQLite, GIN in PostgreSQL. */
import { hourMs } from '../../time.ts'
import { toParameters, type Dialect, type Engine, type Statement } from '../engine/engine.ts'
import { readLeads, toLead, type Lead } from './rows.ts'

/** `isStart`: any word that begins with `text` matches. */
export type SoughtWord = { text: string; isStart: boolean }

/** A lead is found if it has all words of at least one of these readings of what somebody typed. */
export type Readings = readonly (readonly SoughtWord[])[]

export function createSearch(engine: Engine) {
  return {
    async findByWords(
      readings: Readings,
      { before = '~', limit }: { before: string | undefined; limit: number },
    ): Promise<Lead[]> {
      const { signs, found } = dialects[engine.dialect]
      const rows = await engine.read(
        `with found as materialized (${found})
         select lead.* from found cross join lead where lead.id = found.lead_id
         order by found.place desc`,
        [toMatch(readings, signs), limit, before],
      )
      return rows.map(toLead)
    },

    /** Removes for good the words of erased leads that may be left in the index. */
    async reindexWords(): Promise<void> {
      for (const batch of dialects[engine.dialect].rebuild) await engine.run(batch, hourMs)
      engine.forgetDeleted()
    },

    async personKeysOf(leadId: string): Promise<string[]> {
      const sql = 'select key from person_key where lead_id = $1 order by key'
      return (await engine.read(sql, [leadId])).map((row) => String(row['key']))
    },

    async leadsOfPerson(
      keys: readonly string[],
      { before = '~', limit }: { before?: string | undefined; limit: number },
    ): Promise<Lead[]> {
      const ids = `select distinct lead_id from person_key
        where key in (${toParameters(keys.length, 3)}) and lead_id < $1
        order by lead_id desc limit $2`
      const rest = `where id in (${ids}) order by id desc`
      return readLeads(engine, rest, [before, limit, ...keys])
    },
  }
}

type Signs = { and: string; or: string; start: string; quote: string }

/** Words hold nothing but letters and digits, so there is nothing to escape. */
function toMatch(readings: Readings, { and, or, start, quote }: Signs): string {
  const toWord = ({ text, isStart }: SoughtWord) => quote + text + quote + (isStart ? start : '')
  return readings.map((words) => `(${words.map(toWord).join(and)})`).join(or)
}

/**
 * FTS5 may keep a deleted word until its segment is merged. A single segment is not merged, so
 * document 0, which no lead has, makes a second one.
 */
const merge: Statement[] = [
  [`insert into search_words (rowid, words) values (0, 'x')`, []],
  [`insert into search_words (search_words) values ('optimize')`, []],
]

type Part = {
  signs: Signs
  /** Selects the `$2` newest leads that match `$1` and are older than lead `$3`. */
  found: string
  /** New leads wait while these batches run, about a second if there are 100,000 leads. */
  rebuild: Statement[][]
}

const dialects: Record<Dialect, Part> = {
  // If lead `$3` was erased meanwhile, its document is gone, and the page begins at the top again.
  sqlite: {
    signs: { and: ' AND ', or: ' OR ', start: ' *', quote: '"' },
    found: `select lead_id, doc as place
      from search_words cross join search_doc on doc = search_words.rowid
      where search_words match $1 and search_words.rowid <
        coalesce((select doc from search_doc where lead_id = $3), ${Number.MAX_SAFE_INTEGER})
      order by search_words.rowid desc limit $2`,
    // Merges twice, because a merge that ran while words were deleted still has them.
    rebuild: [merge, merge],
  },
  postgres: {
    signs: { and: ' & ', or: ' | ', start: ':*', quote: "'" },
    found: `select lead_id, lead_id as place from search_doc
      where vector @@ cast($1 as tsquery) and lead_id < $3
      order by lead_id desc limit $2`,
    rebuild: [
      [
        ['set local statement_timeout = 0', []],
        ['reindex index search_words', []],
      ],
    ],
  },
}
