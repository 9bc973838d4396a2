/** What is searched for, and how a search begins with the newest documents. */
import type { Row } from './engine/engine.ts'

/** `isStart`: any word that begins so. */
export type SoughtWord = { text: string; isStart: boolean }

/** Ways to read what somebody typed. A lead must have all words of one of them. */
export type Readings = readonly (readonly SoughtWord[])[]

export type Asked = { readings: Readings; before: number; limit: number }

/** How an engine writes a search. */
type Signs = { and: string; or: string; start: string; quote: string }

/** Words hold nothing but letters and digits, so there is nothing to escape. */
export function writeSearch(readings: Readings, { and, or, start, quote }: Signs): string {
  const toWord = ({ text, isStart }: SoughtWord) => quote + text + quote + (isStart ? start : '')
  return readings.map((words) => `(${words.map(toWord).join(and)})`).join(or)
}

/** How many of the newest documents are compared word by word. */
export const compared = { first: 100, widest: 2_500 }

/**
 * Looks at some of the newest documents, then at as many as should fill the page: a word that is
 * common is found among them. One that is rare is left to the other way.
 */
export async function findAmongNewest(
  limit: number,
  ways: {
    first: number
    widest: number
    look(window: number): Promise<Row[]>
    otherwise(): Promise<Row[]>
  },
): Promise<Row[]> {
  const first = await ways.look(ways.first)
  if (first.length >= limit) return first
  const needed = Math.ceil((1.5 * ways.first * limit) / Math.max(first.length, 1))
  const second = needed <= ways.widest ? await ways.look(needed) : []
  return second.length >= limit ? second : ways.otherwise()
}
