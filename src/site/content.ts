/** Reads and checks content/: the facts of the business and the pages. */
import { join } from 'node:path'
import type { Business } from '../contract/business.ts'
import { documents } from '../contract/documents.ts'
import type { DocumentRow } from '../contract/documents.ts'
import { routes } from '../contract/routes.ts'
import { readBusiness } from './business.ts'
import { readOwnStyle } from './own-style.ts'
import type { Page } from './page.ts'
import { namesOfEverySite, readPages } from './pages.ts'
import type { PublicFiles } from './public-files.ts'
import { contentWarnings } from './warnings.ts'
import { workPath } from './work-blocks.ts'
import { hasWork, readWork } from './work.ts'

export type Content = {
  business: Business
  /** Those with a path of their own, in order of the navigation. */
  pages: readonly Page[]
  /** The 404 page. */
  missing: Page
  /** The thanks page for a browser that has no reference to show. */
  unsent: Page
  /** Follows the style sheet of the program. */
  ownStyle: string
  /** What the owner should look at. */
  warnings: readonly string[]
}

/** Throws a `ContentFault` that says what to fix, and where. */
export function readContent(folder: string, baseUrl: string, files: PublicFiles): Content {
  const business = readBusiness(join(folder, 'business.yaml'))
  const work = readWork(folder, files)
  const all = readPages({
    folder: join(folder, 'pages'),
    business,
    baseUrl,
    work,
    files,
    otherPaths: otherPaths(),
  })
  const missing = all.find(({ name }) => name === namesOfEverySite.missing)!
  const unsent = all.find(({ name }) => name === namesOfEverySite.unsent)!
  const pages = all.filter(
    (page) => page !== missing && page !== unsent && (page.path !== workPath || hasWork(work)),
  )
  const warnings = contentWarnings({ business, work, files, pages })
  return { business, pages, missing, unsent, ownStyle: readOwnStyle(folder), warnings }
}

function otherPaths(): Set<string> {
  const rows: readonly DocumentRow[] = Object.values(documents)
  return new Set([
    ...rows.flatMap(({ path, also = [] }) => [path, ...also]),
    routes.lead.path,
    routes.mcp.path,
  ])
}
