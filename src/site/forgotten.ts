/** What a person forgets before a site is public: "content check" and "doctor" name it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { townsOf, type Business } from '../contract/business.ts'
import { businessKinds } from '../contract/business-kinds.ts'
import { foreignCountryOf } from '../contract/phone.ts'
import { agentsPath, comePath, contactPath, privacyPath, thanksPath } from '../contract/routes.ts'
import { newKeys, readBusiness } from './business.ts'
import { filesIn, PublicFiles } from './public-files.ts'
import { dialled } from './ring.ts'
import { coloursOf, exampleFolder, publicFolder, type Site } from './site.ts'
import { readOwnWork, type OwnWork } from './work.ts'

/** What could be read: a part with mistakes is left out, or `undefined`. */
type Parts = { [Part in 'business' | 'work' | 'style']?: Site[Part] | undefined }

/** The service itself does not warn, because its first start shows the example. */
export function findForgotten({ business, work, style }: Parts, contentDir: string): string[] {
  const texts = readTexts(contentDir)
  const example = readBusiness(join(exampleFolder, 'business.yaml'))
  return [
    ...(business ? leftOfExample(business, example) : []),
    ...formerWords(texts),
    ...(work ? inventedWork(work) : []),
    ...(business ? wrongFacts(business) : []),
    ...(business && business.name !== example.name ? foreignWords(business, example, texts) : []),
    ...gapsIn(texts),
    ...bracesIn(contentDir, texts),
    ...missingIn(texts),
    ...sameOrder(texts),
    ...(style === undefined ? [] : faintColours(style)),
  ]
}

type Text = { name: string; lines: readonly string[] }

/** What the owner writes: business.yaml, work.yaml and the pages. */
function readTexts(contentDir: string): Text[] {
  return filesIn(contentDir)
    .filter((name) => /^(?:\w+\.yaml|pages[/\\][^/\\]+\.md)$/.test(name))
    .map((name) => readText(contentDir, name))
}

function readText(contentDir: string, name: string): Text {
  const lines = readFileSync(join(contentDir, name), 'utf8').split('\n')
  return { name: name.replaceAll('\\', '/'), lines }
}

function leftOfExample(business: Business, example: Business): string[] {
  const { contact, privacy, security, registrations, insurance } = business
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
  return left.length > 0 ? [facts] : []
}

/** A file from before these keys goes on saying what it said. */
function formerWords(texts: readonly Text[]): string[] {
  const { lines } = texts.find(({ name }) => name === 'business.yaml')!
  const missing = newKeys.filter((key) => !lines.some((line) => line.startsWith(`${key}:`)))
  if (!missing.includes('country')) return []
  return [
    `business.yaml has no ${missing.join(', ')}: the site speaks of a deck and pergola business in Australia until you add them (docs/content.md)`,
  ]
}

/** Facts that can be read, and that no program or phone understands. */
function wrongFacts({ contact: { phone }, country, trade: { kind } }: Business): string[] {
  const found: string[] = []
  const foreign = foreignCountryOf(phone, country)
  if (foreign !== undefined) {
    found.push(
      `business.yaml: the phone ${phone} is a number of ${foreign}, but country is ${country}`,
    )
  }
  if (kind !== undefined && !businessKinds.has(kind)) {
    found.push(
      `business.yaml: the kind ${kind} is no type of business at https://schema.org/LocalBusiness, so search engines ignore it`,
    )
  }
  return found
}

function inventedWork(work: OwnWork): string[] {
  const example = readOwnWork(exampleFolder, new PublicFiles(publicFolder, exampleFolder))
  const invented = titlesOf(example)
  const left = titlesOf(work).filter((name) => invented.includes(name))
  if (left.length === 0) return []
  return [
    `work.yaml still has jobs or clients of the example: ${left.join('; ')}. Show your own, or none`,
  ]
}

function titlesOf({ jobs = [], clients = [] }: OwnWork): string[] {
  return [...jobs.map(({ title }) => title), ...clients.map(({ name }) => name)]
}

/** Towns and trade of the example in the pages of another business. */
function foreignWords(business: Business, example: Business, texts: readonly Text[]): string[] {
  const { lines: facts } = texts.find(({ name }) => name === 'business.yaml')!
  const own = `${facts.filter((line) => !/^\s*#/.test(line)).join('\n')}\n${business.trade.nouns.join(' ')}`
  const words = [
    ...example.trade.nouns,
    ...example.areas.flatMap(({ name }) => townsOf(name)),
    'Northern Rivers',
    example.owner,
    'Class 2',
  ]
  const foreign = words.filter((word) => !wordPattern(word).test(own))
  return linesWith(texts, (line) => foreign.find((word) => wordPattern(word).test(line))).map(
    ({ at, found }) => `${at} says "${found}", a word of the example`,
  )
}

function wordPattern(word: string): RegExp {
  return new RegExp(String.raw`\b${word}s?\b`, 'i')
}

/** In a page, what is to be filled in stands between brackets; in business.yaml, above its entry. */
function gapsIn(texts: readonly Text[]): string[] {
  return linesWith(texts, (line) => {
    const [, inPage, inNote] = /\[FILL IN: ?([^\]]*)\]|FILL IN: ?(.*)/.exec(line) ?? []
    return inPage ?? inNote
  }).map(({ at, found, next }) => {
    const entry = at.includes('.yaml:') ? /^\s*([\w-]+):/.exec(next)?.[1] : undefined
    return `${at} is still to be filled in: ${entry ? `${entry}, ` : ''}${found}`
  })
}

type Find = (line: string, before: readonly string[]) => string | undefined

/** `next`: the first line after the comment that the line may be part of. */
function linesWith(texts: readonly Text[], find: Find) {
  return texts.flatMap(({ name, lines }) =>
    lines.flatMap((line, index) => {
      const found = find(line, lines.slice(0, index))
      if (found === undefined) return []
      const next = lines.slice(index).find((each) => !/^\s*#/.test(each)) ?? ''
      return [{ at: `${name}:${index + 1}`, found, next }]
    }),
  )
}

/** Placeholders that nothing fills in: of one brace in a page, and all but two in business.yaml and drawings. */
function bracesIn(contentDir: string, texts: readonly Text[]): string[] {
  const inPages = linesWith(
    texts.filter(({ name }) => name.endsWith('.md')),
    (line, before) => (isInFence(before) ? undefined : oneBrace.exec(withoutCode(line))?.[0]),
  ).map(({ at, found }) => `${at} has ${found}: a placeholder has two braces on each side`)
  const inFacts = linesWith(
    texts.filter(({ name }) => name.endsWith('.yaml')),
    (line, before) => {
      const replies = isInReplies(before) ? /\{(?:name|reference)\}/g : /(?!)/g
      return /^\s*#/.test(line) ? undefined : braces.exec(line.replaceAll(replies, ''))?.[0]
    },
  ).map(
    ({ at, found }) =>
      `${at} has ${found}, which nothing fills in: only replies know {name} and {reference}`,
  )
  const drawings = filesIn(join(contentDir, 'public'))
    .filter((name) => name.endsWith('.svg'))
    .map((name) => readText(contentDir, join('public', name)))
  const inDrawings = linesWith(drawings, (line) => braces.exec(line)?.[0]).map(
    ({ at, found }) => `${at} has ${found}, which nothing fills in: write the word itself`,
  )
  return [...inPages, ...inFacts, ...inDrawings]
}

/** `{ref}` and `{{business.name}}`, but no rule of a style sheet and no group of YAML. */
const braces = /\{+ ?[a-z][\w.-]* ?\}+/i
const oneBrace = /(?<!\{)\{ ?[a-z][\w.-]* ?\}(?!\})/i

function withoutCode(line: string): string {
  return line.replaceAll(/`[^`]*`/g, '')
}

function isInFence(before: readonly string[]): boolean {
  return before.filter((line) => /^\s*(?:```|~~~)/.test(line)).length % 2 === 1
}

function isInReplies(before: readonly string[]): boolean {
  return before.findLast((line) => /^\w/.test(line))?.startsWith('replies:') ?? false
}

/** Pages that the program leads to, and what each of them must hold. */
const needed: Readonly<Record<string, string>> = {
  '/index/': '',
  [contactPath]: '{{form}}',
  [thanksPath]: '{{reference}}',
  [privacyPath]: '',
  [agentsPath]: '',
}

/** The program has a page of its own where this one is missing. */
const slots: Readonly<Record<string, string>> = { ...needed, [comePath]: '{{come-answer}}' }

function missingIn(texts: readonly Text[]): string[] {
  return Object.entries(slots).flatMap(([path, slot]) => {
    const file = `pages${path.slice(0, -1)}.md`
    const page = texts.find(({ name }) => name === file)
    if (page === undefined)
      return path in needed ? [`${file} is missing: the program leads to it`] : []
    const holds = slot === '' || page.lines.some((line) => line.trim() === slot)
    return holds ? [] : [`${file} has no line ${slot}`]
  })
}

/** In the menu, pages of one order would stand by the names of their files. */
function sameOrder(texts: readonly Text[]): string[] {
  const inMenu = texts.filter(({ lines }) => lines.some((line) => line.startsWith('label:')))
  const orderOf = ({ lines }: Text) => /^order: *([\d.]+)/m.exec(lines.join('\n'))?.[1]
  return [...Map.groupBy(inMenu, orderOf)].flatMap(([order, pages]) => {
    if (order === undefined || pages.length === 1) return []
    const names = pages.map(({ name }) => name).join(' and ')
    return [`${names} have the same order, ${order}: number them as they stand in the menu`]
  })
}

/** Each colour of text, with a ground that it stands on. */
const pairs = ['ink', 'soft', 'timber']
  .flatMap((text) => ['paper', 'sheet', 'panel'].map((ground) => [text, ground] as const))
  .concat([['on-timber', 'timber']])

const leastContrast = 4.5

function faintColours(style: string): string[] {
  const colours = coloursOf(style)
  return (['light', 'dark'] as const).flatMap((time) =>
    pairs.flatMap(([text, ground]) => {
      const [one, other] = [text, ground].map((name) => lightOf(colours[time].get(name) ?? ''))
      if (one === undefined || other === undefined) return []
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
      if (contrast >= leastContrast) return []
      const when = time === 'light' ? 'by day' : 'by night'
      const words = `a contrast of ${contrast.toFixed(1)} to 1; text is easy to read from ${leastContrast} on`
      return [`style.css: --${text} on --${ground} has ${when} ${words}`]
    }),
  )
}

/** The relative luminance of WCAG 2.2; `undefined` for a colour that is not written as #rrggbb or #rgb. */
function lightOf(colour: string): number | undefined {
  const [, short] = /^#([\da-f]{3})$/i.exec(colour) ?? []
  const full = short ? `#${[...short].map((digit) => digit + digit).join('')}` : colour
  const channels = /^#(..)(..)(..)$/
    .exec(full)
    ?.slice(1)
    .map((hex) => parseInt(hex, 16) / 255)
  const [red = 0, green = 0, blue = 0] = (channels ?? []).map((channel) =>
    channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  )
  return channels && 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
