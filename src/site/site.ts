/** Builds the whole site from the content folder: pages, style, files and warnings. */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { Html } from '../html.ts'
import { newKeys, readBusiness } from './business.ts'
import { tellsPlace } from './image-size.ts'
import { layout, type Frame, type FramedPage, type SharedPicture } from './layout.ts'
import type { Page } from './page.ts'
import { namesOfEverySite, readPages } from './pages.ts'
import { PublicFiles, type PublicFile } from './public-files.ts'
import { dialled } from './ring.ts'
import { photosOf, readOwnWork, type OwnWork } from './work.ts'
import { ContentFault, lineAt } from './yaml.ts'

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
  mark: Html
  /** Content-Security-Policy of every page. */
  policy: string
  show: (page: FramedPage) => Html
}

const publicFolder = fileURLToPath(new URL('../../public', import.meta.url))

export function buildSite(contentDir: string, baseUrl: string): Site {
  const files = new PublicFiles(publicFolder, contentDir)
  const business = readBusiness(join(contentDir, 'business.yaml'))
  const work = readOwnWork(contentDir, files)
  const all = readPages({ folder: join(contentDir, 'pages'), business, baseUrl, work, files })
  const missing = all.find(({ name }) => name === namesOfEverySite.missing)!
  const unsent = all.find(({ name }) => name === namesOfEverySite.unsent)!
  const pages = all.filter((page) => page !== missing && page !== unsent)
  const ofProgram = ['base.css', 'site.css'].map((name) =>
    readFileSync(join(publicFolder, name), 'utf8'),
  )
  const mark = readMark(files)
  const style = compactStyle([...ofProgram, readOwnStyle(contentDir)].join('\n'))
  const frame: Frame = {
    business,
    baseUrl,
    navigation: pages.flatMap(({ path, label }) => (label ? [{ path, label }] : [])),
    style,
    paper: paperOf(style),
    mark,
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
    files: files.list,
    mark,
    policy: policyFor(style),
    show: (page) => layout(frame, page),
  }
}

/** Refuses `<`, because every page inlines the style, and `</style>` would end it. */
function readOwnStyle(contentDir: string): string {
  const path = join(contentDir, 'style.css')
  if (!existsSync(path)) return ''
  const style = readFileSync(path, 'utf8')
  const refuse = (pattern: RegExp, problem: string) => {
    const at = style.search(pattern)
    if (at >= 0) throw new ContentFault({ file: path, line: lineAt(style, at), problem })
  }
  refuse(/</, 'a style sheet must not contain <')
  refuse(
    /@import|url\(\s*["']?(?:[a-z]+:)?\/\//i,
    'a style sheet must not load anything from other sites',
  )
  return style
}

/** Inlined in every page, so that it has the colour of the text. */
function readMark(files: PublicFiles): Html {
  const { body } = files.list.find(({ path }) => path === '/drawings/mark.svg')!
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

const exampleFolder = fileURLToPath(new URL('../../content', import.meta.url))

/** The service itself does not warn, because its first start shows the example. */
export function exampleWarnings({ business, work }: Site, contentDir: string): string[] {
  const { contact, privacy, security, registrations, insurance } = business
  const example = readBusiness(join(exampleFolder, 'business.yaml'))
  const emails = [contact, privacy, security].map(({ email }) => email)
  const isLeft = {
    name: business.name === example.name,
    phone: dialled(contact.phone) === dialled(example.contact.phone),
    email: emails.some((email) => email.endsWith('@example.com')),
    ABN: registrations.some(({ number }) => dialled(number) === '00000000000'),
    insurance: insurance !== undefined && insurance === example.insurance,
  }
  const left = Object.entries(isLeft).flatMap(([what, is]) => (is ? [what] : []))
  const facts = `business.yaml still has the example's ${left.join(', ')}: write your own before the site is public`
  return [...(left.length > 0 ? [facts] : []), ...formerWords(contentDir), ...inventedWork(work)]
}

/** A file from before these keys goes on saying what it said. */
function formerWords(contentDir: string): string[] {
  const text = readFileSync(join(contentDir, 'business.yaml'), 'utf8')
  const missing = newKeys.filter((key) => !new RegExp(`^${key}:`, 'm').test(text))
  if (!missing.includes('country')) return []
  return [
    `business.yaml has no ${missing.join(', ')}: the site speaks of a deck and pergola business in Australia until you add them (docs/content.md)`,
  ]
}

function inventedWork(work: OwnWork): string[] {
  const example = readOwnWork(exampleFolder, new PublicFiles(publicFolder, exampleFolder))
  const invented = namesIn(example)
  const left = namesIn(work).filter((name) => invented.includes(name))
  if (left.length === 0) return []
  return [
    `work.yaml still has jobs or clients of the example: ${left.join('; ')}. Show your own, or none`,
  ]
}

function namesIn({ jobs = [], clients = [] }: OwnWork): string[] {
  return [...jobs.map(({ title }) => title), ...clients.map(({ name }) => name)]
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

/** The last rule for `--paper` wins, as in a browser. */
export function paperOf(style: string): Frame['paper'] {
  const paper = { light: '', dark: '' }
  const rules = /(?:@media([^{]*)\{\s*)?:root ?\{[^}]*--paper: ?([^;}]+)/g
  for (const [, media = 'light dark', colour] of style.matchAll(rules)) {
    for (const time of ['light', 'dark'] as const) {
      if (media.includes(time)) paper[time] = colour!.trim()
    }
  }
  return paper
}

/** Shortened, because every page holds the style. */
function compactStyle(style: string): string {
  return style
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .trim()
}
