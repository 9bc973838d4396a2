/** Builds the whole site from the content folder: pages, style, files and warnings. */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { Html } from '../html.ts'
import { readBusiness } from './business.ts'
import { tellsPlace } from './image-size.ts'
import { layout, type Frame, type FramedPage, type SharedPicture } from './layout.ts'
import type { Page } from './page.ts'
import { namesOfEverySite, readPages } from './pages.ts'
import { markPath, PublicFiles, type PublicFile } from './public-files.ts'
import { photosOf, readOwnWork, type OwnWork } from './work.ts'
import { collect, ContentFault, lineAt, type Fault } from './yaml.ts'

export type Site = {
  baseUrl: string
  business: Business
  work: OwnWork
  /** Pages with their own path, in the order of the navigation. */
  pages: readonly Page[]
  missing: Page
  unsent: Page
  warnings: readonly string[]
  files: readonly PublicFile[]
  /** The drawing beside the name of the business, to be inlined. */
  logo: Html
  /** Content-Security-Policy of every page. */
  policy: string
  /** The style sheet of every page. */
  style: string
  show: (page: FramedPage) => Html
}

export const publicFolder = fileURLToPath(new URL('../../public', import.meta.url))
export const exampleFolder = fileURLToPath(new URL('../../content', import.meta.url))

export function buildSite(contentDir: string, baseUrl: string, known?: Business): Site {
  const content = readContent(contentDir, baseUrl, known)
  const { business, work, pages: all, style: ownStyle, files, faults } = content
  if (!business || !work || !all || ownStyle === undefined) throw new ContentFault(...faults)
  const missing = all.find(({ name }) => name === namesOfEverySite.missing)!
  const unsent = all.find(({ name }) => name === namesOfEverySite.unsent)!
  const pages = all.filter((page) => page !== missing && page !== unsent)
  const ofProgram = ['base.css', 'site.css'].map((name) =>
    readFileSync(join(publicFolder, name), 'utf8'),
  )
  const logo = readMark(files)
  const pictured = all.map((page) => page.pictured).join('\n')
  const style = compactStyle([...ofProgram, ownStyle].join('\n'))
  const frame: Frame = {
    business,
    baseUrl,
    navigation: pages.flatMap(({ path, label }) => (label ? [{ path, label }] : [])),
    style,
    paper: paperOf(style),
    mark: logo,
    share: findShare(files),
  }
  return {
    baseUrl,
    business,
    work,
    pages,
    missing,
    unsent,
    warnings: pictureWarnings(work, files),
    files: files.list.filter(({ path }) => !files.isSpare(path) || pictured.includes(path)),
    logo,
    policy: policyFor(style),
    style,
    show: (page) => layout(frame, page),
  }
}

/** What has mistakes is `undefined`; `faults` names them. */
export type FoundContent = {
  business: Business | undefined
  work: OwnWork | undefined
  pages: readonly Page[] | undefined
  /** The owner's style sheet. */
  style: string | undefined
  files: PublicFiles
  faults: readonly Fault[]
}

/** Reads on after a mistake, so that all mistakes of all files are named at once. */
export function readContent(contentDir: string, baseUrl: string, known?: Business): FoundContent {
  const files = new PublicFiles(publicFolder, contentDir)
  const faults: Fault[] = []
  const business = known ?? collect(faults, () => readBusiness(join(contentDir, 'business.yaml')))
  const work = collect(faults, () => readOwnWork(contentDir, files))
  const style = collect(faults, () => readOwnStyle(contentDir))
  const parts = {
    folder: join(contentDir, 'pages'),
    // Whether a placeholder is known does not depend on the facts of the business.
    business: business ?? readBusiness(join(exampleFolder, 'business.yaml')),
    work: work ?? {},
    baseUrl,
    files,
  }
  const pages = collect(faults, () => readPages(parts))
  return { business, work, pages, style, files, faults }
}

/** Refuses `<`, because every page inlines the style, and `</style>` would end it. */
function readOwnStyle(contentDir: string): string {
  const path = join(contentDir, 'style.css')
  if (!existsSync(path)) return ''
  const style = readFileSync(path, 'utf8')
  const faults: Fault[] = []
  const refuse = (pattern: RegExp, problem: string) => {
    const at = style.search(pattern)
    if (at >= 0) faults.push({ file: path, line: lineAt(style, at), problem })
  }
  refuse(/</, 'a style sheet must not contain <')
  refuse(
    /@import|url\(\s*["']?(?:[a-z]+:)?\/\//i,
    'a style sheet must not load anything from other sites',
  )
  if (faults.length > 0) throw new ContentFault(...faults)
  return style
}

/** Inlined in every page, so that it has the colour of the text. */
function readMark(files: PublicFiles): Html {
  const { body } = files.list.find(({ path }) => path === markPath)!
  return new Html(body.toString().replace(' xmlns="http://www.w3.org/2000/svg"', '').trim())
}

/** On a slow connection, a larger photo takes too long for most people. */
const heaviestKb = 400

function pictureWarnings(work: OwnWork, files: PublicFiles): string[] {
  const untitled = photosOf(work).filter(({ alt }) => alt === undefined)
  const photos = files.list.filter(({ path }) => path.startsWith('/photos/'))
  return [
    ...untitled.map(
      ({ photo }) => `work.yaml: ${photo} has no alt: say in a sentence what the picture shows`,
    ),
    ...photos.flatMap(({ path, body }) => {
      const size = Math.round(body.length / 1000)
      const found = [
        files.sizeOf(path) === undefined && 'cannot be read as a picture: save it again',
        size > heaviestKb && `is heavy (${size} kB): save it with ${heaviestKb} kB or less`,
        tellsPlace(body) && 'shows where it was taken: save it without its location',
      ]
      return found.filter((words) => words !== false).map((words) => `${path.slice(1)} ${words}`)
    }),
    ...files.skippedPhotos.map(
      (name) =>
        `photos/${name} is a kind of file that browsers do not show: save it as JPEG or WebP`,
    ),
  ]
}

/** The owner's share.jpg comes before the program's share.png. */
const sharePaths = ['/share.jpg', '/share.png']

function findShare(files: PublicFiles): SharedPicture | undefined {
  for (const path of sharePaths) {
    const size = files.sizeOf(path)
    if (size !== undefined) return { path, ...size }
  }
  return undefined
}

function policyFor(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "img-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

type Time = 'light' | 'dark'

/** The colours that the style names, by day and by night. The last rule wins, as in a browser. */
export function coloursOf(style: string): Record<Time, ReadonlyMap<string, string>> {
  const rules = [...style.matchAll(/(?:@media([^{]*)\{\s*)?:root ?\{([^}]*)\}/g)]
  const at = (time: Time) => {
    const own = rules.filter(([, media = time]) => media.includes(time))
    const all = own.flatMap(([, , rule]) => [...rule!.matchAll(/--([\w-]+): ?([^;]+)/g)])
    return new Map(all.map(([, name, colour]) => [name!, colour!.trim()]))
  }
  return { light: at('light'), dark: at('dark') }
}

export function paperOf(style: string): Frame['paper'] {
  const { light, dark } = coloursOf(style)
  return { light: light.get('paper') ?? '', dark: dark.get('paper') ?? '' }
}

/** Shortened, because every page holds the style. */
function compactStyle(style: string): string {
  return style
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .trim()
}
