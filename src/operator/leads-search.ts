/** `lead-intake leads search`: finds leads by words, digits of a phone number or parts of an email. */
import { searchLeads } from '../desk/search.ts'
import { printLeads, pageBefore } from './leads-list.ts'
import { readBusinessOf, withStoreToRead } from './open.ts'

type Options = { limit: number; before?: string; json?: true }

export async function searchForLeads(
  words: readonly string[],
  { limit, before, json }: Options,
): Promise<void> {
  const { leads, next } = await withStoreToRead(async (store, settings) => {
    const { areas } = readBusinessOf(settings)
    const page = { limit, ...(await pageBefore(store, before)) }
    return searchLeads(store, words.join(' '), { ...page, areas })
  })
  await printLeads(leads, { next, ...(json && { json }) })
}
