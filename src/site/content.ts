/** Reads and checks content/: the facts of the business, the pages, the owner's own style. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { readBusiness } from './business.ts'
import { tellsPlace } from './image-size.ts'
import type { Page } from './page.ts'
import { namesOfEverySite, readPages } from './pages.ts'
import type { PublicFiles } from './public-files.ts'
import { dialled } from './ring.ts'
import { hasWork, photosOf, readWork, workPath, type Work } from './work.ts'
import { ContentFault, lineAt } from './yaml.ts'

export type Content = {
  business: Business
  /** Pages with a path of their own, in order of the navigation. */
  pages: readonly Page[]
  /** The 404 page. */
  missing: Page
  /** The thanks page for a browser that has no reference to show. */
  unsent: Page
  /** Follows the style sheet of the program. */
  ownStyle: string
  /** Sentences for the owner. */
  warnings: readonly string[]
}

/** Throws a `ContentFault` that says what to fix, and where. */
export function readContent(folder: string, baseUrl: string, files: PublicFiles): Content {
  const business = readBusiness(join(folder, 'business.yaml'))
  const work = readWork(folder, files)
  const all = readPages({ folder: join(folder, 'pages'), business, baseUrl, work, files })
  const missing = all.find(({ name }) => name === namesOfEverySite.missing)!
  const unsent = all.find(({ name }) => name === namesOfEverySite.unsent)!
  const pages = all.filter(
    (page) => page !== missing && page !== unsent && (page.path !== workPath || hasWork(work)),
  )
  const warnings = pictureWarnings(work, files)
  return { business, pages, missing, unsent, ownStyle: readOwnStyle(folder), warnings }
}

/** The owner's colours and type follow the style sheet of the program. */
export const ownStyleName = 'style.css'

/** Empty where there is none. The style is inline in every page, so it must not end its element. */
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

/** A phone on a slow line waits for a heavier picture longer than anybody does. */
const heaviestKb = 400

/** Each names a file and says what to do. The site can be shown as it is. */
function pictureWarnings(work: Work, files: PublicFiles): string[] {
  const untitled = photosOf(work).filter(({ alt }) => alt === undefined)
  const photos = files.list.filter(({ path }) => path.startsWith('/photos/'))
  return [
    ...untitled.map(
      ({ photo }) => `work.yaml: ${photo} has no alt: say in a sentence what the picture shows`,
    ),
    ...photos.flatMap(({ path, body }) => {
      const size = Math.round(body.length / 1000)
      const found = [
        files.sizeOf(path) === undefined && 'cannot be read as a picture: save it anew',
        size > heaviestKb && `is heavy (${size} kB): save it with ${heaviestKb} kB or less`,
        tellsPlace(body) && 'tells where it was taken: save it without its location',
      ]
      return found.filter((words) => words !== false).map((words) => `${path.slice(1)} ${words}`)
    }),
    ...files.skippedPhotos.map(
      (name) => `photos/${name} is of a kind that browsers do not show: save it as JPEG or WebP`,
    ),
  ]
}

const exampleFile = fileURLToPath(new URL('../../content/business.yaml', import.meta.url))

/** The facts that are still those of the example, with which every new site begins. Not told by the start: everybody's first start is with the example. */
export function exampleWarnings({ name, contact, privacy, security }: Business): string[] {
  const example = readBusiness(exampleFile)
  const emails = [contact, privacy, security].map(({ email }) => email)
  const left = [
    ...(name === example.name ? ['name'] : []),
    ...(dialled(contact.phone) === dialled(example.contact.phone) ? ['phone'] : []),
    ...(emails.some((email) => email.endsWith('@example.com')) ? ['email'] : []),
  ]
  if (left.length === 0) return []
  return [
    `business.yaml still has the example's ${left.join(', ')}: write your own before the site is public`,
  ]
}
