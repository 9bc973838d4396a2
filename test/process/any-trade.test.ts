import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { leadIntake, signIn } from '../support/operator.ts'
import { temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { openMailSink, parseEmail, type MailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

type Business = {
  answers: string[]
  /** What the owner changes in business.yaml by docs/content.md. */
  edits: [from: RegExp, to: string][]
  asks: string
  sentence: RegExp
  postcode: string
  phone: string
  dialled: string
  zone: string
}

const blockOf = (key: string) => new RegExp(`^${key}:\\n(?: .*\\n)+`, 'm')

const smell = 'Smell gas? Ring the emergency line first.'

const hollis: Business = {
  answers: [
    '--name=Hollis Plumbing',
    '--owner=Jo',
    '--trade=plumber',
    '--country=GB',
    '--town=Bristol',
  ],
  edits: [
    [/nouns: .*/, 'nouns: [plumber, boiler, leak] # sought'],
    [/# verb: .*/, 'verb: [repair, repairs, repaired, repairing] # as I say it'],
    [/# what: .*/, 'what: pipes and boilers'],
    [blockOf('asksFor'), 'asksFor:\n  one: a call-out\n  many: call-outs\n'],
    [blockOf('hours'), "hours: always\nmorning: '07:00'\n"],
    [/# notice: .*/, `notice: ${smell}`],
    [blockOf('areas'), "areas:\n  - name: Bristol\n    postcodes: ['BS1', 'BS2', 'BS3']\n"],
    [
      /# registrations:\n(?:# .*\n)+/,
      "registrations:\n  - label: Gas Safe\n    number: '000000'\n",
    ],
    [blockOf('does'), 'does:\n  - Leaks and burst pipes\n  - Boilers and radiators\n'],
  ],
  asks: 'a call-out',
  sentence: /I am a plumber in Bristol/,
  postcode: 'BS1 4DJ',
  phone: '07700 900123',
  dialled: '07700900123',
  zone: 'Europe/London',
}

const tuner: Business = {
  answers: [
    '--name=Aroha Pianos',
    '--owner=Aroha',
    '--trade=piano tuner',
    '--country=New Zealand',
    '--town=Wellington',
  ],
  edits: [
    [/^summary: .*/m, 'summary: I tune pianos around the harbour.'],
    [blockOf('does'), 'does:\n  - Tuning of upright and grand pianos\n'],
  ],
  asks: 'a Consultation',
  sentence: /I tune pianos around the harbour/,
  postcode: 'Lower Hutt',
  phone: '021 123 4567',
  dialled: '0211234567',
  zone: 'Pacific/Auckland',
}

for (const [name, business] of Object.entries({ hollis, tuner })) {
  test(`${name}: a site from init says nothing of the example, and each door takes a lead`, async (t) => {
    const site = await openSite(t, business)
    const found = await crawl(site.url)
    assert.ok(found.size > 25, [...found.keys()].join())
    const guide = found.get('/llms.txt')!
    assert.match(guide, business.sentence)

    const receipt = await sendByEachDoor(site.url, business)
    found.set('a form that lacks a name', await failedForm(site.url))
    found.set('MCP', await askMcp(site.url))
    found.set('/consult.mjs', await (await fetch(`${site.url}/consult.mjs`)).text())
    found.set('an answer to a postcode', await askWhetherIn(site.url, business.postcode))
    for (const path of ['/thanks/', '/nothing/', receipt]) {
      for (const accept of ['text/html', 'text/markdown', 'application/json']) {
        const answer = await fetch(site.url + path, { headers: { accept } })
        found.set(`${path} as ${accept}`, await answer.text())
      }
    }
    // An email may come twice: on a slow machine the service gives up an answer that was on its way.
    const messages = () =>
      new Set(site.mails.emails.map((email) => /^Message-ID:.*/im.exec(email.raw)?.[0]))
    await until(() => messages().size >= 2 * 5, 'all emails of five doors')
    for (const email of site.mails.emails) {
      const { subject = '', text = '', html = '' } = await parseEmail(email)
      found.set(`email ${found.size}`, `${subject}\n${text}\n${html}`)
    }
    const cookie = await signIn(site, site)
    for (const [path, text] of await crawl(site.url, ['/inbox/', '/inbox/?view=all'], cookie)) {
      found.set(path, text)
    }
    found.set('export', await exportOf(site.url, cookie))
    const stiff =
      /24 hours|I am a piano tuner|I repair:|Where I repair|once a visit is|Bristol: Bristol/g
    const heard = [...found].flatMap(([path, text]) =>
      wordsAround(text, stiff).map((hit) => `${path}: ${hit}`),
    )
    assert.deepEqual(heard, [])
    if (business === hollis) {
      for (const path of ['/', '/index.md', '/contact.md', '/llms.txt', '/llms-full.txt', 'MCP']) {
        assert.ok(found.get(path)!.includes(smell), path)
      }
      assert.match(guide, /By phone: 07700 900123, day and night\./)
    } else {
      assert.match(found.get('/contact/')!, townField)
      for (const path of ['/contact.md', '/llms.txt', '/cli.md', 'MCP']) {
        assert.match(found.get(path)!, /Town or postcode/, path)
      }
      assert.match(found.get('/privacy.md')!, /phone, town or postcode and message/)
      assert.match(found.get('MCP')!, /which areas it serves/)
      const named = [...found].filter(([path]) => /^(?:email|\/inbox\/lead)/.test(path))
      const places = named.filter(([, text]) => /Town or postcode(?:: |<)/.test(text))
      const paths = named.map(([path]) => path).join()
      assert.ok(places.length >= 2 * 5, `the email and the inbox about five requests: ${paths}`)
      assert.deepEqual(
        named.flatMap(([, text]) => wordsAround(text, /Postcode(?::|<)/g)),
        [],
      )
    }
    const drawings = [...found].filter(([path]) => path.startsWith('/drawings/'))
    assert.deepEqual(drawings, [])
    assert.equal((await fetch(`${site.url}/drawings/deck.svg`)).status, 404)
    const requests = [...found].filter(([path]) => path.startsWith('/inbox/lead/'))
    assert.ok(requests.some(([, text]) => text.includes(`href="tel:${business.dialled}"`)))
    assert.ok(requests.some(([, text]) => text.includes(`href="sms:${business.dialled}"`)))
    assert.ok(requests.some(([, text]) => text.includes(business.postcode)))
    const hits = [...found].flatMap(([path, text]) =>
      foreignIn(text).map((hit) => `${path}: ${hit}`),
    )
    assert.deepEqual(hits, [])
    if (business.asks !== 'a Consultation') {
      const asked = [...found].flatMap(([path, text]) =>
        wordsAround(text, /\bConsultations?\b/g).map((hit) => `${path}: ${hit}`),
      )
      assert.deepEqual(asked, [])
    }
  })
}

/** A town is typed with the keys of letters, and a browser fills in a town. */
const townField =
  /name="text_1" autocomplete="address-level2"(?! inputmode)[^>]*description="Town or postcode\."/

async function openSite(t: TestContext, business: Business) {
  const folder = join(temporaryFolder(t), 'site')
  const dataDir = join(folder, 'data')
  const made = await leadIntake({ dataDir }, [
    'init',
    folder,
    '--yes',
    `--phone=${business.phone}`,
    ...business.answers,
  ])
  assert.equal(made.code, 0, made.error)
  const contentDir = join(folder, 'content')
  fillIn(contentDir, business)
  const checked = await leadIntake({ dataDir }, ['content', 'check'], { CONTENT_DIR: contentDir })
  assert.doesNotMatch(checked.out, /warning|failed/)
  const mails = await openMailSink(t)
  const env = {
    CONTENT_DIR: contentDir,
    BASE_URL: 'http://localhost:4000',
    SMTP_URL: mails.url,
    OWNER_EMAIL: 'jo@hollis.test',
    MAIL_FROM: 'jo@hollis.test',
    CONFIRM_TO_SENDER: 'on',
  }
  const service = await startServiceHere(t, { dataDir, env })
  return { dataDir, mails, url: service.url, port: service.port } satisfies Site
}

type Site = { dataDir: string; mails: MailSink; url: string; port: number }

function fillIn(contentDir: string, { edits }: Business): void {
  const change = (name: string, all: [RegExp, string][]) => {
    const path = join(contentDir, name)
    let text = readFileSync(path, 'utf8')
    for (const [from, to] of all) {
      assert.match(text, from, name)
      text = text.replace(from, to)
    }
    writeFileSync(path, text)
  }
  change('business.yaml', [
    ...edits,
    [/owner@example\.com/g, 'jo@hollis.test'],
    [/FILL IN:.*/g, ''],
  ])
  change('pages/about.md', [[/\[FILL IN:.*\]/, 'I have done this for years.']])
  change('pages/privacy.md', [[/\[FILL IN:.*?\]/, 'They are in this country.']])
}

/** Follows links from the home page or, signed in, from the inbox. Queries of lists are one page each. */
async function crawl(url: string, from = ['/'], cookie = ''): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const waiting = [...from]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || found.size > 150) continue
    const answer = await fetch(url + path, { headers: { accept: 'text/html', cookie } })
    const type = answer.headers.get('content-type') ?? ''
    if (!/text|json|yaml|xml|javascript|calendar|csv/.test(type)) continue
    const text = await answer.text()
    found.set(path, text)
    const inside = cookie === '' ? /^\/(?!inbox)/ : /^\/inbox\/(?!sign-out)/
    const links = [...text.matchAll(/ (?:href|src)="([^"]+)"|\]\(([^)\s]+)\)/g)]
    for (const [, inHtml = '', inMarkdown = inHtml] of links) {
      const to = inMarkdown
        .replaceAll('&amp;', '&')
        .replace('http://localhost:4000', '')
        .replace(/#.*/, '')
      if (inside.test(to)) waiting.push(to)
    }
  }
  return found
}

/** Returns the path of a receipt. */
async function sendByEachDoor(url: string, { postcode, phone }: Business): Promise<string> {
  const lead = (name: string) => ({
    name_1: name,
    email_1: `${name.toLowerCase()}@customers.test`,
    phone_1: phone,
    text_1: postcode,
    textarea_1: `Please come. ${name}`,
  })
  const json = { 'content-type': 'application/json' }
  const post = async (name: string, headers: Record<string, string>) => {
    const answer = await fetch(`${url}/api/lead`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(lead(name)),
    })
    assert.equal(answer.status, 200)
    return new URL(((await answer.json()) as { status_url: string }).status_url).pathname
  }
  const form = await fetch(`${url}/api/lead`, {
    method: 'POST',
    body: new URLSearchParams(lead('Form')),
    redirect: 'manual',
  })
  assert.deepEqual([form.status, form.headers.get('location')], [303, '/thanks/'])
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'submit_consultation_lead', arguments: lead('Mcp') },
  }
  const mcp = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...json, accept: 'application/json, text/event-stream' },
    body: JSON.stringify(call),
  })
  assert.match(await mcp.text(), /status_url/)
  await post('Cli', { 'user-agent': 'consult/1' })
  await post('Webmcp', { 'sec-fetch-site': 'same-origin' })
  return post('Json', {})
}

async function failedForm(url: string): Promise<string> {
  const sent = await fetch(`${url}/api/lead`, {
    method: 'POST',
    body: new URLSearchParams({ name_1: '' }),
    redirect: 'manual',
  })
  const cookie = sent.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  return (await fetch(`${url}/contact/`, { headers: { cookie } })).text()
}

async function askWhetherIn(url: string, postcode: string): Promise<string> {
  const body = new URLSearchParams({ text_1: postcode })
  const text = await (await fetch(`${url}/do-i-come/`, { method: 'POST', body })).text()
  assert.match(text, /Bristol|Wellington/)
  return text
}

/** The file for spreadsheets, and the calendar of visits. */
async function exportOf(url: string, cookie: string): Promise<string> {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ view: 'all', format: 'csv' })
  const csv = await (await fetch(`${url}/inbox/export`, { method: 'POST', headers, body })).text()
  assert.match(csv, /"Phone"/)
  const settings = await (await fetch(`${url}/inbox/settings`, { headers })).text()
  const [feed = ''] = /\/inbox\/calendar\/[\w.-]+/.exec(settings) ?? []
  return `${csv}\n${feed && (await (await fetch(url + feed)).text())}`
}

async function askMcp(url: string): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text()
  }
  const clientInfo = { name: 'helper', version: '1' }
  return [
    await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
    await ask('tools/list', {}),
    await ask('resources/list', {}),
    await ask('tools/call', { name: 'get_business_info', arguments: {} }),
    await ask('tools/call', { name: 'list_public_endpoints', arguments: {} }),
    await ask('tools/call', { name: 'submit_consultation_lead', arguments: { name_1: '' } }),
  ].join('\n')
}

/** Words of the deck builder's site and of his country. */
const foreign =
  /\b(?:decks?|pergolas?|builders?|Class 2|NSW|New South Wales|Northern Rivers|Australian?|ABN)\b|\bAU\b|en[-_]AU|\b04\d\d ?\d{3} ?\d{3}|\+61/g

function foreignIn(text: string): string[] {
  return wordsAround(text.replaceAll(/<style>[\s\S]*?<\/style>/g, ''), foreign)
}

function wordsAround(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(({ index }) =>
    text.slice(Math.max(0, index - 50), index + 50).replaceAll(/\s+/g, ' '),
  )
}
