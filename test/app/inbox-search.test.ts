import assert from 'node:assert/strict'
import test from 'node:test'
import { addNote } from '../support/life.ts'
import { actPath, paths } from '../../src/doors/inbox/paths.ts'
import { createSeal } from '../../src/http/cookies.ts'
import { leadAt } from '../support/desk.ts'
import { openInbox, robin, type TestBrowser } from '../support/inbox.ts'

test('a search is posted, comes back sealed, and its pages follow each other [url.private]', async (t) => {
  const { store, lines, ...inbox } = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (let minute = 0; minute < 51; minute += 1) {
    await store.leads.keep(leadAt(minute, { message: 'A pergola' }))
  }
  const odd = { name: 'Zoë <b>Example</b>', phone: '0491 570 006', message: 'A deck' }
  await store.leads.keep(leadAt(60, odd))
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

test('a search that stopped early says so, and its link searches older requests [search.words]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await inbox.store.leads.keep(leadAt(1, { name: 'Old Friend', message: 'A wallaby' }))
  // More than one search reads.
  await inbox.database.execute(`with recursive number (n) as
    (select 1 union all select n + 1 from number where n < 210000)
    insert into search_doc (lead_id, words)
    select printf('ffffffff-0000-7000-8000-%012d', n), ' a deck' from number`)
  const first = (await search(browser, 'wallaby')).text
  assert.match(
    first,
    /Nothing found for <b><bdi>wallaby<\/bdi><\/b>\. Older requests were not searched/,
  )
  assert.doesNotMatch(first, /That was the last page|Try fewer letters/)
  const [, next = ''] = /rel="next" href="([^"]+)">Search older ones</.exec(first) ?? []
  const second = (await browser.get(next.replace('&amp;', '&'))).text
  assert.deepEqual(names(second), ['Old Friend'])
  assert.doesNotMatch(second, /Older requests were not searched|rel="next"/)
  const exact = (await search(browser, 'p1@example.com')).text
  assert.deepEqual(names(exact), ['Old Friend'], 'an exact email is found at once')
})

test('a request that a note is found by shows the note, which is escaped [search.at-once]', async (t) => {
  const { store, clock, ...inbox } = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  for (const minute of [1, 2]) await store.leads.keep(leadAt(minute, { message: 'A pergola' }))
  const lead = (await store.leads.find(leadAt(1).id))!
  const words = 'Steep drive, <b>bring\nthe ute</b>'
  await addNote(store, lead, { at: clock.now, memberId: member.id, words })
  const byNote = (await search(browser, 'person stee')).text
  assert.match(byNote, /<bdi>Note: Steep drive, &lt;b&gt;bring the ute&lt;\/b&gt;<\/bdi>/)
  assert.doesNotMatch((await search(browser, 'pergola')).text, /class="what"><bdi>Note: /)
})

test('a single letter asks for another one instead of finding everything [search.words]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await inbox.store.leads.keep(leadAt(1, { name: 'Al 李' }))
  for (const q of ['a', ' É.', '1']) {
    const { text } = await search(browser, q)
    assert.match(text, /role="status">Type at least two letters\.</, q)
    assert.doesNotMatch(text, /class="lead"/)
  }
  for (const q of ['al', '李']) assert.match((await search(browser, q)).text, /class="lead"/, q)
})

test('a request leads back to the page of the list it was opened from, also after a move, to its own row', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (let minute = 0; minute < 52; minute += 1) {
    await inbox.store.leads.keep(leadAt(minute, { message: 'A pergola' }))
  }
  const results = await search(browser, 'pergola')
  const further = /rel="next" href="([^"]+)"/
  const secondOf = (text: string) => further.exec(text)![1]!.replace('&amp;', '&')
  const listed = (await browser.get(paths.list)).text
  const lists = [results.path, secondOf(results.text), secondOf(listed)]
  for (const list of lists) {
    const [, link = '', id = ''] = /class="open" href="(\/inbox\/lead\/([\w-]+)[^"]*)"/.exec(
      (await browser.get(list)).text,
    )!
    const open = (await browser.get(link.replace('&amp;', '&'))).text
    const fields = Object.fromEntries(
      ['view', 'past', 's'].map((name) => [name, hidden(open, name)]),
    )
    const moved = await browser.post(actPath(id, 'move'), { to: 'contacted', ...fields })
    for (const page of [open, (await browser.get(moved.headers['location']!)).text]) {
      const [, back = ''] = /class="back"><a href="([^"]+)"/.exec(page)!
      assert.equal(back.replace('&amp;', '&'), `${list}#r-${id}`)
    }
    assert.ok((await browser.get(results.path)).text.includes('<li class="lead" id="r-'))
  }
})

function hidden(text: string, name: string): string {
  return new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
}

test('a search for nothing, and an address that was not made here, show the empty field', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const empty = await browser.post(paths.search, { q: '  ' })
  assert.equal(empty.headers['location'], paths.search)
  const { path } = await search(browser, 'pergola')
  const foreign = createSeal(Buffer.alloc(32, 1), 'search').close('pergola')
  const draft = createSeal(Buffer.alloc(32, 7), 'draft').close('pergola')
  const changed = path.split('=')[1]!.replace(/^./, (sign) => (sign === 'A' ? 'B' : 'A'))
  const seals = [foreign, draft, changed, '', 'x', path.slice(-9), '\u0000', '%ff']
  for (const seal of seals) {
    const answer = await browser.get(`${paths.search}?s=${encodeURIComponent(seal)}`)
    assert.equal(answer.status, 200, seal)
    assert.match(answer.text, /class="search shown".*name="q" value="".* autofocus>/s, seal)
  }
  for (const past of ['', 'x', "'--", '019aaaaa-0000-7000-8000-00000000000g', leadAt(1).id]) {
    const query = new URLSearchParams({ s: path.split('=')[1]!, past })
    assert.equal((await browser.get(`${paths.search}?${query.toString()}`)).status, 200, past)
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
