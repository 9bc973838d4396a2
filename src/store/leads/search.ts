/**
 * Searches the text of leads, newest first. There is no index of words: a small business has a few
 * thousand leads, and reading their text takes milliseconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  toParameters,
  type Condition,
  type Engine,
  type Statement,
  type Value,
} from '../engine/engine.ts'
import { notesOf } from './notes.ts'
import { readLeads, type Lead } from './rows.ts'
import { searchColumns, searchTextOf } from './search-text.ts'

/** One thing that somebody typed. A lead has it if it has one of the texts, or one of the postcodes. */
export type SoughtTerm = {
  /** As `toPlain` makes them, so they hold nothing that `like` treats as a sign. */
  texts: readonly string[]
  /** False: the text must be at the start of a word. */
  isAnywhere: boolean
  postcodes: readonly string[]
}

/** `starts`: as each term says. `parts`: anywhere, also across blanks, so that McAllister finds Mc Allister. */
export type SearchWay = 'starts' | 'parts'

export type SearchPage = {
  way: SearchWay
  before: string | undefined
  limit: number
  /** No further slice is read after this time (as of `performance.now()`). */
  until: number
}

export type SearchResult = {
  leads: Lead[]
  /** False if the time was over, so that older leads were not searched. */
  isWhole: boolean
}

/** Leads that are read at once. SQLite reads in the main thread, where requests wait meanwhile. */
const sliceSize = 1_000

export class LeadSearch {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Finds the newest leads that have all terms. */
  async findByText(terms: readonly SoughtTerm[], page: SearchPage): Promise<SearchResult> {
    const { way, before = '~', limit, until } = page
    const ids: string[] = []
    let from = before
    for (;;) {
      const end = await this.#endOfSlice(from)
      ids.push(...(await this.#findInSlice(terms, { way, from, end, limit: limit - ids.length })))
      const isWhole = end === ''
      if (isWhole || ids.length === limit || performance.now() > until) {
        return { leads: await this.#leadsOf(ids), isWhole: isWhole || ids.length === limit }
      }
      from = end
      await nextTurn()
    }
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
      await this.#engine.run([['delete from once where id = $1', [fillJob]]])
      return 0
    }
    const notes = Map.groupBy(await notesOf(this.#engine, leads), ({ leadId }) => leadId)
    const texts = leads.map((lead) => {
      const words = (notes.get(lead.id) ?? []).map((note) => note.words)
      return addText(lead, searchTextOf(lead, [...words, lead.visitPlace ?? '']))
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
       order by lead_id desc limit 1 offset ${sliceSize - 1}`,
      [from],
    )
    return String(row?.['lead_id'] ?? '')
  }

  async #findInSlice(
    terms: readonly SoughtTerm[],
    { way, from, end, limit }: { way: SearchWay; from: string; end: string; limit: number },
  ): Promise<string[]> {
    const values: Value[] = [from, end, limit]
    const conditions = terms.map((term) => hasTerm(term, way, values))
    const rows = await this.#engine.read(
      `select lead_id from search_doc where lead_id < $1 and lead_id >= $2
       and ${conditions.join(' and ')} order by lead_id desc limit $3`,
      values,
    )
    return rows.map((row) => String(row['lead_id']))
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

/** Adds the values of the condition that it returns to `values`. */
function hasTerm(
  { texts, isAnywhere, postcodes }: SoughtTerm,
  way: SearchWay,
  values: Value[],
): string {
  const place = (value: Value) => `$${values.push(value)}`
  const isLike = (text: string) => {
    if (way === 'parts')
      return `replace(words, ' ', '') like ${place(`%${text.replaceAll(' ', '')}%`)}`
    return `words like ${place(isAnywhere ? `%${text}%` : `% ${text}%`)}`
  }
  const conditions = texts.map(isLike)
  if (postcodes.length > 0) {
    const own = '(select postcode from lead where id = lead_id)'
    conditions.push(`${own} in (${postcodes.map(place).join(', ')})`)
  }
  return `(${conditions.join(' or ')})`
}
