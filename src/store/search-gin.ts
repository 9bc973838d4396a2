/**
 * A search in PostgreSQL. GIN lists the documents of a word without any order, and each of them has
 * to be read, so long lists are cut to their newest part.
 */
import type { Engine, Row } from './engine/engine.ts'
import { compared, findAmongNewest, writeSearch } from './sought.ts'
import type { Asked, Readings, SoughtWord } from './sought.ts'

export function findByGin(engine: Engine, asked: Asked): Promise<Row[]> {
  return findAmongNewest(asked.limit, {
    ...compared,
    look: (window) => compareNewest(engine, asked, window),
    otherwise: () => askGin(engine, asked),
  })
}

function toMatch(readings: Readings): string {
  return writeSearch(readings, { and: ' & ', or: ' | ', start: ':*', quote: "'" })
}

/** The inner limit keeps the planner from using GIN. */
function compareNewest(
  engine: Engine,
  { readings, before, limit }: Asked,
  window: number,
): Promise<Row[]> {
  return engine.read(
    `select doc, lead_id from (
       select doc, lead_id, words from search_doc where doc < $2 order by doc desc limit $4
     ) as newest where words @@ $1 order by doc desc limit $3`,
    [toMatch(readings), before, limit, window],
  )
}

async function askGin(engine: Engine, asked: Asked): Promise<Row[]> {
  const { readings, before, limit } = asked
  const { last, step, common } = await measureNewest(engine, asked)
  const matches = [toMatch(withoutStarts(readings, common)), toMatch(readings)]
  return findAmongNewest(limit, {
    first: 20_000,
    widest: 1_000_000,
    look: (window) => listFrom(Math.floor(last - window * step)),
    otherwise: () => listFrom(0),
  })

  function listFrom(first: number): Promise<Row[]> {
    return engine.read(
      `${listed} select doc, lead_id from listed where words @@ $2 order by doc desc limit $5`,
      [...matches, first, before, limit],
    )
  }
}

/** The sums keep the planner from walking the documents in their order. BRIN knows them. */
const listed = `with listed as materialized (
  select doc, lead_id, words from search_doc
  where words @@ $1 and doc + 0 >= $3 and doc + 0 < $4
)`

/** `step`: how far apart the numbers of documents are. `common`: in one document of ten, or more. */
type Newest = { last: number; step: number; common: readonly SoughtWord[] }

async function measureNewest(engine: Engine, { readings, before }: Asked): Promise<Newest> {
  const starts = readings.flat().filter(({ isStart }) => isStart)
  const counts = starts.map((_, at) => `, count(*) filter (where words @@ $${at + 2}) as n${at}`)
  const [row] = await engine.read(
    `select max(doc) as last, (max(doc) - min(doc)) / 100.0 as step ${counts.join('')} from (
       select doc, words from search_doc where doc < $1 order by doc desc limit 100
     ) as newest`,
    [before, ...starts.map((word) => toMatch([[word]]))],
  )
  return {
    last: Number(row!['last']),
    step: Number(row!['step']),
    common: starts.filter((_, at) => Number(row![`n${at}`]) >= 10),
  }
}

/**
 * GIN collects every document with a word that begins so, however rare the other words are. So a
 * start that is common is left to the comparison, where another word is left to ask for.
 */
function withoutStarts(readings: Readings, common: readonly SoughtWord[]): Readings {
  return readings.map((words) => {
    const left = words.filter((word) => !common.includes(word))
    return left.length > 0 ? left : words
  })
}
