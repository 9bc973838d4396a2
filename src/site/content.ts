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
  /** What the owner should look at. */
  warnings: readonly string[]
}

const missingName = '404'
const unsentName = 'thanks-unsent'

/** Throws a `ContentFault` that says what to fix, and where. */
export function readContent(folder: string, baseUrl: string, files: PublicFiles): Content {
  const business = readBusiness(join(folder, 'business.yaml'))
  const work = readWork(folder, files)
  const pagesFolder = join(folder, 'pages')
  const all = readPages({
    folder: pagesFolder,
    business,
    baseUrl,
    work,
    files,
    otherPaths: otherPaths(),
  })
  const pageNamed = (name: string): Page => {
    const found = all.find((page) => page.name === name)
    if (found !== undefined) return found
    throw new ContentFault(join(pagesFolder, `${name}.md`), 1, 'is missing')
  }
  const missing = pageNamed(missingName)
  const unsent = pageNamed(unsentName)
  const pages = all.filter(
    (page) => page !== missing && page !== unsent && (page.path !== workPath || hasWork(work)),
  )
  const warnings = contentWarnings({ business, work, files, pages })
  return { business, pages, missing, unsent, warnings }
}

function otherPaths(): Set<string> {
  const rows: readonly DocumentRow[] = Object.values(documents)
  return new Set([
    ...rows.flatMap(({ path, also = [] }) => [path, ...also]),
    routes.lead.path,
    routes.mcp.path,
  ])
}
