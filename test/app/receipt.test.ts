import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { planByMember } from '../support/acts.ts'
import { nobody } from '../../src/contract/notices.ts'
import { moveLead, photoOf } from '../support/life.ts'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { Store } from '../../src/store/store.ts'
import { hourMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { newDatabase } from '../support/engines.ts'
import { robin } from '../support/leads.ts'
import { temporaryFolder } from '../support/service.ts'
import { callTool } from '../support/mcp.ts'

test('a receipt tells what happened to the request, and nothing of the person [receipt.private]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const { status, headers, json, text } = await asProgram(app, 'GET', path)
  assert.equal(status, 200)
  assert.deepEqual(
    { ...(json as object), reference: 'C-…' },
    {
      reference: 'C-…',
      status: 'received',
      message: 'I have your request. I will be in touch to arrange a time.',
      received_at: '2026-11-15T09:00:00.000Z',
      changed_at: '2026-11-15T09:00:00.000Z',
      can_withdraw: true,
      withdraw_url: `https://decks.example.com${path}/withdraw`,
      erase_url: `https://decks.example.com${path}/erase`,
    },
  )
  assert.equal(headers['cache-control'], 'no-store')
  assert.doesNotMatch(text, /Robin|robin@|0491/)
})

test('a receipt opens the photos that came through it, and none that a member added', async (t) => {
  const store = new Store(newDatabase(t).open(), nobody, temporaryFolder(t))
  t.after(() => store.close())
  const app = openTestApp(t, { store })
  const receipt = await send(app)
  const [lead] = await store.views.list({ limit: 1 })
  const seen = async (origin: 'sender' | 'member') => {
    const kept = await store.photos.keep(photoOf(lead!.id, origin, hourMs, origin))
    assert.ok(kept.kind === 'kept')
    return (await app.ask('GET', `${receipt}/photos/${kept.photo.id}`)).status
  }
  assert.deepEqual([await seen('sender'), await seen('member')], [200, 404])
})

test('while the database cannot be read, program and person are asked to come back', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  app.store.leads.find = () => Promise.reject(new StorageUnavailable('away'))
  const told = await asProgram(app, 'GET', path)
  assert.equal((told.json as { error: { code: string } }).error.code, 'LOOKUP_UNAVAILABLE')
  const page = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.match(page.text, /What I received is safe\. Wait 5 seconds/)
  for (const { status, headers } of [told, page]) {
    assert.deepEqual([status, headers['retry-after']], [503, '5'])
  }
})

test('the receipt page shows the reference and a way to withdraw, and is kept by no cache', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const { reference } = (await asProgram(app, 'GET', path)).json as { reference: string }
  const { status, headers, text } = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.equal(status, 200)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.ok(text.includes(reference))
  assert.ok(text.includes(`action="${path}/withdraw"`))
  assert.doesNotMatch(text, /Robin/)
})

test('a receipt is JSON for programs, and a page for browsers', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const table: [accept: string | undefined, type: string][] = [
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*, */*;q=0.5', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/html;q=0.9, application/json', 'application/json'],
    ['text/markdown', 'application/json'],
    ['text/markdown, text/html;q=0.9, */*;q=0.8', 'application/json'],
    ['text/html', 'text/html; charset=utf-8'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8'],
  ]
  for (const [accept, type] of table) {
    const request = accept === undefined ? {} : { headers: { accept } }
    const { status, headers } = await app.ask('GET', path, request)
    assert.deepEqual([status, headers['content-type']], [200, type], String(accept))
    assert.match(headers['vary']!, /^Accept\b/)
    assert.equal(headers['cache-control'], 'no-store')
  }
  const nothing = await app.ask('GET', '/receipt/x', { headers: { accept: '*/*' } })
  assert.deepEqual([nothing.status, nothing.headers['content-type']], [404, 'application/json'])
})

test('the sender withdraws a request once; again says the same [receipt.withdraw]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  app.clock.now += 60_000
  for (let time = 0; time < 2; time += 1) {
    const { status, json } = await asProgram(app, 'POST', `${path}/withdraw`)
    const { status: state, can_withdraw, changed_at } = json as Record<string, unknown>
    assert.deepEqual(
      [status, state, can_withdraw, changed_at],
      [200, 'withdrawn', false, '2026-11-15T09:01:00.000Z'],
    )
  }
  const [lead] = await app.store.views.list({ limit: 1 })
  assert.deepEqual([lead?.state, lead?.version], ['withdrawn', 2])
})

test('a browser that withdraws is sent back to its receipt', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const { status, headers } = await app.ask('POST', `${path}/withdraw`, {
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.deepEqual([status, headers['location']], [303, path])
  const page = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.doesNotMatch(page.text, /\/withdraw"/)
})

test('a request that is closed cannot be withdrawn any more', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const [lead] = await app.store.views.list({ limit: 1 })
  await moveLead(app.store, lead!, { to: 'not_suitable', by: 'owner', at: app.clock.now })
  const { status, text } = await asProgram(app, 'POST', `${path}/withdraw`)
  assert.equal(status, 409)
  assert.match(text, /"code":"INVALID_TRANSITION"/)
})

test('the sender erases a request, open or withdrawn, and what is sent again is a new one [erase.sender]', async (t) => {
  for (const isWithdrawn of [false, true]) {
    const app = openTestApp(t)
    const keyed = { ...robin, idempotency_key: randomUUID() }
    const path = await send(app, keyed)
    if (isWithdrawn) await asProgram(app, 'POST', `${path}/withdraw`)
    assert.equal((await asProgram(app, 'GET', `${path}/erase`)).status, 303)
    const [kept] = await app.store.views.list({ limit: 1 })
    assert.equal(kept?.values.email, robin.email_1, 'a GET changes nothing')

    app.clock.now += 60_000
    let wakes = 0
    app.store.leads.onDue(() => (wakes += 1))
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await asProgram(app, 'POST', `${path}/erase`)
      assert.equal(wakes, 1, 'the owner is told at once, and not again')
      assert.deepEqual(
        { ...(json as object), reference: status },
        {
          reference: 200,
          status: 'erased',
          message:
            'The details of this request are erased. I keep only its reference and its times.',
          received_at: '2026-11-15T09:00:00.000Z',
          changed_at: '2026-11-15T09:01:00.000Z',
          can_withdraw: false,
        },
      )
    }
    const all = await app.store.views.list({ limit: 9 })
    assert.equal(all.length, 1)
    assert.doesNotMatch(JSON.stringify(all), /robin|hardwood|0491/i)
    const [events] = await app.store.leads.eventsOf(all)
    assert.equal(JSON.parse(events!.at(-1)!.data).by, 'sender')
    assert.equal((await app.postJson(keyed)).status, 409, 'a retry brings nothing back')
    assert.notEqual(await send(app, robin), path)
  }
})

test('a browser that erases is sent back to its receipt, which offers nothing more [erase.sender]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const { status, headers: answered } = await app.ask('POST', `${path}/erase`, { headers })
  assert.deepEqual([status, answered['location']], [303, path])
  const page = await app.ask('GET', path, { headers: { accept: 'text/html' } })
  assert.match(page.text, /The details of this request are erased\./)
  assert.doesNotMatch(page.text, /method="post"/)
})

test('the sender cannot erase a project that was won [erase.sender]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  for (const to of ['consultation_booked', 'won'] as const) {
    const [lead] = await app.store.views.list({ limit: 1 })
    await moveLead(app.store, lead!, { to, by: 'owner', at: app.clock.now })
  }
  const { json } = await asProgram(app, 'GET', path)
  assert.equal((json as { erase_url?: string }).erase_url, undefined)
  const { status, text } = await asProgram(app, 'POST', `${path}/erase`)
  assert.deepEqual([status, /INVALID_TRANSITION/.test(text)], [409, true])
})

test('whoever lives outside the areas is told so, by every door and on the receipt', async (t) => {
  const app = openTestApp(t)
  const far = / Your postcode is outside the areas I list, so I may not be able to come\.$/
  const messages = async (postcode: string) => {
    const lead = { ...robin, text_1: postcode }
    const { message, status_url: url } = (await app.postJson(lead)).json as Record<string, string>
    const tool = await callTool(app, 'submit_consultation_lead', { ...lead, name_1: 'Sam' })
    const receipt = (await asProgram(app, 'GET', new URL(url!).pathname)).json as {
      message: string
    }
    return [message!, String(tool.structuredContent!['message']), receipt.message]
  }
  for (const message of await messages(' 3078 ')) assert.match(message, far)
  for (const postcode of ['2480', '', 'Lismore', '24801']) {
    for (const message of await messages(postcode)) assert.doesNotMatch(message, far, postcode)
  }
})

test('held and spam look like any other request to whoever sent it [spam.held]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app, { ...robin, botcheck: 'gotcha, a bot' })
  const [lead] = await app.store.views.list({ limit: 1 })
  assert.equal(lead?.state, 'held')
  const held = (await asProgram(app, 'GET', path)).json as Record<string, unknown>
  app.clock.now += 60_000
  await moveLead(app.store, lead, { to: 'spam', by: 'owner', at: app.clock.now })
  const spam = (await asProgram(app, 'GET', path)).json
  assert.deepEqual([held['status'], held['can_withdraw']], ['received', true])
  assert.deepEqual(spam, held)
})

test('a token that nobody was given opens nothing [receipt.private]', async (t) => {
  const app = openTestApp(t)
  const path = await send(app)
  const forged = path.slice(0, -1) + (path.endsWith('0') ? '1' : '0')
  for (const each of [forged, '/receipt/', '/receipt/x', `${path}/`, `${path}x`]) {
    assert.equal((await asProgram(app, 'GET', each)).status, 404, each)
    for (const act of ['withdraw', 'erase', 'another-time']) {
      const { status } = await asProgram(app, 'POST', `${each}/${act}`)
      assert.equal(status, each === `${path}/` ? 405 : 404, each)
    }
    assert.equal((await asProgram(app, 'GET', `${each}/visit.ics`)).status, 404, each)
  }
  assert.equal((await asProgram(app, 'POST', path)).status, 405)
})

test('an address that lost a part is answered in words about receipts', async (t) => {
  const app = openTestApp(t)
  const short = (await send(app)).slice(0, -1)
  const { json } = await asProgram(app, 'GET', short)
  assert.deepEqual(json, {
    error: {
      code: 'NOT_FOUND',
      message: 'There is no receipt at this address.',
      resolution: 'Use the status_url of a request exactly as you got it, to the last character.',
    },
  })
  const page = await app.ask('GET', short, { headers: { accept: 'text/html' } })
  assert.deepEqual([page.status, page.headers['cache-control']], [404, 'no-store'])
  assert.match(page.text, /<h1>No receipt here<\/h1>[\s\S]*mailto:sam@example\.com/)
  const twin = await app.ask('GET', short, { headers: { accept: 'text/markdown' } })
  assert.deepEqual(
    [twin.status, twin.headers['content-type']],
    [404, 'text/markdown; charset=utf-8'],
  )
})

test('the thanks page shows the reference to the browser that sent the request, and to no other', async (t) => {
  const app = openTestApp(t)
  const sent = await app.postForm({ name_1: 'Robin Example', email_1: 'robin@example.com' })
  const cookie = sent.cookies.find((each) => each.startsWith('receipt='))!.split(';')[0]!
  const [lead] = await app.store.views.list({ limit: 1 })
  const own = await app.ask('GET', '/thanks/', { headers: { cookie, accept: 'text/html' } })
  assert.ok(own.text.includes(lead!.reference))
  assert.ok(own.text.includes(`href="/receipt/${/=(\w+)\./.exec(cookie)![1]}"`))
  assert.equal(own.headers['cache-control'], 'no-store')
  const other = await app.ask('GET', '/thanks/', { headers: { accept: 'text/html' } })
  assert.doesNotMatch(other.text, /C-[0-9A-Z]{5}/)
  // The cookie lasts for ten minutes: whoever comes back later has sent it all the same.
  assert.match(other.text, /no need to send it again/)
})

test('a customer asks for another time once, however often the button is pressed [receipt.another-time]', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  const before = (await asProgram(app, 'GET', path)).json as Record<string, unknown>
  assert.deepEqual(
    { ...before, reference: 'C-…' },
    {
      reference: 'C-…',
      status: 'consultation_booked',
      message: 'Consultation booked: Thursday 19 November, 3 pm.',
      received_at: '2026-11-15T09:00:00.000Z',
      changed_at: '2026-11-15T09:00:00.000Z',
      visit_at: '2026-11-19T04:00:00.000Z',
      calendar_url: `https://decks.example.com${path}/visit.ics`,
      another_time_url: `https://decks.example.com${path}/another-time`,
      can_withdraw: true,
      withdraw_url: `https://decks.example.com${path}/withdraw`,
      erase_url: `https://decks.example.com${path}/erase`,
    },
  )

  app.clock.now += 60_000
  const words = 'Friday after 3 pm would suit me.'
  const presses = await Promise.all([askByJson(app, path, { words }), askByForm(app, path, words)])
  presses.push(await askByJson(app, path, { words }))
  assert.deepEqual(
    presses.map(({ status }) => status),
    [200, 303, 200],
  )
  const after = {
    ...before,
    message:
      'Consultation booked: Thursday 19 November, 3 pm. You asked for another time; this one stays until I answer.',
    asked_at: '2026-11-15T09:01:00.000Z',
  }
  assert.deepEqual(presses[0].json, after)
  assert.equal(presses[1].headers['location'], path)
  assert.deepEqual((await asProgram(app, 'GET', path)).json, after)

  const now = await app.store.leads.find(lead.id)
  const [events] = await app.store.leads.eventsOf([lead])
  assert.equal(events!.filter(({ kind }) => kind === 'lead.asked').length, 1)
  const notes = await app.store.leads.notesOf([lead])
  assert.deepEqual(
    notes.map(({ memberId, words: noted }) => [memberId, noted]),
    [['sender', words]],
  )
  assert.deepEqual([now?.state, now?.date?.at], ['consultation_booked', thursday.at])
})

test('a second press within the time that the API description names asks once, and a later one again [receipt.another-time]', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  const described = (await asProgram(app, 'GET', '/openapi.json')).text
  const [, seconds = ''] = /Asking again within (\d+) seconds changes nothing/.exec(described)!
  assert.match(described, new RegExp(`Passed on, now or within the last ${seconds} seconds`))
  const askings = async () => {
    const [events = []] = await app.store.leads.eventsOf([lead])
    return events.filter(({ kind }) => kind === 'lead.asked').length
  }
  const press = () => askByJson(app, path, { words: 'Friday, please.' })
  await press()
  app.clock.now += Number(seconds) * 1_000 - 1
  assert.equal((await press()).status, 200)
  assert.equal(await askings(), 1)
  app.clock.now += 1
  assert.equal((await press()).status, 200)
  assert.equal(await askings(), 2)
})

test('a customer may ask five times since the last answer [receipt.another-time]', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  const press = async () => {
    app.clock.now += 60_000
    return (await askByJson(app, path, { words: 'Friday, please.' })).status
  }
  const pressSix = async () => {
    const answers = []
    for (let n = 0; n < 6; n += 1) answers.push(await press())
    return answers
  }
  assert.deepEqual(await pressSix(), [200, 200, 200, 200, 200, 409])
  const { json } = await asProgram(app, 'GET', path)
  assert.equal((json as Record<string, unknown>)['another_time_url'], undefined)
  const act = () => ({ leadId: lead.id, by: 'owner', at: app.clock.now })
  await planByMember(app.store, act(), { call: 'tried' })
  assert.equal(await press(), 409, 'a call that nobody answered is no answer')
  await planByMember(app.store, act(), { next: thursday })
  assert.deepEqual(await pressSix(), [200, 200, 200, 200, 200, 409], 'the owner has answered')
})

test('a customer who asked while the clock was ahead can ask again [receipt.another-time]', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  app.clock.now += hourMs
  await askByJson(app, path, { words: 'Friday, please.' })
  app.clock.now -= hourMs
  await askByJson(app, path, { words: 'Or on Monday.' })
  const notes = await app.store.leads.notesOf([lead])
  assert.deepEqual(
    notes.map(({ words }) => words),
    ['Friday, please.', 'Or on Monday.'],
  )
})

test('the page of a shown visit offers a calendar file and another time, and then says what was asked', async (t) => {
  const app = openTestApp(t)
  const { path } = await sendBooked(app)
  const page = await asBrowser(app, path)
  assert.match(
    page.text,
    new RegExp(`<a class="button" href="${path}/visit.ics">Add to calendar</a>`),
  )
  assert.match(
    page.text,
    new RegExp(
      `<summary>Another time, please</summary>[^]*<form method="post" action="${path}/another-time">`,
    ),
  )
  assert.match(page.text, /<textarea [^>]*name="words" [^>]*maxlength="1000"/)
  assert.match(page.text, /<button type="submit">Ask for another time<\/button>/)

  app.clock.now += 60_000
  await askByForm(app, path, 'Friday <b>after</b> 3 pm')
  const asked = await asBrowser(app, path)
  assert.match(
    asked.text,
    /Consultation booked: Thursday 19 November, 3 pm\. You asked for another time; this one stays until I answer\.<.*You asked on Sunday, 15 November 2026 at 8:01 pm\./s,
  )
  assert.doesNotMatch(asked.text, /another-time|Friday/, 'no form, and nothing that was typed')
})

test('without usable words a browser sees its receipt again with the problem, a program an error', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  const long = '<b>' + 'x'.repeat(1_000)
  const table: [typed: string, problem: RegExp][] = [
    ['', /Please tell me which days and hours suit you\./],
    [' \r\n ', /Please tell me which days and hours suit you\./],
    [long, /That is too long\. Please keep it to 1,000 characters\./],
  ]
  for (const [typed, problem] of table) {
    const { status, headers, text } = await askByForm(app, path, typed)
    assert.deepEqual([status, headers['content-type']], [400, 'text/html; charset=utf-8'])
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(text, /<title>Problem: /)
    assert.match(text, problem)
    assert.match(text, /<details open>\n<summary>Another time/)
    assert.match(text, /aria-invalid="true"/)
    const kept = /<textarea[^>]*>\n([^<]*)</.exec(text)![1]
    assert.equal(kept, typed.trim().replace('<b>', '&lt;b&gt;'))
  }
  for (const body of [{}, { words: '' }, { words: 7 }, { words: long }, 'Friday', null]) {
    const { status, json } = await askByJson(app, path, body)
    assert.equal(status, 400)
    assert.deepEqual(json, {
      error: {
        code: 'VALIDATION_ERROR',
        message: 'words must be a text of 1 to 1,000 characters.',
        resolution: 'Send in words which days and hours suit the person.',
        details: {
          fields: [
            {
              field: 'words',
              problem: 'must be a text of 1 to 1,000 characters',
              example: 'Friday after 3 pm would suit me.',
            },
          ],
        },
      },
    })
  }
  assert.equal((await app.store.leads.find(lead.id))?.askedAt, undefined)
})

test('a visit that is over, hidden, called off or withdrawn can be neither saved nor moved', async (t) => {
  const ends: Record<string, (app: TestApp, lead: Lead, path: string) => unknown> = {
    begun: (app) => (app.clock.now = thursday.at + 60_000),
    over: (app) => (app.clock.now = thursday.at + 2 * hourMs),
    hidden: (app, lead) =>
      moveLead(app.store, lead, { ...booking(app), next: thursday, shown: false }),
    'called off': (app, lead) =>
      moveLead(app.store, lead, { to: 'contacted', by: 'owner', at: app.clock.now }),
    'proposal sent': (app, lead) =>
      moveLead(app.store, lead, { to: 'proposal_sent', by: 'owner', at: app.clock.now }),
    withdrawn: (app, _, path) => asProgram(app, 'POST', `${path}/withdraw`),
    erased: (app, _, path) => asProgram(app, 'POST', `${path}/erase`),
  }
  for (const [name, end] of Object.entries(ends)) {
    const app = openTestApp(t)
    const { path, lead } = await sendBooked(app)
    await end(app, lead, path)
    const { json } = await asProgram(app, 'GET', path)
    const { another_time_url, calendar_url } = json as Record<string, unknown>
    assert.equal(another_time_url, undefined, name)
    assert.equal(calendar_url === undefined, name !== 'begun', name)
    assert.doesNotMatch((await asBrowser(app, path)).text, /another-time/, name)

    const told = await askByJson(app, path, { words: 'Friday?' })
    assert.deepEqual([told.status, /INVALID_TRANSITION/.test(told.text)], [409, true], name)
    for (const typed of ['Friday?', '']) {
      const sentBack = await askByForm(app, path, typed)
      assert.deepEqual([sentBack.status, sentBack.headers['location']], [303, path], name)
    }
    assert.deepEqual(await app.store.leads.notesOf([lead]), [], name)
    if (name === 'begun') continue
    assert.equal((await asProgram(app, 'GET', `${path}/visit.ics`)).status, 404, name)
    const { status, headers } = await asBrowser(app, `${path}/visit.ics`)
    assert.deepEqual([status, headers['location']], [303, path], name)
  }
})

test('the calendar file of a receipt has the day and hour, no street, no name and no secret link', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  for (const { status, headers, text } of [
    await asBrowser(app, `${path}/visit.ics`),
    await asProgram(app, 'GET', `${path}/visit.ics`),
  ]) {
    assert.deepEqual(
      [status, headers['content-type'], headers['cache-control']],
      [200, 'text/calendar; charset=utf-8', 'no-store'],
    )
    assert.match(headers['x-robots-tag']!, /noindex/)
    assert.match(text, /\r\nDTSTART:20261119T040000Z\r\n/)
    assert.ok(text.includes(lead.reference))
    assert.doesNotMatch(text, /LOCATION|Example Street|Robin|robin@|receipt/)
  }
})

test('scripts of other sites may ask for another time, as they may withdraw', async (t) => {
  const app = openTestApp(t)
  const { path } = await sendBooked(app)
  const headers = { origin: 'https://helper.example.com', 'content-type': 'application/json' }
  const allowed = async (act: string) => {
    const { status, headers: answered } = await app.ask('OPTIONS', path + act, { headers })
    return [status, answered['access-control-allow-methods'], answered['allow']]
  }
  assert.deepEqual(await allowed('/another-time'), await allowed('/withdraw'))
  const url = `${path}/another-time`
  for (const words of ['', 'Friday?']) {
    const answer = await app.ask('POST', url, { headers, body: JSON.stringify({ words }) })
    assert.equal(answer.headers['access-control-allow-origin'], '*')
  }
  assert.equal((await asBrowser(app, url)).headers['location'], path, 'a GET asks for nothing')
})

test('asking for another time counts towards the limit of requests [limit.hard]', async (t) => {
  const app = openTestApp(t, { rateLimit: { soft: 1, hard: 2 } })
  const { path } = await sendBooked(app)
  const ask = () =>
    app.ask('POST', `${path}/another-time`, { body: 'words=Friday%3F', from: '192.0.2.77' })
  const statuses = [(await ask()).status, (await ask()).status, (await ask()).status]
  assert.deepEqual(statuses, [200, 200, 429])
})

test('after a proposal the receipt says that the work on it goes on', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  app.clock.now = thursday.at + 2 * hourMs
  await moveLead(app.store, lead, { to: 'proposal_sent', by: 'owner', at: app.clock.now })
  const { status, message, changed_at, can_withdraw } = (await asProgram(app, 'GET', path))
    .json as Record<string, unknown>
  assert.deepEqual(
    [status, message, changed_at, can_withdraw],
    ['working_on_it', 'We have met; I am working on it.', '2026-11-19T06:00:00.000Z', true],
  )
  const { text } = await asBrowser(app, path)
  assert.match(text, /class="done"><strong>We have met<\/strong><\/li>/)
  assert.match(text, /aria-current="step"><strong>I am working on it<\/strong>/)
})

test('after a proposal without a visit the receipt does not say that we have met', async (t) => {
  const app = openTestApp(t)
  const { path, lead } = await sendBooked(app)
  // The visit lay ahead, so it never took place.
  await moveLead(app.store, lead, { to: 'proposal_sent', by: 'owner', at: app.clock.now })
  const { status, message } = (await asProgram(app, 'GET', path)).json as Record<string, unknown>
  assert.deepEqual([status, message], ['working_on_it', 'I am working on it.'])
  const { text } = await asBrowser(app, path)
  assert.doesNotMatch(text, /have met/)
  assert.match(text, /class="done"><strong>I have been in touch<\/strong><\/li>/)
  assert.match(text, /aria-current="step"><strong>I am working on it<\/strong>/)
})

/** 3 pm in New South Wales. */
const thursday = { at: Date.parse('2026-11-19T04:00:00Z'), what: 'visit' } as const

function booking(app: TestApp) {
  const place = '12 Example Street'
  return { to: 'consultation_booked', by: 'owner', at: app.clock.now, place } as const
}

async function sendBooked(app: TestApp): Promise<{ path: string; lead: Lead }> {
  const path = await send(app)
  const [sent] = await app.store.views.list({ limit: 1 })
  const lead = await moveLead(app.store, sent!, { ...booking(app), next: thursday, shown: true })
  return { path, lead: lead! }
}

function askByJson(app: TestApp, path: string, body: unknown) {
  return app.ask('POST', `${path}/another-time`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function askByForm(app: TestApp, path: string, words: string) {
  return app.ask('POST', `${path}/another-time`, {
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ words }).toString(),
  })
}

function asBrowser(app: TestApp, path: string) {
  return app.ask('GET', path, { headers: { accept: 'text/html' } })
}

async function send(app: TestApp, lead: object = robin): Promise<string> {
  const { json } = await app.postJson(lead)
  return new URL((json as { status_url: string }).status_url).pathname
}

function asProgram(app: TestApp, method: string, path: string) {
  return app.ask(method, path, { headers: { accept: 'application/json' } })
}
