/** A search in SQLite. FTS5 walks the lists of its words from the newest on, and stops. */
import type { Engine, Row } from './engine/engine.ts'
import { leadsOf, writeSearch } from './sought.ts'
import type { Asked, Readings, SoughtWord } from './sought.ts'

/** The longest start of a word that has a list: see the migration. */
const longestListed = 5

/**
 * For a longer start FTS5 first joins the lists of all words that begin so. So the newest documents
 * with its first letters are compared before.
 */
export function findByFts5(engine: Engine, asked: Asked): Promise<Row[]> {
  const match = toMatch(asked.readings)
  const listed = toMatch(asked.readings.map((words) => words.map(toListed)))
  if (listed === match) return walk(engine, asked, match)
  return findAmongNewest(asked.limit, {
    look: (window) => walkAndCompare(engine, asked, listed, window),
    otherwise: () => walk(engine, asked, match),
  })
}

/** How many of the newest documents are compared word by word. */
const compared = { first: 100, widest: 2_500 }

/**
 * Looks at some of the newest documents, then at as many as should fill the page: a word that is
 * common is found among them. One that is rare is left to the other way.
 */
async function findAmongNewest(
  limit: number,
  ways: { look(window: number): Promise<Row[]>; otherwise(): Promise<Row[]> },
): Promise<Row[]> {
  const first = await ways.look(compared.first)
  if (first.length >= limit) return first
  const needed = Math.ceil((1.5 * compared.first * limit) / Math.max(first.length, 1))
  const second = needed <= compared.widest ? await ways.look(needed) : []
  return second.length >= limit ? second : ways.otherwise()
}

function toMatch(readings: Readings): string {
  return writeSearch(readings, { and: ' AND ', or: ' OR ', start: ' *', quote: '"' })
}

function toListed({ text, isStart }: SoughtWord): SoughtWord {
  const letters = [...text]
  const isLong = isStart && letters.length > longestListed
  return { text: isLong ? letters.slice(0, longestListed).join('') : text, isStart }
}

const newestDocs = `search_words cross join search_doc on search_doc.doc = search_words.rowid
  where search_words match $1 and search_words.rowid < $2 order by search_words.rowid desc`

function walk(engine: Engine, { before, limit }: Asked, match: string): Promise<Row[]> {
  const found = `select search_doc.doc, search_doc.lead_id from ${newestDocs} limit $3`
  return engine.read(leadsOf(found), [match, before, limit])
}

function walkAndCompare(
  engine: Engine,
  { readings, before, limit }: Asked,
  match: string,
  window: number,
): Promise<Row[]> {
  const values = [match, before, limit, window, ...readings.flat().map(toPart)]
  let number = 4
  const isThere = () => `instr(' ' || words || ' ', $${(number += 1)}) > 0`
  const hasAll = readings.map((words) => `(${words.map(isThere).join(' and ')})`)
  const found = `select doc, lead_id from (
      select search_doc.doc, search_doc.lead_id, search_doc.words from ${newestDocs} limit $4
    ) as newest where ${hasAll.join(' or ')} limit $3`
  return engine.read(leadsOf(found), values)
}

/** As it stands among the words of a document. */
function toPart({ text, isStart }: SoughtWord): string {
  return isStart ? ` ${text}` : ` ${text} `
}
