/** Search in the inbox: what is sought is in no address, and nothing that is typed is an error. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { paths } from '../../src/doors/inbox/paths.ts'
import { openSeal } from '../../src/http/cookies.ts'
import { leadAt } from '../support/desk.ts'
import { openInbox, robin, type TestBrowser } from '../support/inbox.ts'
import { randomFrom, randomText } from '../support/random.ts'

test('a search is posted, comes back sealed, and its pages follow each other [url.private]', async (t) => {
  const { store, lines, ...inbox } = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (let minute = 0; minute < 51; minute += 1) {
    await store.keepLead(leadAt(minute, { message: 'A pergola' }))
  }
  const odd = { name: 'Zoë <b>Example</b>', phone: '0491 570 006', message: 'A deck' }
  await store.keepLead(leadAt(60, odd))
  const first = await search(browser, 'pergola')
  assert.match(first.path, /^\/inbox\/search\?s=[\w-]+$/)
  assert.match(first.text, /The newest 50 for <b><bdi>pergola<\/bdi><\/b>/)
  assert.match(first.text, /name="q" value="pergola"/)
  assert.equal(names(first.text).length, 50)
  const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first.text) ?? []
  const second = await browser.get(next.replace('&amp;', '&'))
  assert.match(second.text, /1 more for <b><bdi>pergola/)
  assert.deepEqual(names(second.text), ['Person 0'])
  assert.ok(second.text.includes(`href="${first.path}"`), 'the way to the first page')
  // Back, or a reload: the same address gives the same page.
  assert.equal((await browser.get(first.path)).text, first.text)

  const byDigits = await search(browser, '570')
  assert.match(byDigits.text, /1 request for/)
  assert.deepEqual(names(byDigits.text), ['Zoë &lt;b&gt;Example&lt;/b&gt;'])
  const nobody = await search(browser, '<script>alert(1)</script>')
  assert.match(nobody.text, /Nothing found for <b><bdi>&lt;script&gt;/)
  assert.match(nobody.text, /digits of a phone number/)
  for (const { path } of [first, byDigits, nobody]) assert.doesNotMatch(path, /pergola|570|script/)
  // The ids in the log are random, and may hold the digits.
  assert.doesNotMatch(lines.join('\n').replaceAll(/[0-9a-f-]{36}/g, ''), /pergola|570/)
})

test('the place that a row shows in bold is found, before and after indexing', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const people: [name: string, postcode: string][] = [
    ['Steve', '2481'],
    ['Mai', '2481'],
    ['Byron', '2480'],
    ['Jo', '2478'],
    ['Kim', 'Nimbin'],
  ]
  for (const [minute, [name, postcode]] of people.entries()) {
    await inbox.store.keepLead(leadAt(minute, { name, postcode, message: '24815 in bags' }))
  }
  const expected: [text: string, names: string[]][] = [
    ['Byron', ['Byron', 'Mai', 'Steve']],
    ['byron bay', ['Mai', 'Steve']],
    ['byr', ['Byron', 'Mai', 'Steve']],
    ['steve byron', ['Steve']],
    ['bay steve', ['Steve']],
    ['lennox head', ['Jo']],
    ['ballina', ['Jo']],
    ['nimbin', ['Kim']],
    ['byron lennox', []],
    ['byr steve', []],
  ]
  for (const [text, found] of expected) {
    assert.deepEqual(names((await search(browser, text)).text), found, text)
  }
})

test('a search for nothing, and an address that was not made here, lead to the list', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const empty = await browser.post(paths.search, { q: '  ' })
  assert.equal(empty.headers['location'], paths.list)
  const { path } = await search(browser, 'pergola')
  const foreign = openSeal(Buffer.alloc(32, 1), 'search').close('pergola')
  const draft = openSeal(Buffer.alloc(32, 7), 'draft').close('pergola')
  const changed = path.split('=')[1]!.replace(/^./, (sign) => (sign === 'A' ? 'B' : 'A'))
  const seals = [foreign, draft, changed, '', 'x', path.slice(-9), '\u0000', '%ff']
  for (const seal of seals) {
    const answer = await browser.get(`${paths.search}?s=${encodeURIComponent(seal)}`)
    assert.deepEqual([answer.status, answer.headers['location']], [303, paths.list], seal)
  }
  for (const past of ['', 'x', "'--", '019aaaaa-0000-7000-8000-00000000000g', leadAt(1).id]) {
    const query = new URLSearchParams({ s: path.split('=')[1]!, past })
    assert.equal((await browser.get(`${paths.search}?${query.toString()}`)).status, 200, past)
  }
})

test('whatever is typed into the search has an answer', async (t) => {
  const { store, ...inbox } = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await store.keepLead(leadAt(1))
  const random = randomFrom(11)
  const texts = Array.from({ length: 200 }, (_, index) => randomText(random, 1 + (index % 40)))
  for (const text of [...texts, 'x'.repeat(20_000), '"', '%', '*', 'a OR b', 'NEAR(a b)']) {
    const { status } = await search(browser, text)
    assert.equal(status, 200, text)
  }
})

async function search(browser: TestBrowser, q: string) {
  const { status, headers } = await browser.post(paths.search, { q })
  assert.equal(status, 303)
  const path = headers['location']!
  return { path, ...(await browser.get(path)) }
}

function names(text: string): string[] {
  return Array.from(text.matchAll(/class="who"><bdi>(.*?)<\/bdi>/g), ([, name]) => name!)
}
