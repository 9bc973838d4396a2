/**
 * Searches the text of leads, newest first. There is no index of words: a small business has a few
 * thousand leads, and reading their text takes milliseconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  toParameters,
  type Condition,
  type Dialect,
  type Engine,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import { notesOf } from './notes.ts'
import { readLeads, type Lead } from './rows.ts'
import { searchColumns, searchTextOf } from './search-text.ts'

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
  readonly #sliceSize: number

  constructor(engine: Engine) {
    this.#engine = engine
    this.#sliceSize = sliceSizes[engine.dialect]
  }

  /**
   * Finds the newest leads that have all terms. If no lead has them as the terms say, letters match
   * anywhere in a word.
   */
  async findByText(terms: readonly SoughtTerm[], page: SearchPage): Promise<SearchResult> {
    const { before = '~', limit, mostRead } = page
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

  /**
   * Makes the text of the next leads that were kept before the table had this form, newest first, and
   * returns their number. After a crash it goes on where it stopped.
   */
  async fillNext(): Promise<number> {
    const [job] = await this.#engine.read('select about from once where id = $1', [fillJob])
    if (job === undefined) return 0
    const rest = 'where id < $1 order by id desc limit $2'
    const leads = await readLeads(this.#engine, rest, [String(job['about']), filledAtOnce])
    const last = leads.at(-1)?.id
    if (last === undefined) {
      await this.#engine.run([
        // A lead that was being erased at the same moment may have got its text back.
        [
          `delete from search_doc where lead_id in (select id from lead where state = 'erased')`,
          [],
        ],
        ['delete from once where id = $1', [fillJob]],
      ])
      return 0
    }
    const notes = Map.groupBy(await notesOf(this.#engine, leads), ({ leadId }) => leadId)
    const texts = leads.map((lead) => {
      const words = (notes.get(lead.id) ?? []).map((note) => note.words)
      return addText(lead, searchTextOf(lead, words))
    })
    await this.#engine.run([
      ...texts,
      ['update once set about = $2 where id = $1', [fillJob, last]],
    ])
    return leads.length
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

/** The row of `once` that a migration adds; its `about` is the id below which leads wait for their text. */
const fillJob = 'search.fill'
const filledAtOnce = 200

/** Leaves a text that is there, because it has a note that was added meanwhile. */
function addText({ id }: Lead, words: string): Statement {
  const isKept: Condition = [
    `exists (select 1 from lead where id = $1 and state <> 'erased')`,
    [id],
  ]
  return searchColumns.insertIf(isKept, { leadId: id, words })
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
