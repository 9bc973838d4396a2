import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { normaliseText } from '../../src/contract/check-fields.ts'
import { fieldKeys } from '../../src/contract/fields.ts'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import type { NewLead } from '../../src/store/leads/rows.ts'
import { leadAt } from '../support/desk.ts'
import { openInbox, robin, type TestBrowser, type TestInbox } from '../support/inbox.ts'

const listed = JSON.parse(
  readFileSync(new URL('../data/naughty-strings.json', import.meta.url), 'utf8'),
) as string[]

const hostile = [
  ...listed,
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</bdi></textarea></title><script>alert(1)</script>',
  '<base href=//evil.example.net>',
  'javascript:alert(1)',
  '\u202egnp.exe\u202c \u2066x',
  'nul\0nul',
  '\0',
].map((text) => text.toWellFormed())

/** The tags and texts of all pages about one lead. */
type Shape = { tags: Set<string>; pages: string[] }

test('naughty strings in every field, user agent, agent name, mail answer, note and member make nothing [inbox.text]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const innocent = await lookAtAll(inbox, browser, 0, ['deck'])
  const size = Math.ceil(hostile.length / 12)
  for (let chunk = 0; chunk < 12; chunk += 1) {
    const texts = hostile.slice(chunk * size, (chunk + 1) * size)
    const { tags, pages } = await lookAtAll(inbox, browser, chunk + 1, texts)
    assert.deepEqual(
      [...tags].filter((tag) => !innocent.tags.has(tag)),
      [],
    )
    // A field keeps what was typed into it.
    const shown = pages.join('').replaceAll(/<textarea[^]*?<\/textarea>/g, '')
    assert.doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069]/)
  }
  assert.ok(innocent.tags.size > 50)
})

async function lookAtAll(
  inbox: TestInbox,
  browser: TestBrowser,
  minute: number,
  texts: readonly string[],
): Promise<Shape> {
  const { store, clock } = inbox
  const typed = texts.join(' ')
  // The doors normalise every text.
  const kept = texts.map(normaliseText)
  const all = normaliseText(typed)
  const lead = leadAt(minute, valuesOf(minute, all, kept), {
    unlisted: JSON.stringify({
      ...Object.fromEntries(kept.map((text) => [text, text])),
      all,
      list: kept,
    }),
    botcheck: all,
    agent: all,
    userAgent: all,
    state: 'held',
    judgement: { score: 60, reasons: ['links', 'trap'] },
    deliverTo: ['mail'],
  })
  await store.leads.keep(lead)
  const pages = [await browser.get('/inbox/?view=held')]
  const post = async (act: Parameters<typeof actPath>[1], fields: Record<string, string> = {}) =>
    browser.post(actPath(lead.id, act), {
      version: String((await store.leads.find(lead.id))!.version),
      ...fields,
    })
  pages.push(await browser.get(leadPath(lead.id, { view: 'held' })))
  pages.push(await post('move', { to: 'new' }))
  // Both have the bar, which the next press ends.
  for (const path of [paths.list, leadPath(lead.id)]) pages.push(await browser.get(path))
  await answerEmail(inbox, all)
  pages.push(await post('note', { words: typed.slice(0, 4_000) }))
  pages.push(await post('note', { words: typed.padEnd(5_000, 'x') }))
  pages.push(await post('move', { to: 'spam', version: 'old' }))
  for (const path of [
    paths.list,
    '/inbox/?view=all',
    leadPath(lead.id),
    actPath(lead.id, 'erase'),
  ]) {
    pages.push(await browser.get(path))
  }
  assert.ok(pages.every(({ status }) => status < 500))
  // The next one is alone in its tab.
  await post('move', { to: 'not_suitable' })
  clock.now += 1
  const shown = pages.map(({ text }) => text)
  return { pages: shown, tags: new Set(shown.flatMap(tagsIn)) }
}

function valuesOf(minute: number, all: string, texts: readonly string[]): NewLead['values'] {
  const email = `${texts[0]!.replaceAll('@', '')}@example.com`
  const phone = `0491 570 ${100 + minute} ${texts[0]!.replaceAll(/[\d+]/g, '')}`
  const everywhere = Object.fromEntries(fieldKeys.map((key) => [key, all])) as NewLead['values']
  return { ...everywhere, email, phone }
}

async function answerEmail({ store, clock }: TestInbox, answer: string): Promise<void> {
  const now = clock.now
  const leases = await store.deliveries.lease({
    channel: 'mail',
    now,
    leaseUntil: now + 1,
    limit: 9,
  })
  for (const leased of leases) {
    const note = { at: now, outcome: answer, answer, ms: 1 }
    await store.deliveries.finish(leased, { ending: { kind: 'delivered' }, at: now, note })
  }
}

/** Every tag with the names of its attributes. Any text is escaped, so a sign is one of ours. */
function tagsIn(page: string): string[] {
  return (page.match(/<[^>]*>?/g) ?? []).map((tag) => {
    assert.match(
      tag,
      /^<(?:!DOCTYPE html|\/?[a-z][a-z0-9]*(?:\s+[a-zA-Z-]+(?:="[^"<>']*")?)*\/?)>$/,
    )
    for (const [, link = ''] of tag.matchAll(/\s(?:href|src|action|formaction)="([^"]*)"/g)) {
      assert.match(link.replaceAll('&#39;', "'"), links, tag)
    }
    return tag.replaceAll(/="[^"]*"/g, '')
  })
}

const allowedLinks = [
  /\/inbox\/[\w/.?=&;#-]*|\/favicon\.svg|\/apple-touch-icon\.png|\/photos\.js|#\w+/,
  /(?:tel|sms):\+?\d+(?:\?body=[\w%.!~*'()-]+)?/,
  /mailto:[^:/]*@example\.com\?subject=[\w%-]+(?:&amp;body=[\w%.!~*'()-]+)?/,
  // Addresses in messages and notes.
  /mailto:[\w.+-]+@[\w.-]+/,
  /https?:\/\/[\w.-]+(?::\d+)?(?:[/?#][\w.~:/?#[\]@!$&()*+,;=%-]*)?/,
  /https:\/\/www\.google\.com\/maps\/search\/\?api=1&amp;query=[^:/&]*/,
]
const links = new RegExp(`^(?:${allowedLinks.map(({ source }) => source).join('|')})$`)
