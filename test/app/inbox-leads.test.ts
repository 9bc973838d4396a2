import assert from 'node:assert/strict'
import test from 'node:test'
import { eraseLead, moveLead } from '../support/life.ts'
import type { State } from '../../src/contract/states.ts'
import { hourMs } from '../../src/time.ts'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { byRetention } from '../../src/lead/retention.ts'
import {
  beginBackup,
  endBackup,
  noteBackup,
  noteDrill,
  noteFound,
  noteLost,
} from '../../src/store/backup-state.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import { textOf } from '../support/app.ts'
import { leadAt } from '../support/desk.ts'
import { openInbox, robin, sam, type TestInbox } from '../support/inbox.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

const held = { state: 'held', judgement: { score: 160, reasons: ['trap', 'links'] } } as const

async function versionOf({ store }: TestInbox, id: string): Promise<string> {
  return String((await store.leads.find(id))!.version)
}

async function stateOf({ store }: TestInbox, id: string): Promise<State> {
  return (await store.leads.find(id))!.state
}

function rowsIn(text: string): string[] {
  return [...text.matchAll(/class="open" href="\/inbox\/lead\/([0-9a-f-]{36})/g)].map(
    ([, id]) => id!,
  )
}

function idsFrom(from: number, to: number): string[] {
  const step = from < to ? 1 : -1
  return Array.from(
    { length: Math.abs(to - from) + 1 },
    (_, index) => leadAt(from + step * index).id,
  )
}

test('the list moves no request to a proposal without a day, nor back to where it has not been [move.road]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take({ name_1: 'Wendy', email_1: 'wendy@example.com' })
  const moveTo = async (to: string) => {
    const { version } = (await inbox.store.leads.find(id))!
    await browser.post(paths.moves, { to, lead: `${id}.${version}` })
    const { state, date } = (await inbox.store.leads.find(id))!
    return [state, date?.at]
  }
  await moveTo('contacted')
  assert.deepEqual(await moveTo('proposal_sent'), ['contacted', undefined])
  assert.deepEqual(await moveTo('lost'), ['lost', undefined])
  assert.deepEqual(await moveTo('consultation_booked'), ['lost', undefined])
  assert.deepEqual(await moveTo('contacted'), ['contacted', undefined])
})

test('Today shows who waits longest first, a page at a time; every tab has its own', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const empty = (await browser.get(paths.list)).text
  assert.match(empty, /Nobody is waiting for you/)
  assert.doesNotMatch(empty, /class="count"/)

  const values = {
    name: 'Mai Example',
    phone: '(02) 5550 0100',
    postcode: '2480',
    message: 'A deck\nand more',
  }
  await inbox.store.leads.keep(leadAt(0, values, { door: 'mcp', agent: 'helper 1.0' }))
  for (let minute = 1; minute < 110; minute += 1) await inbox.store.leads.keep(leadAt(minute))
  await inbox.store.leads.keep(leadAt(200, {}, held))
  const first = (await browser.get(paths.list)).text
  assert.deepEqual(rowsIn(first), idsFrom(0, 49))
  assert.match(
    first,
    /<a href="\/inbox\/" aria-current="page">Today <span class="count">99\+<\/span>/,
  )
  assert.match(first, /Held <span class="dot">.*?<span class="count">1<\/span>/)
  const row = /<li class="lead".*?<\/li>/s.exec(first)![0]
  assert.match(
    row,
    /Mai Example.*waiting <\/span><time[^>]*>23 h.*A deck and more<.*Lismore.*href="tel:0255500100"/s,
  )

  const laterPath = /rel="next" href="([^"]+)"/.exec(first)![1]!
  assert.equal(laterPath, `/inbox/?past=${leadAt(49).id}.${leadAt(49).receivedAt}.undated`)
  const second = (await browser.get(laterPath)).text
  assert.deepEqual(rowsIn(second), idsFrom(50, 99))
  assert.match(second, /href="\/inbox\/">From the start</)
  const newest = (await browser.get('/inbox/?view=all')).text
  assert.deepEqual(rowsIn(newest), [leadAt(200).id, ...idsFrom(109, 61)])
  assert.match(newest, />Earlier</)
})

test('"1 new request" leads to the page that has it, however long Today is [next.live]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (let minute = 1; minute <= 60; minute += 1) await inbox.store.leads.keep(leadAt(minute))
  const seen = leadAt(60).id
  await inbox.store.leads.keep(leadAt(61))
  const news = await browser.get(`${paths.news}?since=${seen}&today=60`)
  const page = (await browser.get(news.json.to!)).text
  assert.deepEqual(rowsIn(page), [leadAt(61).id])
  assert.match(page, /class="lead fresh"/)
})

test('a row names its area by the first town, so that the line has room for more', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await inbox.store.leads.keep(leadAt(1, { postcode: '2478' }))
  await inbox.store.leads.keep(leadAt(2, { postcode: 'Nimbin, up the hill' }))
  const { text } = await browser.get(paths.list)
  assert.match(text, /where[^>]*><bdi>Ballina<.*where[^>]*><bdi>Nimbin, up the hill</s)
})

test('three requests of one person stand together at the place of the first, and every page shows each once', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const steve = { email: 'Steve@example.com', phone: '0491 570 110' }
  const own: Record<number, Partial<typeof steve>> = {
    2: steve,
    7: { email: 'steve@example.com' },
    9: { phone: '+61 491 570 110' },
    // On the second page, where nobody of the first page is repeated.
    55: steve,
  }
  for (let minute = 1; minute <= 60; minute += 1) {
    await inbox.store.leads.keep(leadAt(minute, own[minute]))
  }
  const first = (await browser.get(paths.list)).text
  const minutes = [1, 2, 7, 9, 3, 4, 5, 6, 8]
  assert.deepEqual(
    rowsIn(first).slice(0, 9),
    minutes.map((minute) => leadAt(minute).id),
  )
  const same = [...first.matchAll(/<li class="lead same".*?<\/li>/gs)].map(([row]) => row)
  assert.deepEqual(same.flatMap(rowsIn), [leadAt(7).id, leadAt(9).id])
  assert.match(same[0]!, /aria-label="Email Person 7"/)
  const second = (await browser.get(/rel="next" href="([^"]+)"/.exec(first)![1]!)).text
  assert.deepEqual([...rowsIn(first), ...rowsIn(second)].toSorted(), idsFrom(1, 60))
  assert.doesNotMatch(second, /class="lead same"/)
})

test('below a withdrawn request of a person, the earlier one has the button to call', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (const minute of [1, 2]) {
    await inbox.store.leads.keep(leadAt(minute, { phone: '0491 570 110' }))
  }
  const newest = (await inbox.store.leads.find(leadAt(2).id))!
  await moveLead(inbox.store, newest, { to: 'withdrawn', by: 'sender', at: inbox.clock.now })
  const { text } = await browser.get(`${paths.list}?view=all`)
  assert.match(text, /class="lead same".*href="tel:\+?\d+"/s)
})

test('a lead shows what was told, where it came from and what happened, and how to reach the person', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take({
    name_1: 'Mai Example',
    email_1: 'mai+deck@example.com',
    phone_1: '+61 491 570 006',
    text_1: '2480',
    textarea_1: 'A pergola.\n\nOver the back door.',
    preferred_days: ['Friday'],
  })
  const earlier = leadAt(1, { phone: '0491 570 006' })
  await inbox.store.leads.keep(earlier)
  await inbox.settle()
  await browser.get(leadPath(id), { 'sec-purpose': 'prefetch' })
  const unopened = (await browser.get(leadPath(id))).text
  assert.doesNotMatch(unopened, /opened it first/)
  const { status, text } = await browser.get(leadPath(id))
  const { reference } = (await inbox.store.leads.find(id))!
  assert.equal(status, 200)
  for (const part of [
    '<h1><bdi>Mai Example</bdi></h1>',
    'A pergola.\n\nOver the back door.',
    `<dd>${reference}</dd>`,
    '<dt><bdi>preferred_days</bdi></dt><dd><bdi>[&quot;Friday&quot;]</bdi></dd>',
    'href="tel:+61491570006"',
    'href="sms:+61491570006"',
    'href="mailto:mai%2Bdeck@example.com?subject=Your%20request%20',
    'href="https://www.google.com/maps/search/?api=1&amp;query=Lismore%20NSW%202480"',
    'It came in by an agent or a program.',
    'Email to you about the request: sent.',
    'You opened it first.',
    '<dt>Came by</dt><dd>an agent or a program</dd>',
    `href="${leadPath(earlier.id)}"`,
    'value="contacted">Spoke to them<',
  ]) {
    assert.ok(text.includes(part), part)
  }
  assert.equal((await browser.get(leadPath(leadAt(9).id))).status, 404)
  assert.equal((await browser.get(`${leadPath(id)}/more`)).status, 404)
})

const phones: [phone: string, links: string[]][] = [
  ['(02) 5550 7788 ext 4', ['Call, ext.\u00a04 tel:0255507788']],
  [
    '02 5550 7788 / 0491 570 110',
    ['Call tel:0255507788', 'Call\u00a02 tel:0491570110', 'Text sms:0491570110'],
  ],
]

test('a request calls both numbers of a phone text, and texts the one that is a mobile', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (const [minute, [phone, links]] of phones.entries()) {
    await inbox.store.leads.keep(leadAt(minute, { phone }))
    const { text } = await browser.get(leadPath(leadAt(minute).id))
    const bar = text.matchAll(/<a href="((?:tel|sms):[^"]+)"><svg.*?<\/svg>([^<]+)</g)
    assert.deepEqual(
      Array.from(bar, ([, href, label]) => `${label} ${href}`),
      links,
      phone,
    )
  }
})

test('a move is made by the member, says so, and can be undone from the bar [move.by, undo.move]', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  await inbox.store.leads.keep(leadAt(1))
  const one = leadAt(1).id
  const moved = await browser.post(actPath(one, 'move'), {
    to: 'contacted',
    version: await versionOf(inbox, one),
  })
  assert.deepEqual([moved.status, moved.headers['location']], [303, `${leadPath(one)}#when`])
  assert.deepEqual(
    moved.cookies.map((cookie) => cookie.replace(/=[^;]+/, '=…')),
    ['__Host-inbox-done=…; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax'],
  )
  assert.equal(await stateOf(inbox, one), 'contacted')
  const page = (await browser.get(leadPath(one))).text
  assert.match(page, /role="status"><p>Contacted: <bdi>Person 1<\/bdi>\. When next\? <\/p>/)
  assert.match(page, /You marked it contacted\./)
  // From the list, undoing leads back to the list.
  const list = (await browser.get('/inbox/?view=contacted')).text
  const bar = /<div class="done".*?<\/div>/s.exec(list)![0]
  const lead = `${one}.${await versionOf(inbox, one)}`
  assert.match(bar, new RegExp(`name="lead" value="${lead}">.*name="view" value="contacted"`, 's'))
  const fields = { to: 'undo', lead, view: 'contacted', past: '//evil.example' }
  const undone = await browser.post(paths.moves, fields)
  assert.equal(undone.headers['location'], '/inbox/?view=contacted')
  assert.equal(await stateOf(inbox, one), 'new')
  assert.match((await browser.get(paths.list)).text, /Back to new: <bdi>Person 1<\/bdi>\./)
  assert.doesNotMatch((await browser.get(paths.list)).text, /Back to new/, 'one page says so')
  const [events = []] = await inbox.store.leads.eventsOf([(await inbox.store.leads.find(one))!])
  assert.equal(JSON.parse(events.at(-1)!.data).by, member.id)
  assert.doesNotMatch(inbox.lines.join('\n'), /Person|example\.com/)
})

test('the bar about a move stands on the list and on the request that was moved, not on pages of others [undo.move]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (const minute of [1, 2]) await inbox.store.leads.keep(leadAt(minute))
  const [one, two] = [leadAt(1).id, leadAt(2).id]
  await browser.post(actPath(one, 'move'), { to: 'spam' })
  assert.doesNotMatch((await browser.get(leadPath(two))).text, /Marked as spam|class="done"/)
  for (const page of [paths.list, leadPath(one)]) {
    assert.match((await browser.get(page)).text, /Marked as spam: <bdi>Person 1<.*>Undo</s, page)
  }
})

test('whatever a member sends next ends the bar, also what changes nothing [undo.move]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (const minute of [1, 2]) await inbox.store.leads.keep(leadAt(minute))
  const [one, two] = [leadAt(1).id, leadAt(2).id]
  const next: [what: string, path: string, fields: Record<string, string>][] = [
    ['a press that names no request', paths.moves, { to: 'spam', view: 'held' }],
    ['a note', actPath(two, 'note'), { words: 'She rang.' }],
    ['a refused move', actPath(two, 'move'), { to: 'won' }],
    ['a request that rang', paths.add, { name: 'Trev', phone: '0491 570 006' }],
  ]
  for (const [what, path, fields] of next) {
    await browser.post(actPath(one, 'move'), { to: 'contacted' })
    assert.match((await browser.get(paths.list)).text, /class="done"/, what)
    await browser.post(path, fields)
    for (const page of [paths.list, leadPath(one)]) {
      assert.doesNotMatch((await browser.get(page)).text, /class="done"/, what)
    }
    await browser.post(actPath(one, 'undo'))
  }
})

test('somebody was quicker: the page says what happened since, and nothing is lost [move.overtaken]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { browser: other } = await inbox.member({ ...sam, name: 'J. Smith' })
  await inbox.store.leads.keep(leadAt(1))
  const { id } = leadAt(1)
  const version = await versionOf(inbox, id)
  await other.post(actPath(id, 'move'), { to: 'contacted', version })
  const late = await browser.post(actPath(id, 'move'), { to: 'not_suitable', version })
  assert.equal(late.status, 409)
  assert.match(
    late.text,
    /alert">J\. Smith marked it contacted just now, so nothing was changed\. Press again if you still want to\./,
  )
  assert.equal(await stateOf(inbox, id), 'contacted')
  const same = await browser.post(actPath(id, 'move'), {
    to: 'contacted',
    version,
    words: 'Me too.',
  })
  assert.deepEqual([same.status, same.headers['location']], [303, `${leadPath(id)}#when`])
  assert.match((await browser.get(leadPath(id))).text, /Me too\..*Contacted: /s)
  // The page holds the new version, so the next press works.
  assert.ok(late.text.includes(await versionOf(inbox, id)))
  assert.equal((await browser.post(actPath(id, 'undo'), { version })).status, 409)
  // A program that shows no page means the lead as it is.
  assert.equal((await browser.post(actPath(id, 'undo'))).status, 303)
  assert.equal((await browser.post(actPath(id, 'move'), { to: 'contacted' })).status, 303)
  assert.equal(await stateOf(inbox, id), 'contacted')

  const note = await browser.post(actPath(id, 'note'), { version, words: 'Rang twice.' })
  assert.deepEqual([note.status, note.headers['location']], [303, `${leadPath(id)}#notes`])
  const noted = (await browser.get(leadPath(id))).text
  assert.match(noted, /Rang twice\..*You, .*You wrote a note\./s)

  await inbox.withdraw(id)
  const illegal = await browser.post(actPath(id, 'move'), {
    to: 'won',
    version: await versionOf(inbox, id),
  })
  assert.equal(illegal.status, 409)
  assert.match(illegal.text, /The request is now withdrawn, so this is no longer possible/)
  assert.doesNotMatch(illegal.text, /href="(?:tel|sms|mailto):/)
  for (const to of ['', 'erased', 'constructor']) {
    const { status } = await browser.post(actPath(id, 'move'), {
      to,
      version: await versionOf(inbox, id),
    })
    assert.ok(status === 400 || status === 409, `${to}: ${status}`)
  }
  assert.equal((await browser.post(actPath(leadAt(9).id, 'move'), { to: 'spam' })).status, 404)

  const typed = { book: 'visit', day: '2026-12-01', time: '09:30', place: '12 Example Street' }
  const closed = await browser.post(actPath(id, 'move'), { ...typed, version })
  assert.match(
    closed.text,
    /nothing was changed\. You had typed: 2026-12-01, 09:30, 12 Example Street\./,
  )
})

test('a note typed beside a move is kept with it, and given back where the move is not made [sign-in.words]', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  await inbox.store.leads.keep(leadAt(1))
  const { id } = leadAt(1)
  const version = await versionOf(inbox, id)
  const notes = async () => (await inbox.store.leads.notesOf([{ id }])).map(({ words }) => words)
  const words = 'Rang, <b>told</b> him February.'
  const moved = await browser.post(actPath(id, 'move'), { to: 'contacted', version, words })
  assert.deepEqual([moved.status, moved.headers['location']], [303, `${leadPath(id)}#when`])
  assert.deepEqual([await notes(), await stateOf(inbox, id)], [[words], 'contacted'])
  const undone = await browser.post(actPath(id, 'undo'), {
    version: await versionOf(inbox, id),
    words: 'It was his brother.',
  })
  assert.equal(undone.status, 303)
  const both = [words, 'It was his brother.']
  assert.deepEqual([await notes(), await stateOf(inbox, id)], [both, 'new'])
  await browser.post(actPath(id, 'move'), { to: 'contacted', words: ' \n' })
  assert.equal((await notes()).length, 2)

  const shown =
    /<textarea id="words"[^>]*>Rang, &lt;b&gt;told&lt;\/b&gt; him February\.<\/textarea>/
  const late = await browser.post(actPath(id, 'move'), { to: 'spam', version, words })
  assert.equal(late.status, 409)
  assert.match(late.text, shown)
  const wrong = await browser.post(actPath(id, 'move'), { to: 'nowhere', words })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, shown)
  const long = await browser.post(actPath(id, 'move'), { to: 'new', words: 'é'.repeat(4_001) })
  assert.match(long.text, /at most 4000 characters.*<textarea[^>]*>é{4001}<\/textarea>/s)
  assert.equal((await notes()).length, 2)

  await inbox.access.endSessions(member.id)
  const fields = { to: 'consultation_booked', view: 'contacted', version: '"><script>', words }
  const evil = await browser.post(actPath(id, 'move'), fields, { origin: 'https://evil.example' })
  assert.equal(evil.status, 403)
  assert.doesNotMatch(evil.text, /February|&quot;/)
  const ended = await browser.post(actPath(id, 'move'), fields)
  assert.deepEqual([ended.status, ended.headers['location']], [303, paths.signIn])
  assert.doesNotMatch(ended.cookies.join(), /February/, 'no cookie shows the words')
  assert.match((await browser.get(paths.signIn)).text, /What you typed is kept/)
  const back = await browser.post(await inbox.linkFor(member))
  assert.equal(back.headers['location'], leadPath(id, { view: 'contacted' }))
  const page = await browser.get(leadPath(id, { view: 'contacted' }))
  assert.match(page.text, /Nothing has been changed yet/)
  assert.match(page.text, shown)
  assert.equal(await stateOf(inbox, id), 'contacted')
  assert.doesNotMatch((await browser.get(leadPath(id, { view: 'contacted' }))).text, shown, 'once')
  assert.doesNotMatch(inbox.lines.join('\n'), /February/)
})

test('a held lead says why, is released as new and announced, and goes back to held by undo [spam.held]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  await inbox.store.leads.keep(leadAt(1, {}, held))
  const { id } = leadAt(1)
  const list = (await browser.get('/inbox/?view=held')).text
  assert.match(
    list,
    /A hidden field that only machines see was filled in; it has more than four links\./,
  )
  const place = { view: 'held', past: '' }
  const moveOf = async (to: string) => `${to}.${id}.${await versionOf(inbox, id)}`
  assert.match(list, new RegExp(`name="only" value="${await moveOf('new')}"`))
  const stale = await moveOf('spam')
  const released = await browser.post(paths.moves, { ...place, only: await moveOf('new') })
  assert.equal(released.headers['location'], '/inbox/?view=held')
  assert.match((await browser.get('/inbox/?view=held')).text, /Released: .*Undo/s)
  await inbox.settle()
  const emails = await Promise.all(mail.emails.map(parseEmail))
  assert.deepEqual(
    emails.map(({ subject }) => subject),
    ['Person 1'],
  )
  const undone = await browser.post(actPath(id, 'undo'), {
    ...place,
    version: await versionOf(inbox, id),
  })
  assert.equal(undone.status, 303)
  assert.equal(await stateOf(inbox, id), 'held')
  await browser.post(paths.moves, { ...place, only: stale })
  assert.match(
    (await browser.get('/inbox/?view=held')).text,
    /One was left as it is: it has changed/,
  )
  assert.equal(await stateOf(inbox, id), 'held')
  await browser.post(paths.moves, { ...place, only: await moveOf('spam') })
  assert.equal(await stateOf(inbox, id), 'spam')
  assert.match((await browser.get('/inbox/?view=spam')).text, />Not spam</)
})

test('all that are held move together, each by itself, and are undone together', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (let minute = 1; minute <= 52; minute += 1)
    await inbox.store.leads.keep(leadAt(minute, {}, held))
  const all = (await browser.get('/inbox/?view=held')).text
  assert.match(all, /name="to" value="spam">All 25 are spam</)
  const shown = [...all.matchAll(/name="lead" value="([^"]+)"/g)].map(([, value]) => value!)
  assert.equal(shown.length, 25)
  await moveLead(inbox.store, (await inbox.store.leads.find(leadAt(52).id))!, {
    to: 'new',
    by: 'owner',
    at: inbox.clock.now,
  })
  const pairs = (values: readonly string[], to: string) =>
    new URLSearchParams([
      ['view', 'held'],
      ['to', to],
      ...values.map((value): [string, string] => ['lead', value]),
    ])
  const done = await browser.post(paths.moves, pairs([...shown, shown[0]!, 'x'], 'spam'))
  assert.deepEqual([done.status, done.headers['location']], [303, '/inbox/?view=held'])
  const counts = await inbox.store.views.countStates(99)
  assert.deepEqual([counts.spam, counts.held, counts.new], [24, 27, 1])
  const bar = (await browser.get('/inbox/?view=held')).text
  assert.match(bar, /Marked as spam: 24 requests\. One was left as it is/)
  const undo = [...bar.matchAll(/type="hidden" name="lead" value="([^"]+)"/g)].map(
    ([, value]) => value!,
  )
  await browser.post(paths.moves, pairs(undo, 'undo'))
  assert.equal((await inbox.store.views.countStates(99)).held, 51)
  for (const to of ['', 'erased', 'x']) await browser.post(paths.moves, pairs(shown.slice(1), to))
  assert.equal((await inbox.store.views.countStates(99)).held, 51)
  const one = `${leadAt(1).id}.${await versionOf(inbox, leadAt(1).id)}`
  await browser.post(paths.moves, pairs(Array<string>(50).fill(one), 'spam'))
  const { text } = await browser.get('/inbox/?view=held')
  assert.match(text, /Marked as spam: /)
  assert.doesNotMatch(text, /meanwhile/, 'sent many times is moved once')
})

test('notes written side by side are all kept; one that cannot be kept comes back in its field [note.kept]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { id } = leadAt(1)
  await inbox.store.leads.keep(leadAt(1))
  const path = actPath(id, 'note')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => browser.post(path, { words: `note ${index}` })),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [303])
  assert.equal((await inbox.store.leads.notesOf([{ id }])).length, 20)

  inbox.store.leads.apply = () => Promise.reject(new StorageUnavailable('contended'))
  const route = inbox.doors().routes.find((row) => row.path === actPath('*', 'note'))
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const ask = { id: 'test', method: 'POST', path, query: '', headers }
  const body = Buffer.from('words=ring+on+Monday')
  const address = { network: '192.0.2.1', local: false }
  const refused = await route!.doors['POST']!({ ...ask, body, address })
  assert.equal(refused.status, 503)
  assert.match(
    await textOf(refused),
    /Send the note again.*<textarea[^>]*>ring on Monday<\/textarea>/s,
  )
})

test('erasing asks first, after signing in again, which leads back to it, and is final [erase.shown, sign-in.again]', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  const person = { email: 'mai@example.com', message: 'A most particular pergola' }
  for (const minute of [1, 2, 3]) await inbox.store.leads.keep(leadAt(minute, person))
  await inbox.store.leads.keep(leadAt(4))
  const number = { phone: '0491 570 006' }
  await inbox.store.leads.keep(leadAt(5, { ...person, ...number }))
  await inbox.store.leads.keep(leadAt(6, { name: 'Sam', email: 'sam@example.com', ...number }))
  const { id } = leadAt(1)
  inbox.clock.now += 11 * 60_000
  const path = actPath(id, 'erase')
  for (const ask of [
    () => browser.get(path),
    async () => browser.post(path, { which: 'email', version: await versionOf(inbox, id) }),
  ]) {
    assert.equal((await ask()).headers['location'], paths.signIn)
    assert.match(
      (await browser.get(paths.signIn)).text,
      /Sign in again.*<details class="help" open>/s,
    )
  }
  const back = await browser.post(await inbox.linkFor(member))
  assert.equal(back.headers['location'], path)
  const kept = (await browser.get(path)).text
  assert.match(kept, /Nothing has been changed yet.*value="email" checked/s)
  assert.equal(await stateOf(inbox, id), 'new')
  const { browser: fresh } = await inbox.member({ name: 'Kim', email: 'kim@example.com' })
  const page = (await fresh.get(path)).text
  assert.match(page, /Erase for good\?.*All with this email<small>4 requests/s)
  assert.equal((await fresh.post(path, { which: 'one', version: 'old' })).status, 409)
  const one = await fresh.post(path, { which: 'one', version: await versionOf(inbox, id) })
  assert.deepEqual([one.status, one.headers['location']], [303, paths.list])
  assert.equal(await stateOf(inbox, id), 'erased')
  assert.match((await fresh.get(paths.list)).text, /Erased for good\. <\/p><\/div>/)
  const [, gone = ''] = (await fresh.get(leadPath(id))).text.split('class="whole ')
  assert.doesNotMatch(gone, /mai@example|particular|action="[^"]*\/(?:move|undo|note)"/)
  assert.match(gone, /You erased it\./)
  const [aged] = await inbox.store.leads.findMany([leadAt(2).id])
  await eraseLead(inbox.store, aged!, { by: byRetention, at: inbox.clock.now })
  assert.match(
    (await fresh.get(leadPath(aged!.id))).text,
    /It was erased automatically, after the time/,
  )
  const five = leadAt(5).id
  assert.match((await fresh.get(actPath(five, 'erase'))).text, /also used by:.*sam@example\.com/s)
  await fresh.post(actPath(five, 'erase'), {
    which: 'email',
    version: await versionOf(inbox, five),
  })
  assert.deepEqual(
    await Promise.all([3, 4, 6].map((minute) => stateOf(inbox, leadAt(minute).id))),
    ['erased', 'new', 'new'],
    'whoever wrote only the number of somebody else',
  )
})

test('a request that has changed since the page was opened is not erased, nor are the others of the person [erase.shown]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const person = { email: 'mai@example.com' }
  for (const minute of [1, 2]) await inbox.store.leads.keep(leadAt(minute, person))
  const { id } = leadAt(1)
  const version = await versionOf(inbox, id)
  await browser.post(actPath(id, 'note'), { words: 'Mai rang: she moves next week' })
  for (const which of ['one', 'email']) {
    const { status, text } = await browser.post(actPath(id, 'erase'), { which, version })
    assert.equal(status, 409)
    assert.match(text, /This request has changed since you opened the page\. Check it once more\./)
    assert.match(text, new RegExp(`value="${which}" checked`), 'the choice stays')
  }
  const states = () => Promise.all([1, 2].map((minute) => stateOf(inbox, leadAt(minute).id)))
  assert.deepEqual(await states(), ['new', 'new'])
  const again = { which: 'email', version: await versionOf(inbox, id) }
  assert.equal((await browser.post(actPath(id, 'erase'), again)).status, 303)
  assert.deepEqual(await states(), ['erased', 'erased'])
})

test('of many requests, erasing counts at least those that were read [erase.shown]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  for (let minute = 1; minute <= 24; minute += 1) {
    const email = minute <= 16 ? 'mai@example.com' : `p${minute}@example.com`
    await inbox.store.leads.keep(leadAt(minute, { email, phone: '0491 570 006' }))
  }
  const { text } = await browser.get(actPath(leadAt(1).id, 'erase'))
  assert.match(text, /All with this email<small>at least 13 requests<.*<br>and at least 3 more</s)
})

test('the settings tell the last backup, and the list warns while backups fail', async (t) => {
  const inbox = await openInbox(t)
  const { store, clock } = inbox
  const { browser } = await inbox.member(robin)
  const lastBackup = async () =>
    /Backup<small>([^<]*)/.exec((await browser.get(paths.settings)).text)?.[1]
  const warning = async () =>
    /class="alert">([^<]*)/.exec((await browser.get(paths.list)).text)?.[1] ?? ''
  assert.equal(await lastBackup(), 'There is none')
  await beginBackup(store, clock.now, hourMs)
  await noteBackup(store, clock.now, 14_040_000)
  await endBackup(store, 'done')
  assert.equal(await lastBackup(), 'Last Mon, 16 Nov, 10:00 am, 14.0 MB')
  await noteDrill(store, clock.now)
  assert.equal(await lastBackup(), 'Last Mon, 16 Nov, 10:00 am, 14.0 MB, restored and checked')
  clock.now += 3 * hourMs
  assert.equal(await warning(), '')
  await beginBackup(store, clock.now, hourMs)
  await endBackup(store, 'failed')
  assert.equal(
    await warning(),
    'Backups fail. The newest one is from Mon, 16 Nov, 10:00 am. The command ',
  )
})

test('a backup that is gone from its folder is none in the inbox, until it is found again', async (t) => {
  const inbox = await openInbox(t)
  const { store, clock } = inbox
  const { browser } = await inbox.member(robin)
  const page = async (path: string) => (await browser.get(path)).text
  const isShown = async () => [
    (await page(paths.settings)).includes('Backup<small>There is none<'),
    (await page(paths.list)).includes('class="alert">Backups fail. There is no backup.'),
  ]
  await noteBackup(store, clock.now, 14_040_000)
  assert.deepEqual(await isShown(), [false, false])
  await noteLost(store, clock.now)
  assert.deepEqual(await isShown(), [true, true])
  await noteFound(store)
  assert.deepEqual(await isShown(), [false, false])
})

test('while the mail server is away the list says so above the requests, and what to do [deliver.stuck]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  mail.mood = { onData: 'drop' }
  await inbox.take({ name_1: 'Mai Example', email_1: 'mai@example.com' })
  await inbox.settle()
  assert.doesNotMatch((await browser.get(paths.list)).text, /You are not told/)
  inbox.clock.now += 5 * 60_000
  assert.match(
    (await browser.get(paths.list)).text,
    /No mail notification has gone out since .*doctor/,
  )
})

test('an email that waits for the mail server of a sender warns nobody [deliver.stuck]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { CONFIRM_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  mail.mood = { refuses: ['mai@example.com'] }
  await inbox.take({ name_1: 'Mai Example', email_1: 'mai@example.com' })
  await inbox.settle()
  inbox.clock.now += 5 * 60_000
  assert.ok(
    (await inbox.store.deliveries.count(inbox.clock.now)).some(({ waiting }) => waiting > 0),
  )
  assert.doesNotMatch((await browser.get(paths.list)).text, /You are not told/)
})
