/** Reads and checks content/: the facts of the business, the pages, the owner's own style. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Business } from '../contract/business.ts'
import { documentRows } from '../contract/documents.ts'
import { routes } from '../contract/routes.ts'
import { readBusiness } from './business.ts'
import type { Page } from './page.ts'
import { namesOfEverySite, readPages } from './pages.ts'
import type { PublicFiles } from './public-files.ts'
import { contentWarnings } from './warnings.ts'
import { hasWork, readWork, workPath } from './work.ts'
import { ContentFault, lineAt } from './yaml.ts'

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
    otherPaths,
  })
  const missing = all.find(({ name }) => name === namesOfEverySite.missing)!
  const unsent = all.find(({ name }) => name === namesOfEverySite.unsent)!
  const pages = all.filter(
    (page) => page !== missing && page !== unsent && (page.path !== workPath || hasWork(work)),
  )
  const warnings = contentWarnings({ business, work, files, pages })
  return { business, pages, missing, unsent, ownStyle: readOwnStyle(folder), warnings }
}

const otherPaths = new Set<string>([
  ...documentRows.flatMap(({ path, also = [] }) => [path, ...also]),
  routes.lead.path,
  routes.mcp.path,
])

/** The owner's colours and type follow the style sheet of the program. */
export const ownStyleName = 'style.css'

/** Empty where there is none. It is put inline into every page, so it must not end its element. */
export function readOwnStyle(folder: string): string {
  const path = join(folder, ownStyleName)
  if (!existsSync(path)) return ''
  const style = readFileSync(path, 'utf8')
  const refuse = (pattern: RegExp, problem: string) => {
    const at = style.search(pattern)
    if (at >= 0) throw new ContentFault({ file: path, line: lineAt(style, at), problem })
  }
  refuse(/</, 'a style sheet holds no <')
  refuse(/@import|url\(\s*["']?(?:[a-z]+:)?\/\//i, 'nothing is loaded from other sites')
  return style
}
