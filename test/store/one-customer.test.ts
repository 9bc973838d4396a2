/** One customer is one request, once the owner has joined those that belong together. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { readFigures } from '../../src/desk/figures.ts'
import { readSite } from '../../src/discovery/documents.ts'
import { readVisits } from '../../src/desk/visits.ts'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { eraseLead, joinLeads } from '../../src/lead/act.ts'
import { NightlyErasing } from '../../src/lead/retention.ts'
import { defaultRetention } from '../../src/contract/states.ts'
import { dayMs, hourMs } from '../../src/time.ts'
import { robin } from '../support/inbox.ts'
import {
  leadIds,
  onFriday,
  openWendy,
  pageOf,
  thursday,
  toldThursday,
  wendy,
} from '../support/wendy.ts'

test("Wendy's fortnight: she writes twice and rings once, and is one row, one visit and one proposal [next.one]", async (t) => {
  const wendys = await openWendy(t)
  const { inbox, browser, first, again, join, rows, receipt, emails, lead } = wendys
  const page = await pageOf(browser, again)
  assert.match(page, /<bdi>Wendy has an open request of today, booked Thu 3.pm<.bdi>/)
  assert.match(page, new RegExp(`name="join" value="${first}" class="quiet">Belongs to it<`))

  await browser.post(actPath(again, 'note'), { words: 'Gate code 4711' })
  const joined = await join()
  assert.deepEqual([joined.status, joined.headers['location']], [303, leadPath(first)])
  const form = (await browser.get(paths.add)).text
  const nonce = /name="nonce" value="([^"]+)"/.exec(form)![1]!
  const rang = { nonce, name: 'Wendy', phone: wendy.phone_1, message: 'Bring samples' }
  const known = (await browser.post(paths.add, rang)).text
  assert.equal(known.split('sent a request on').length, 2, 'she is known by one request')
  const seen = /name="seen" value="([^"]+)"/.exec(known)![1]!
  const added = await browser.post(paths.add, { ...rang, seen, to: 'new' })
  const called = /[\w-]{36}/.exec(added.headers['location'] ?? '')![0]
  assert.match(await pageOf(browser, called), /Belongs to it/)
  await join(called)

  assert.deepEqual(await rows('all'), [first])
  assert.deepEqual(await rows('booked'), [first])
  const sheet = (await browser.get(`${paths.list}?view=booked`)).text
  assert.match(sheet, /class="what"><bdi>A deck<.*3 messages · note</s)
  const onPaper = [
    'Also: <bdi>Friday suits me better',
    'Also: <bdi>Bring samples',
    'Note: <bdi>Gate',
  ]
  for (const words of onPaper) assert.ok(sheet.includes(`class="paper">${words}`), words)
  assert.equal((await browser.get(leadPath(again))).headers['location'], leadPath(first))
  const thread = await pageOf(browser, first)
  for (const words of ['A deck', 'Friday suits me better', 'Bring samples', 'Take apart']) {
    assert.match(thread, new RegExp(words))
  }
  for (const words of ['samples', '4711']) {
    const found = await browser.post(paths.search, { q: words })
    const { text } = await browser.get(found.headers['location'] ?? '')
    assert.deepEqual(
      Array.from(text.matchAll(/id="r-([\w-]+)"/g), ([, id]) => id),
      [first],
    )
    assert.match(text, words === '4711' ? /Note: Gate code 4711/ : /Also: Bring samples/)
  }
  assert.deepEqual(await emails(), [toldThursday])
  assert.deepEqual(pick(await receipt(first)), ['consultation_booked', '2026-11-19T04:00:00.000Z'])
  assert.deepEqual(pick(await receipt(again)), ['joined', undefined])
  assert.match(String((await receipt(again))['message']), /put this together with another/)

  await ask(inbox, first, 'Friday, please')
  const unasked = await ask(inbox, again, 'Monday, please')
  assert.equal(unasked.status, 409, 'who typed the second request may be anybody')
  assert.deepEqual(await rows('today'), [first])
  await browser.post(actPath(first, 'plan'), { ...onFriday, plan: 'visit', book: '' })
  assert.deepEqual(await emails(), [
    toldThursday,
    'Your Consultation is now: Friday 20 November, 9:30 am',
  ])
  const { now } = inbox.clock
  const visits = await readVisits(inbox.store, { from: now - dayMs, now, limit: 9 })
  assert.deepEqual(
    visits.map((visit) => [visit.lead.id, visit.at]),
    [[first, thursday + 18.5 * hourMs]],
  )

  inbox.clock.now += 5 * dayMs
  await browser.post(actPath(first, 'move'), { to: 'proposal_sent' })
  await browser.post(actPath(first, 'move'), { to: 'won' })
  assert.deepEqual(await rows('done'), [first])
  const { business } = readSite('content', 'https://decks.example.com')
  const figures = await readFigures(inbox.store, business, inbox.clock.now)
  assert.deepEqual([figures.all.people + figures.all.agents, figures.outcomeOf('won')], [1, 1])
  assert.equal(figures.proposals.sent, 1)
  assert.equal((await lead(again)).state, 'joined')
  assert.equal((await receipt(first))['status'], 'going_ahead')
})

function pick({ status, visit_at }: Record<string, unknown>): unknown[] {
  return [status, visit_at]
}

async function ask(
  inbox: Awaited<ReturnType<typeof openWendy>>['inbox'],
  id: string,
  words: string,
) {
  const path = `/receipt/${leadIds.tokenOf(id)}/another-time`
  const browser = inbox.browser()
  return browser.post(path, { words }, { accept: 'application/json' })
}

test('a joined request is taken apart by its button, and the first one is as it was [next.one]', async (t) => {
  const { browser, first, again, join, states, rows, heard } = await openWendy(t)
  await join()
  assert.deepEqual(await heard(again), ['lead.state_changed', 'joined'])
  const taken = await browser.post(actPath(again, 'move'), { to: 'new', version: '2' })
  assert.equal(taken.headers['location'], leadPath(again))
  assert.deepEqual(await states(), ['consultation_booked', 'new'])
  assert.deepEqual(await rows('today'), [again])
  const page = await pageOf(browser, again)
  assert.match(page, /Belongs to it/)
  assert.match(page, /took it apart/)
  assert.match(await pageOf(browser, first), /took apart request C-/)
  assert.deepEqual(await heard(again), ['lead.state_changed', 'new'])
})

test('undo takes a joined request out again, and with it what was joined with it before [next.one, undo.move]', async (t) => {
  const { inbox, browser, first, again, join, lead } = await openWendy(t)
  const third = await inbox.take({ ...wendy, textarea_1: 'And a pergola?' })
  await join(third, again)
  assert.equal((await lead(third)).joinedTo, again)
  await join(again, first)
  assert.deepEqual([(await lead(third)).joinedTo, (await lead(again)).joinedTo], [first, first])

  const bar = await pageOf(browser, first)
  assert.match(bar, /role="status"><p>Joined: <bdi>Wendy</)
  const [, of = ''] = /name="of" value="([^"]+)">Undo</.exec(bar)!
  const undone = await browser.post(actPath(first, 'undo'), { of })
  assert.equal(undone.headers['location'], leadPath(again))
  assert.deepEqual([(await lead(third)).joinedTo, (await lead(again)).state], [again, 'new'])
})

test('a customer who takes back a joined request takes back only that one, and both hear that the other one stays [next.one]', async (t) => {
  const stays = 'This does not change the other request, which has a page of its own.'
  for (const act of ['withdraw', 'erase'] as const) {
    const wendys = await openWendy(t)
    const { browser, first, join, again, states, asSender, emails, sentTo, lead } = wendys
    assert.ok(!(await wendys.receiptPage(again)).includes(stays))
    await join()
    const page = await wendys.receiptPage(again)
    assert.equal(page.split(stays).length, 3, 'beside Withdraw and beside Erase')
    assert.ok(await asSender(act, again))
    assert.ok(String((await wendys.receipt(again))['message']).endsWith(`. ${stays}`))
    const gone = act === 'withdraw' ? 'withdrawn' : 'erased'
    assert.deepEqual(await states(), ['consultation_booked', gone])
    assert.match(
      await pageOf(browser, first),
      /The customer (withdrew|erased) the joined request C-/,
    )
    assert.deepEqual(await emails(), [toldThursday])
    // Emails leave side by side, so this one need not be the last.
    const told = await sentTo('owner@example.com')
    const taken = told.find(({ subject = '' }) => subject.startsWith('Request withdrawn: '))
    const { reference } = await lead(first)
    assert.ok(taken?.text?.includes(`It was joined with ${reference} (booked), which stays.`))
  }
})

test('when the customer takes back the first request, those joined with it are new, with the reason [next.one]', async (t) => {
  for (const act of ['withdraw', 'erase'] as const) {
    const { browser, first, again, join, states, asSender, rows, heard } = await openWendy(t)
    await join()
    await asSender(act, first)
    assert.deepEqual(await heard(again), ['lead.state_changed', 'new'])
    assert.deepEqual(await states(), [act === 'withdraw' ? 'withdrawn' : 'erased', 'new'])
    assert.ok((await rows('today')).includes(again))
    const page = await pageOf(browser, again)
    assert.match(
      page,
      /The customer took back the request that it was joined with\. So it is new again/,
    )
    assert.doesNotMatch(page, /Undo: /)
  }
})

test('when the owner erases the first request, those joined with it go with it, and the page names them [next.one, erase.shown]', async (t) => {
  const { inbox, browser, first, again, join, states, lead } = await openWendy(t)
  await join()
  const { reference } = await lead(again)
  const page = (await browser.get(actPath(first, 'erase'))).text
  assert.match(
    page,
    new RegExp(`What is joined with it goes, too:<br><bdi>Wendy</bdi>, ${reference}`),
  )
  await eraseLead(inbox.store, { leadId: first, at: inbox.clock.now })
  assert.deepEqual(await states(), ['erased', 'erased'])
  assert.deepEqual((await lead(again)).values.email, '')
})

test('what is joined with a closed request goes with it when retention erases that [next.one, retention.due]', async (t) => {
  const { inbox, browser, first, join, states } = await openWendy(t)
  await join()
  await browser.post(actPath(first, 'move'), { to: 'lost' })
  const now = inbox.clock.now + 366 * dayMs
  await inbox.store.marks.put('retention', now - dayMs)
  const told: unknown[] = []
  await new NightlyErasing({
    store: inbox.store,
    retention: defaultRetention,
    isNight: () => true,
    report: (event, facts) => told.push([event, facts]),
    reportFailure: (event, error) => told.push([event, error]),
    now: () => now,
  }).runIfDue()
  assert.deepEqual(told, [['retention.erased', { spam: 0, held: 0, closed: 1 }]])
  assert.deepEqual(await states(), ['erased', 'erased'])
})

test('two requests that are joined with each other at the same moment are one, whoever was first [next.one]', async (t) => {
  const { inbox, first, again, lead } = await openWendy(t)
  const third = await inbox.take({ ...wendy, textarea_1: 'And a pergola?' })
  const by = { by: robin.name, at: inbox.clock.now }
  const pairs = [
    [again, first],
    [first, again],
    [third, again],
    [again, third],
    [third, first],
  ] as const
  await Promise.all(
    pairs.map(([leadId, other]) => joinLeads(inbox.store, { ...by, leadId }, other)),
  )
  for (const [leadId, other] of pairs) await joinLeads(inbox.store, { ...by, leadId }, other)
  const all = await Promise.all([first, again, third].map(lead))
  assert.deepEqual(
    all.map(({ state, joinedTo }) => [state, joinedTo]),
    [
      ['consultation_booked', ''],
      ['joined', first],
      ['joined', first],
    ],
  )
})

test('what the first request lacks, it has from the one that is joined with it [next.one]', async (t) => {
  const { inbox, browser, again, lead } = await openWendy(t)
  const { values, version } = await lead(again)
  const corrected = { ...values, email: '', version: String(version) }
  await browser.post(actPath(again, 'details'), corrected)
  const email = 'new@example.com'
  const other = await inbox.take({ ...wendy, name_1: 'W', email_1: email })
  await browser.post(actPath(other, 'join'), { join: again })
  assert.equal((await lead(other)).joinedTo, again)
  assert.deepEqual((await lead(again)).values, { ...values, email }, 'only what it lacked')
})

test('who is known by a joined request only belongs to the first one, and is exported and erased with it [next.one, erase.shown]', async (t) => {
  const work = { ...wendy, email_1: 'wendy@work.example.com', phone_1: '' }
  const { inbox, browser, first, again, join, lead } = await openWendy(t, work)
  await join()
  const third = await inbox.take({ ...work, textarea_1: 'And a pergola?' })
  const page = await pageOf(browser, third)
  assert.match(page, new RegExp(`Wendy has an open request.*name="join" value="${first}"`, 's'))
  const listed = Array.from(page.matchAll(/id="r-([\w-]+)"/g), ([, id]) => id)
  assert.ok(!listed.includes(again), 'a joined request is no row')
  const exported = (await browser.get(actPath(third, 'export'))).text
  assert.match(exported, /All with this email<small>2 requests</)

  const other = await inbox.take({ ...wendy, phone_1: '', textarea_1: 'Which wood?' })
  const erasing = (await browser.get(actPath(other, 'erase'))).text
  const { reference } = await lead(again)
  assert.match(erasing, new RegExp(`With the others goes what is joined with them: ${reference}<`))
})
