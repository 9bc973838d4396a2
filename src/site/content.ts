/** Reads and checks content/: the facts of the business and the pages. */
import { join } from 'node:path'
import type { Business } from '../contract/business.ts'
import { documents } from '../contract/documents.ts'
import type { DocumentRow } from '../contract/documents.ts'
import { routes } from '../contract/routes.ts'
import { readBusiness } from './business.ts'
import { ContentFault } from './fault.ts'
import type { Page } from './page.ts'
import { readPages } from './pages.ts'
import type { PublicFiles } from './public-files.ts'

export type Content = {
  business: Business
  /** Without the 404 page, in order of the navigation. */
  pages: readonly Page[]
  /** The 404 page. */
  missing: Page
}

const missingName = '404'

/** Throws a `ContentFault` that says what to fix, and where. */
export function readContent(folder: string, baseUrl: string, files: PublicFiles): Content {
  const business = readBusiness(join(folder, 'business.yaml'))
  const pagesFolder = join(folder, 'pages')
  const all = readPages({ folder: pagesFolder, business, baseUrl, files, otherPaths: otherPaths() })
  const missing = all.find(({ name }) => name === missingName)
  if (missing === undefined) {
    throw new ContentFault(join(pagesFolder, `${missingName}.md`), 1, 'is missing')
  }
  return { business, pages: all.filter((page) => page !== missing), missing }
}

function otherPaths(): Set<string> {
  const rows: readonly DocumentRow[] = Object.values(documents)
  return new Set([
    ...rows.flatMap(({ path, also = [] }) => [path, ...also]),
    routes.lead.path,
    routes.mcp.path,
  ])
}
