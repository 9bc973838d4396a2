/** The values of placeholders: facts such as `{{business.name}}`, and blocks such as `{{hours}}`. */
import { listsPostcodes, papersOf, type Business } from '../contract/business.ts'
import { documentRows } from '../contract/documents.ts'
import { fields, trapName } from '../contract/fields.ts'
import {
  formCookieMs,
  hardLimit,
  heldLimit,
  keyKeptMs,
  maxBodyBytes,
  repeatWindowMs,
  softLimit,
  unlistedLimits,
} from '../contract/limits.ts'
import { inKibibytes, inThousands } from '../words.ts'
import { receiptMessages } from '../contract/receipt.ts'
import { apiVersion, removalNotice, routes } from '../contract/routes.ts'
import { wordsOf } from '../contract/wording.ts'
import { dayMs, durationInWords, hoursInWords, minuteMs } from '../time.ts'
import { comeBlock } from './come.ts'
import { markdownList, markdownTable, type FindBlock, type PageBlock } from './markdown.ts'
import { slotMark } from './page.ts'
import type { PublicFiles } from './public-files.ts'
import { askBlock, dialled, ringBlock } from './ring.ts'
import { cardList, workBlocks, type Card, type OwnWork } from './work.ts'

export function factsFor(business: Business, baseUrl: string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({
      'business.name': business.name,
      'business.owner': business.owner,
      'business.summary': business.summary,
      'business.region': business.region,
      'business.state': business.state ?? '',
      'trade.is': business.trade.is,
      'trade.about': business.trade.about,
      'asks.one': business.asksFor.one,
      'asks.many': business.asksFor.many,
      'business.answers': business.answers ?? '',
      'business.phone': business.contact.phone,
      'business.tel': dialled(business.contact.phone),
      'business.email': business.contact.email,
      'privacy.email': business.privacy.email,
      'security.email': business.security.email,
      base_url: baseUrl,
      'api.version': apiVersion,
      'api.notice': removalNotice,
      'receipt.statuses': statusesInWords(),
      'fields.sent': fieldsInWords(business),
      ...limitsInWords,
    }),
  )
}

function statusesInWords(): string {
  return inList(
    Object.keys(receiptMessages).map((status) => `\`${status}\``),
    'or',
  )
}

/** "name and email and, if you give them, phone and message": what a privacy page says is collected. */
function fieldsInWords(business: Business): string {
  const say = wordsOf(business)
  const named = (isRequired: boolean) => {
    const own = fields.filter(({ required }) => required === isRequired)
    return own.map(({ ownerLabel }) => say<string>(ownerLabel).toLowerCase())
  }
  return `${inList(named(true))} and, if you give them, ${inList(named(false))}`
}

function inList(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(` ${last} `)
}

const { fields: mostFields, bytes: mostBytes, depth: mostLevels } = unlistedLimits

const limitsInWords = {
  'limit.body': inKibibytes(maxBodyBytes),
  'limit.soft': `${softLimit.leads} leads in ${minutes(softLimit.windowMs)}`,
  'limit.hard': `${hardLimit.requests} requests in ${minutes(hardLimit.windowMs)}`,
  'limit.held': `${heldLimit.bytes / 1_000_000} MB in ${heldLimit.windowMs / dayMs} day`,
  'limit.key': `${keyKeptMs / dayMs} days`,
  'limit.repeat': minutes(repeatWindowMs),
  'limit.form': durationInWords(formCookieMs),
  'limit.unlisted': `${mostFields} fields, ${inKibibytes(mostBytes)} as JSON, ${mostLevels} levels deep`,
}

function minutes(ms: number): string {
  const count = ms / minuteMs
  return count === 1 ? 'one minute' : `${count} minutes`
}

export type BlockParts = {
  business: Business
  work: OwnWork
  files: PublicFiles
  /** The pages in the navigation. */
  navigation: readonly { path: string; label: string; description: string }[]
  cardOf: (page: string) => Card | undefined
}

export function createBlocks(parts: BlockParts): FindBlock {
  const { business, work, files, navigation, cardOf } = parts
  const fixed: Readonly<Record<string, PageBlock>> = {
    ...workBlocks(work, files),
    ask: askBlock(business),
    ring: ringBlock(business),
    form: { markdown: howToSend(business), html: slotMark('form') },
    reference: { markdown: slotMark('reference'), html: slotMark('reference') },
    come: comeBlock(business),
    'come-answer': { markdown: slotMark('come'), html: slotMark('come') },
    papers: { markdown: markdownList(papersOf(business).map(paperInMarkdown)) },
    does: { markdown: markdownList(business.does) },
    'does-not': { markdown: markdownList(business.doesNot) },
    areas: { markdown: areasInMarkdown(business) },
    hours: {
      markdown: markdownTable(
        ['Days', 'Hours'],
        business.hours.map((hours) => Object.values(hoursInWords(hours))),
      ),
    },
    pages: {
      markdown: markdownList(
        navigation.map(({ path, label, description }) => `[${label}](${path}): ${description}`),
      ),
    },
    fields: { markdown: fieldTable(business) },
    documents: {
      markdown: `${wordsOf(business)(documentRows)
        .map(({ path, title }) => `[${title}](${path})`)
        .join(', ')}.`,
    },
  }
  return (name, argument) => {
    if (name === 'cards') return cards(argument, cardOf)
    return argument === '' && Object.hasOwn(fixed, name) ? fixed[name] : undefined
  }
}

function paperInMarkdown({ words, link }: { words: string; link?: string | undefined }): string {
  return link === undefined ? words : `[${words}](${link})`
}

function areasInMarkdown({ areas }: Business): string {
  if (!listsPostcodes(areas)) return markdownList(areas.map(({ name }) => name))
  const rows = areas.map(({ name, postcodes }) => [name, postcodes.join(', ')])
  return markdownTable(['Area', 'Postcodes'], rows)
}

function howToSend(business: Business): string {
  return [
    `Send \`POST ${routes.lead.path}\` as JSON or as a form, with these fields:`,
    '',
    fieldTable(business),
    '',
    'The API description has every detail: [openapi.json](/openapi.json).',
  ].join('\n')
}

function fieldTable(business: Business): string {
  const rows = wordsOf(business)(fields).map(({ name, required, maxLength, description }) => [
    `\`${name}\``,
    required ? 'required' : 'optional',
    inThousands(maxLength),
    description,
  ])
  const trap = [`\`${trapName}\``, 'leave it out', '0', 'A trap for bots.']
  return markdownTable(['Field', 'Needed', 'Longest', 'Meaning'], [...rows, trap])
}

/** `{{cards decks, pergolas}}`. `undefined`: a page or its drawing is missing. */
function cards(names: string, cardOf: BlockParts['cardOf']): PageBlock | undefined {
  const found = names.split(',').flatMap((name) => cardOf(name.trim()) ?? [])
  if (found.length < names.split(',').length) return undefined
  return {
    markdown: markdownList(found.map(({ path, title, text }) => `[${title}](${path}): ${text}`)),
    html: cardList(found).text,
  }
}
