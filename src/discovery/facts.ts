/** The input of every document, besides the contract. */
import type { Business } from '../contract/business.ts'
import type { Page } from '../site/page.ts'

export type Facts = {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly business: Business
  readonly pages: readonly Page[]
  /** In milliseconds. */
  readonly now: number
}

/** The pages for sitemap and guides, the home page first. */
export function indexedPages({ pages }: Facts): readonly Page[] {
  const indexed = pages.filter((page) => page.indexed)
  const isHome = ({ path }: Page) => path === '/'
  return [...indexed.filter(isHome), ...indexed.filter((page) => !isHome(page))]
}
