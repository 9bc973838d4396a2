/** What the documents are written from: the business, its pages and its address. */
import type { Area, Business } from '../contract/business.ts'
import type { Page } from '../site/page.ts'

export type Facts = {
  /** Has no slash at its end. */
  readonly baseUrl: string
  readonly business: Business
  readonly pages: readonly Page[]
}

/** The home page comes first. */
export function indexedPages({ pages }: Facts): readonly Page[] {
  const indexed = pages.filter((page) => page.indexed)
  const isHome = ({ path }: Page) => path === '/'
  return [...indexed.filter(isHome), ...indexed.filter((page) => !isHome(page))]
}

/** "Lismore (2480), Bangalow (2479)" */
export function placesOf({ areas }: Business): string {
  const place = ({ name, postcodes }: Area) =>
    postcodes.length === 0 ? name : `${name} (${postcodes.join(', ')})`
  return areas.map(place).join(', ')
}
