/**
 * Searches the text of leads, newest first. There is no index of words: a small business has a few
 * thousand leads, and reading their text takes milliseconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { toParameters, type Dialect, type Engine, type Value } from '../engine/engine.ts'
import type { SearchFill } from './fill.ts'
import { readLeads, type Lead } from './rows.ts'

/** One word of a search. A lead matches if it contains one of `texts`, or has one of `postcodes`. */
export type SoughtTerm = {
  /** Plain words, as `toPlain` makes them. */
  texts: readonly string[]
  /** False: the text must be at the start of a word. */
  isAnywhere: boolean
  postcodes: readonly string[]
}

export type SearchPage = {
  before: string | undefined
  limit: number
  /** How many leads are read at most, rounded up to a whole slice. */
  mostRead: number
}

export type Where = 'anywhere' | 'as it says'

export type SearchResult = {
  leads: Lead[]
  where: Where
  /** The oldest lead that was read, if older ones may have the terms, too; '' if none has. */
  readTo: string
}

/**
 * Leads that are read at once. SQLite reads in the main thread, where requests wait meanwhile; each
 * slice of PostgreSQL waits for an answer of the server.
 */
const sliceSizes: Record<Dialect, number> = { sqlite: 250, postgres: 1_000 }

export class LeadSearch {
  readonly #engine: Engine
  readonly #fill: SearchFill
  readonly #sliceSize: number

  constructor(engine: Engine, fill: SearchFill) {
    this.#engine = engine
    this.#fill = fill
    this.#sliceSize = sliceSizes[engine.dialect]
  }

  /**
   * Finds the newest leads that have all terms. If no lead has them as the terms say, letters match
   * anywhere in a word.
   */
  async findByText(terms: readonly SoughtTerm[], page: SearchPage): Promise<SearchResult> {
    const { before = '~', limit, mostRead } = page
    await this.#fill.catchUp()
    const starts: string[] = []
    const parts: string[] = []
    let readTo = before
    for (let read = 0; read < mostRead; read += this.#sliceSize) {
      const from = readTo
      readTo = await this.#endOfSlice(from)
      for (const { id, isStart } of await this.#findInSlice(terms, from, readTo)) {
        if (isStart) starts.push(id)
        else if (parts.length < limit) parts.push(id)
      }
      await nextTurn()
      if (readTo === '' || starts.length >= limit) break
    }
    if (starts.length > 0) {
      return { leads: await this.#leadsOf(starts.slice(0, limit)), readTo, where: 'as it says' }
    }
    return { leads: await this.#leadsOf(parts), readTo, where: 'anywhere' }
  }

  /** Fills leads that are not filled yet, and returns their number. */
  fillNext(): Promise<number> {
    return this.#fill.next()
  }

  /** The id of the last lead of the slice that begins below `from`; '' if the slice is the last one. */
  async #endOfSlice(from: string): Promise<string> {
    const [row] = await this.#engine.read(
      `select lead_id from search_doc where lead_id < $1
       order by lead_id desc limit 1 offset ${this.#sliceSize - 1}`,
      [from],
    )
    return String(row?.['lead_id'] ?? '')
  }

  async #findInSlice(
    terms: readonly SoughtTerm[],
    from: string,
    end: string,
  ): Promise<{ id: string; isStart: boolean }[]> {
    const values: Value[] = [from, end]
    // The longest comes first, because it is rare, and the others are then seldom looked for.
    const byLength = terms.toSorted((one, other) => lengthOf(other) - lengthOf(one))
    const isPart = byLength.map((term) => toCondition(term, 'anywhere', values)).join(' and ')
    const isStart = byLength.map((term) => toCondition(term, 'as it says', values)).join(' and ')
    const rows = await this.#engine.read(
      `select lead_id, case when ${isStart} then 1 else 0 end as is_start from search_doc
       where lead_id < $1 and lead_id >= $2 and ${isPart} order by lead_id desc`,
      values,
    )
    return rows.map((row) => ({ id: String(row['lead_id']), isStart: row['is_start'] === 1 }))
  }

  #leadsOf(ids: readonly string[]): Promise<Lead[]> {
    return readLeads(
      this.#engine,
      `where id in (${toParameters(ids.length)}) order by id desc`,
      ids,
    )
  }
}

function lengthOf({ texts }: SoughtTerm): number {
  return Math.max(...texts.map(({ length }) => length))
}

/** Adds the values of the condition that it returns to `values`. */
function toCondition(term: SoughtTerm, where: Where, values: Value[]): string {
  const place = (value: Value) => `$${values.push(value)}`
  const isAnywhere = term.isAnywhere || where === 'anywhere'
  const conditions = term.texts.map((text) => {
    return `strpos(words, ${place(isAnywhere ? text : ` ${text}`)}) > 0`
  })
  if (term.postcodes.length > 0) {
    const own = '(select postcode from lead where id = lead_id)'
    conditions.push(`${own} in (${term.postcodes.map(place).join(', ')})`)
  }
  return `(${conditions.join(' or ')})`
}
