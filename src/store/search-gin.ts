/**
 * A search in PostgreSQL. GIN lists the documents of a word without any order. So the index is asked
 * for one block of documents after the other, from the newest on, until there are enough.
 */
import type { Engine, Row } from './engine/engine.ts'
import { leadsOf, writeSearch } from './sought.ts'
import type { Asked, Readings, SoughtWord } from './sought.ts'

/** How many of the newest documents are compared word by word, which is enough for a common word. */
const compared = { first: 100, widest: 3_200 }
/** A start of a word in so many of the first is common. */
const commonFrom = 10

export async function findByGin(engine: Engine, asked: Asked): Promise<Row[]> {
  const [newest, common] = await Promise.all([
    compareNewest(engine, asked, compared.first),
    commonStarts(engine, asked),
  ])
  if (newest.length >= asked.limit) return newest
  // Twice as many, or four times, …: what should fill the page, in few different statements.
  const needed = (1.2 * asked.limit) / Math.max(newest.length, 1)
  const count = compared.first * 2 ** Math.ceil(Math.log2(needed))
  const more = count <= compared.widest ? await compareNewest(engine, asked, count) : []
  return more.length >= asked.limit ? more : walkBlocks(engine, asked, common)
}

/** `#` stands for the block. */
function toMatch(readings: Readings): string {
  return writeSearch(readings, { and: ' & ', or: ' | ', start: ':*', quote: "'", before: '#/' })
}

function matches(parameter: string, block = 'block'): string {
  return `words @@ cast(replace(${parameter}, '#', cast(${block} as text)) as tsquery)`
}

/** The numbers stand in the text, so that the plan is made for them. */
function newestDocs(count: number): string {
  return `(select doc, lead_id, block, words from search_doc
    where doc < $1 order by doc desc limit ${count}) as newest`
}

function compareNewest(engine: Engine, asked: Asked, count: number): Promise<Row[]> {
  const { readings, before, limit } = asked
  const found = `select doc, lead_id from ${newestDocs(count)} where ${matches('$2')} limit ${limit}`
  return engine.read(leadsOf(found), [before, toMatch(readings)])
}

/** The blocks in turn; a block has its documents sorted, so the first ones are the newest. */
function walkBlocks(
  engine: Engine,
  { readings, before, limit }: Asked,
  common: readonly SoughtWord[],
): Promise<Row[]> {
  const asked = toMatch(withoutStarts(readings, common))
  const whole = toMatch(readings)
  const isPart = asked !== whole
  // The sums keep the planner from walking the documents in their order.
  const found = `select its.doc, its.lead_id
    from generate_series((select block from search_doc where doc < $1 order by doc desc limit 1), 0, -1)
      as blocks (number)
    cross join lateral (
      select doc, lead_id from search_doc
      where doc + 0 < $1 and ${matches('$2', 'number')} ${isPart ? `and ${matches('$3')}` : ''}
      order by doc + 0 desc limit ${limit}
    ) as its limit ${limit}`
  return engine.read(leadsOf(found), [before, asked, ...(isPart ? [whole] : [])])
}

async function commonStarts(engine: Engine, { readings, before }: Asked): Promise<SoughtWord[]> {
  const starts = readings
    .filter(({ length }) => length > 1)
    .flatMap((words) => words.filter(({ isStart }) => isStart))
  if (starts.length === 0) return []
  const counts = starts.map((_, at) => `count(*) filter (where ${matches(`$${at + 2}`)}) as n${at}`)
  const sql = `select ${counts.join(', ')} from ${newestDocs(compared.first)}`
  const [row] = await engine.read(sql, [before, ...starts.map((word) => toMatch([[word]]))])
  return starts.filter((_, at) => Number(row![`n${at}`]) >= commonFrom)
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
