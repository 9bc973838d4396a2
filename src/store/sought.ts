/** What is searched for, as both engines are asked for it. */
import { columns } from './rows.ts'

/** `isStart`: any word that begins so. */
export type SoughtWord = { text: string; isStart: boolean }

/** Ways to read what somebody typed. A lead must have all words of one of them. */
export type Readings = readonly (readonly SoughtWord[])[]

export type Asked = { readings: Readings; before: number; limit: number }

/** How an engine writes a search. */
type Signs = { and: string; or: string; start: string; quote: string; before?: string }

/** Words hold nothing but letters and digits, so there is nothing to escape. */
export function writeSearch(readings: Readings, signs: Signs): string {
  const { and, or, start, quote, before = '' } = signs
  const toWord = ({ text, isStart }: SoughtWord) =>
    quote + before + text + quote + (isStart ? start : '')
  return readings.map((words) => `(${words.map(toWord).join(and)})`).join(or)
}

/** The leads of the documents that a select finds (`doc`, `lead_id`), newest first. */
export function leadsOf(found: string): string {
  return `with found as materialized (${found})
    select ${columns} from found cross join lead where lead.id = found.lead_id
    order by found.doc desc`
}
