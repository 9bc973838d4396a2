/** Asks the search index for the newest documents with some words. */
import type { Dialect, Engine, Row } from './engine/engine.ts'

/** `isStart`: any word that begins so. */
export type SoughtWord = { text: string; isStart: boolean }

/** Ways to read what somebody typed. A lead must have all words of one of them. */
export type Readings = readonly (readonly SoughtWord[])[]

export type FoundDoc = { doc: number; leadId: string }

export type SearchQuery = {
  /** Newest first. Words hold nothing but letters and digits. */
  findDocs(readings: Readings, page: { before: number; limit: number }): Promise<FoundDoc[]>
}

export function createSearchQuery(engine: Engine): SearchQuery {
  return {
    async findDocs(readings, { before, limit }) {
      const match = toMatch(readings, engine.dialect)
      const find = engine.dialect === 'sqlite' ? findInSqlite : findInPostgres
      const rows = await find(engine, { readings, match, before, limit })
      return rows.map((row) => ({ doc: Number(row['doc']), leadId: String(row['lead_id']) }))
    },
  }
}

type Asked = { readings: Readings; match: string; before: number; limit: number }

/** The longest start of a word that FTS5 has a list for: see the migration. */
const longestListed = 5

/**
 * FTS5 walks from the newest on and stops, but for a longer start of a word it first joins the lists
 * of all words that begin so. So the newest documents with the first letters are looked at before.
 */
function findInSqlite(engine: Engine, asked: Asked): Promise<Row[]> {
  const listed = toMatch(
    asked.readings.map((words) => words.map(toListed)),
    'sqlite',
  )
  if (listed === asked.match) return walk(engine, asked)
  return findByWindows(asked.limit, {
    readNewest: (window) => walkAndCompare(engine, { ...asked, match: listed }, window),
    readAll: () => walk(engine, asked),
  })
}

/** GIN knows no order: for a common word it would list nearly every document. */
function findInPostgres(engine: Engine, asked: Asked): Promise<Row[]> {
  return findByWindows(asked.limit, {
    readNewest: (window) => compareNewest(engine, asked, window),
    readAll: () => readAll(engine, asked),
  })
}

/** How many of the newest documents are looked at. */
const firstWindow = 100
const widestWindow = 2_500

/**
 * A word that is common fills the page from the newest documents; for a rare one the index has a
 * short list.
 */
async function findByWindows(
  limit: number,
  ways: { readNewest(window: number): Promise<Row[]>; readAll(): Promise<Row[]> },
): Promise<Row[]> {
  const first = await ways.readNewest(firstWindow)
  if (first.length >= limit) return first
  const needed = Math.ceil((1.5 * firstWindow * limit) / Math.max(first.length, 1))
  const second = needed <= widestWindow ? await ways.readNewest(needed) : []
  return second.length >= limit ? second : ways.readAll()
}

function toListed({ text, isStart }: SoughtWord): SoughtWord {
  const letters = [...text]
  const isLong = isStart && letters.length > longestListed
  return { text: isLong ? letters.slice(0, longestListed).join('') : text, isStart }
}

const newestDocs = `search_words cross join search_doc on search_doc.doc = search_words.rowid
  where search_words match $1 and search_words.rowid < $2 order by search_words.rowid desc`

function walk(engine: Engine, { match, before, limit }: Asked): Promise<Row[]> {
  const sql = `select search_doc.doc, search_doc.lead_id from ${newestDocs} limit $3`
  return engine.read(sql, [match, before, limit])
}

function walkAndCompare(
  engine: Engine,
  { readings, match, before, limit }: Asked,
  window: number,
): Promise<Row[]> {
  const values = [match, before, limit, window, ...readings.flat().map(toPart)]
  let number = 4
  const isThere = () => `instr(' ' || words || ' ', $${(number += 1)}) > 0`
  const hasAll = readings.map((words) => `(${words.map(isThere).join(' and ')})`)
  return engine.read(
    `select doc, lead_id from (
       select search_doc.doc, search_doc.lead_id, search_doc.words from ${newestDocs} limit $4
     ) as newest where ${hasAll.join(' or ')} limit $3`,
    values,
  )
}

/** As it stands among the words of a document. */
function toPart({ text, isStart }: SoughtWord): string {
  return isStart ? ` ${text}` : ` ${text} `
}

/** The inner limit keeps the planner from using GIN. */
function compareNewest(
  engine: Engine,
  { match, before, limit }: Asked,
  window: number,
): Promise<Row[]> {
  return engine.read(
    `select doc, lead_id from (
       select doc, lead_id, words from search_doc where doc < $2 order by doc desc limit $4
     ) as newest where words @@ $1 order by doc desc limit $3`,
    [match, before, limit, window],
  )
}

/** Materialised, so that the planner does not walk the documents in their order. */
function readAll(engine: Engine, { match, before, limit }: Asked): Promise<Row[]> {
  return engine.read(
    `with found as materialized (select doc, lead_id from search_doc where words @@ $1)
     select doc, lead_id from found where doc < $2 order by doc desc limit $3`,
    [match, before, limit],
  )
}

const signs: Record<Dialect, { and: string; or: string; start: string; quote: string }> = {
  sqlite: { and: ' AND ', or: ' OR ', start: ' *', quote: '"' },
  postgres: { and: ' & ', or: ' | ', start: ':*', quote: "'" },
}

function toMatch(readings: Readings, dialect: Dialect): string {
  const { and, or, start, quote } = signs[dialect]
  const toWord = ({ text, isStart }: SoughtWord) => quote + text + quote + (isStart ? start : '')
  return readings.map((words) => `(${words.map(toWord).join(and)})`).join(or)
}
