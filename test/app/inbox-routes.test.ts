import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { paths } from '../../src/doors/inbox/paths.ts'
import { imageSizeOf } from '../../src/site/image-size.ts'
import type { InboxRoute } from '../../src/doors/inbox/frame/guard.ts'
import {
  baseUrl,
  openInbox,
  robin,
  sam,
  type InboxAnswer,
  type TestBrowser,
  type TestInbox,
} from '../support/inbox.ts'

const minute = 60_000
const sender = {
  name_1: 'Mai Example',
  email_1: 'mai@example.com',
  textarea_1: 'A pergola, please.',
}

async function callersOf(inbox: TestInbox) {
  const { browser: fresh } = await inbox.member(robin)
  const { browser: ended } = await inbox.member(sam)
  await ended.post(paths.signOut)
  const member = inbox.browser()
  for (const [name, value] of fresh.jar) member.jar.set(name, value)
  return { nobody: inbox.browser(), ended, member, fresh }
}

/** What the guard lets through is not told apart here: any answer of the door itself. */
function verdictOf({ status, headers, json }: InboxAnswer): string {
  const to = headers['location'] ?? json.to ?? ''
  if ((status === 303 || status === 401) && to === paths.signIn) return 'sign in'
  return status < 500 ? 'in' : `failed with ${status}`
}

/** On pages, a body that no door takes for one it can do something with. `id`: in place of a star. */
function askOf(
  browser: TestBrowser,
  { path, method }: InboxRoute,
  id = 'x'.repeat(43),
): Promise<InboxAnswer> {
  const whole = path.replace('*', id)
  return method === 'GET' ? browser.get(whole) : browser.post(whole, {})
}

/** By kind of route: what nobody, somebody signed out, a member, and one who has just signed in get. */
const expected = {
  nobody: { nobody: 'in', ended: 'in', member: 'in', fresh: 'in' },
  member: { nobody: 'sign in', ended: 'sign in', member: 'in', fresh: 'in' },
  fresh: { nobody: 'sign in', ended: 'sign in', member: 'sign in', fresh: 'in' },
}

/** One ends the session of whoever asks, the other needs a code: both send everybody to sign in. */
const leadToSignIn = new Set(['POST /inbox/sign-out', 'GET /inbox/sign-in/code'])

/** Who is meant to use what, once more and by hand: a route that is added must be added here. */
const whoMayUse: Record<InboxRoute['who'], string[]> = {
  nobody: [
    'GET /inbox/calendar/*',
    'GET /inbox/inbox.css',
    'GET /inbox/inbox.js',
    'GET /inbox/link/*',
    'GET /inbox/manifest.webmanifest',
    'GET /inbox/sign-in',
    'GET /inbox/sign-in/code',
    'GET /inbox/sw.js',
    'POST /inbox/link/*',
    'POST /inbox/sign-in',
    'POST /inbox/sign-in/challenge',
    'POST /inbox/sign-in/code',
    'POST /inbox/sign-in/passkey',
    'POST /inbox/sign-out',
  ],
  member: [
    'GET /inbox/',
    'GET /inbox/add',
    'GET /inbox/blocked',
    'GET /inbox/figures',
    'GET /inbox/lead/*',
    'GET /inbox/lead/*/details',
    'GET /inbox/lead/*/photos/*',
    'GET /inbox/lead/*/visit.ics',
    'GET /inbox/news',
    'GET /inbox/pictures/*',
    'GET /inbox/search',
    'GET /inbox/settings',
    'GET /inbox/settings/devices',
    'GET /inbox/settings/members',
    'GET /inbox/settings/passkeys',
    'POST /inbox/add',
    'POST /inbox/blocked',
    'POST /inbox/lead/*/change-note',
    'POST /inbox/lead/*/details',
    'POST /inbox/lead/*/join',
    'POST /inbox/lead/*/lost',
    'POST /inbox/lead/*/move',
    'POST /inbox/lead/*/note',
    'POST /inbox/lead/*/photos',
    'POST /inbox/lead/*/plan',
    'POST /inbox/lead/*/remove-photo',
    'POST /inbox/lead/*/sum',
    'POST /inbox/lead/*/take',
    'POST /inbox/lead/*/undo',
    'POST /inbox/moves',
    'POST /inbox/search',
    'POST /inbox/settings/calendar',
    'POST /inbox/settings/devices',
    'POST /inbox/settings/devices/remove',
    'POST /inbox/settings/devices/test',
    'POST /inbox/settings/emails',
    'POST /inbox/settings/letters',
    'POST /inbox/settings/sign-out-others',
  ],
  fresh: [
    'GET /inbox/export',
    'GET /inbox/lead/*/erase',
    'GET /inbox/lead/*/export',
    'POST /inbox/export',
    'POST /inbox/lead/*/erase',
    'POST /inbox/lead/*/export',
    'POST /inbox/settings/members',
    'POST /inbox/settings/members/end',
    'POST /inbox/settings/passkeys',
    'POST /inbox/settings/passkeys/challenge',
    'POST /inbox/settings/passkeys/name',
    'POST /inbox/settings/passkeys/remove',
  ],
}

test('every route of the inbox is in the table of who may use it [inbox.routes]', async (t) => {
  const inbox = await openInbox(t)
  const table = inbox.doors().table
  const named = Map.groupBy(table, ({ who }) => who)
  for (const who of ['nobody', 'member', 'fresh'] as const) {
    const routes = (named.get(who) ?? []).map(
      ({ method, path }) => `${method} ${path.replace(/\.[\w-]{10}\./, '.')}`,
    )
    assert.deepEqual(routes.sort(), whoMayUse[who])
  }
  // The paths are written in one file; each of them is served.
  const served = new Set(table.map(({ path }) => path.replace('*', '')))
  assert.deepEqual(
    Object.values(paths).filter((path) => !served.has(path)),
    [],
  )
})

test('all routes x nobody, ended session, member, member who has just signed in [inbox.routes]', async (t) => {
  const inbox = await openInbox(t)
  const callers = await callersOf(inbox)
  const sessions = () => inbox.database.execute('select id from session order by id')
  const before = await sessions()
  const verdicts: string[] = []
  const walk = async (names: readonly (keyof typeof callers)[]) => {
    for (const route of inbox.doors().table) {
      if (leadToSignIn.has(`${route.method} ${route.path}`)) continue
      for (const name of names) {
        const jar = new Map(callers[name].jar)
        const verdict = verdictOf(await askOf(callers[name], route))
        // Each question is asked by the same caller, not by one who was signed out meanwhile.
        callers[name].jar.clear()
        for (const [key, value] of jar) callers[name].jar.set(key, value)
        // The sign-in page sends a member to the list.
        if (verdict === expected[route.who][name]) continue
        verdicts.push(`${route.method} ${route.path} as ${name}: ${verdict}`)
      }
      // The many tries above are not what is tested here.
      inbox.clock.now += 1
    }
  }
  await walk(['fresh', 'nobody', 'ended'])
  inbox.clock.now += 11 * minute
  await walk(['member', 'nobody', 'ended'])
  assert.deepEqual(verdicts, [])
  assert.deepEqual(await sessions(), before, 'nobody got a session by it')
})

test('unsafe methods x Sec-Fetch-Site x Origin: only a page of ours gets through [inbox.cross-site]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const sites = [undefined, 'same-origin', 'same-site', 'cross-site', 'none', 'SAME-ORIGIN', '']
  const origins = [
    undefined,
    baseUrl,
    'null',
    'https://evil.example.com',
    'http://decks.example.com',
    `${baseUrl}:444`,
    `${baseUrl}.evil.example.com`,
  ]
  const routes = inbox.doors().table.filter(({ method }) => method === 'POST')
  assert.ok(routes.length > 10)
  const wrong: string[] = []
  for (const route of routes) {
    for (const site of sites) {
      for (const origin of origins) {
        const isOurs = site === undefined ? origin === baseUrl : site === 'same-origin'
        // What gets through is looked at once, with a request that ends nothing.
        if (isOurs && route.path !== paths.signInChallenge) continue
        const headers = {
          ...(site !== undefined && { 'sec-fetch-site': site }),
          ...(origin !== undefined && { origin }),
        }
        const { status } = await browser.post(route.path, {}, headers)
        if ((status === 403) !== !isOurs) wrong.push(`${route.path} ${site} ${origin}: ${status}`)
      }
    }
  }
  assert.deepEqual(wrong, [])
})

test('a form of thousands of fields is refused before it is decoded, from a stranger too', async (t) => {
  const { nobody, member } = await callersOf(await openInbox(t))
  const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`é${at}`, '1']))
  assert.equal((await nobody.post(paths.signIn, fields)).status, 413)
  assert.equal((await member.post(paths.moves, fields)).status, 413)
})

test('GET and HEAD change nothing, wherever they come from [sign-in.email]', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  const leadId = await inbox.take(sender)
  const link = await inbox.linkFor(member)
  // What a page reads by is filled before it is read: that is the one write of a GET.
  await inbox.store.search.fillNext()
  const before = await dump(inbox)
  for (const { method, path } of inbox.doors().table) {
    if (method !== 'GET') continue
    const whole = path === `${paths.link}*` ? link : path.replace('*', leadId)
    const { status } = await browser.get(whole, { 'sec-fetch-site': 'cross-site' })
    // There is no visit and no photo, and the token of the calendar is wrong.
    const isMissing = /\.ics$|calendar\/|photos\/|pictures\//.test(whole)
    assert.ok(isMissing ? status === 404 : status === 200 || status === 303, `${whole}: ${status}`)
  }
  assert.deepEqual(await dump(inbox), before)
})

test('every page keeps out of caches, indexes, frames and other sites', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; manifest-src 'self'; worker-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types inbox"
  for (const route of inbox.doors().table) {
    const caching = /\.[\w-]{10}\.(?:css|js)$/.test(route.path)
      ? /immutable/
      : /\.(?:js|webmanifest)$/.test(route.path)
        ? /^no-cache$/
        : /^no-store$/
    for (const caller of [browser, inbox.browser()]) {
      const { headers, status } = await askOf(caller, route)
      const about = `${route.method} ${route.path}: ${status}`
      assert.equal(headers['content-security-policy'], policy, about)
      assert.equal(headers['x-robots-tag'], 'noindex, nofollow', about)
      assert.equal(headers['referrer-policy'], 'same-origin', about)
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin', about)
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin', about)
      assert.equal(headers['x-content-type-options'], 'nosniff', about)
      // Files are the same for everybody; style sheet and script have a hash in their name.
      assert.match(headers['cache-control']!, caching, about)
    }
  }
})

test('nothing that is published names the inbox, and no page of it has an inline script or style', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const leadId = await inbox.take(sender)
  for (const path of ['/', '/sitemap.xml', '/llms.txt', '/openapi.json', '/robots.txt']) {
    assert.doesNotMatch((await browser.get(path)).text, /inbox/, path)
  }
  for (const { method, path } of inbox.doors().table) {
    if (method !== 'GET' || /\.(?:css|js)$/.test(path)) continue
    const { text } = await browser.get(path.replace('*', leadId))
    assert.doesNotMatch(text, /<style|style=|<script(?![^>]*src=)|\son\w+=/, path)
  }
  const sources = globSync('src/doors/inbox/*.js').map((file) => readFileSync(file, 'utf8'))
  assert.doesNotMatch(sources.join('\n'), /innerHTML|insertAdjacentHTML|document\.write|eval\(/)
})

test('a phone can install the inbox: its manifest, its icons, and a worker that keeps nothing', async (t) => {
  const inbox = await openInbox(t)
  const browser = inbox.browser()
  assert.match((await browser.get(paths.signIn)).text, /<link rel="manifest" href="\/inbox\/man/)
  const { headers, text } = await browser.get(paths.manifest)
  assert.equal(headers['content-type'], 'application/manifest+json')
  const { icons, theme_color: bar, background_color: ground, ...manifest } = JSON.parse(text)
  const place = { id: '/inbox/', start_url: '/inbox/', scope: '/inbox/', display: 'standalone' }
  assert.deepEqual(manifest, { ...place, name: 'Example Decks & Pergolas', short_name: 'Inbox' })
  assert.match(`${bar} ${ground}`, /^#[\da-f]{6} #[\da-f]{6}$/)
  for (const [index, { src }] of icons.entries()) {
    assert.equal((await browser.get(src)).status, 200)
    const size = [192, 512][index]!
    assert.deepEqual(imageSizeOf(readFileSync(`public${src}`)), { width: size, height: size })
  }
  assert.doesNotMatch((await browser.get(paths.worker)).text, /fetch|caches|indexedDB/)
})

/** All that the inbox can change in the database. */
async function dump({ database }: TestInbox) {
  const ofMembers = ['member', 'passkey', 'session', 'push_device', 'ticket']
  const ofLeads = ['lead', 'event', 'note', 'detail_before', 'blocked']
  const tables = [...ofMembers, ...ofLeads]
  return Promise.all(tables.map((table) => database.execute(`select * from ${table} order by 1`)))
}
