import assert from 'node:assert/strict'
import test from 'node:test'
import { openDesk } from '../support/desk.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { bot, robin, sam, eventsOf } from '../support/leads.ts'

test('an empty trap is no sign of anything [2.1.botcheck]', async (t) => {
  const app = openTestApp(t)
  for (const botcheck of ['', ' ', '\t', null, false, undefined]) {
    assert.deepEqual(await judged(app, { ...sam, textarea_1: String(Math.random()), botcheck }), {
      state: 'new',
      reasons: [],
    })
  }
})

test('a sprung trap is answered like any lead, and the lead is held for the owner [spam.held]', async (t) => {
  const { postJson, postForm, store } = openTestApp(t)
  const answer = await postJson(bot)
  const ordinary = await postJson(sam)
  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.json as object), Object.keys(ordinary.json as object))
  assert.deepEqual(Object.keys(answer.headers), Object.keys(ordinary.headers))
  const browser = await postForm({ ...bot, email_1: 'other@example.com' })
  assert.equal(browser.headers['location'], '/thanks/')
  const held = await store.views.list({ states: ['held'], limit: 5 })
  assert.equal(held.length, 2)
  assert.deepEqual(held[0]?.judgement, { score: 100, reasons: ['trap'] })
  assert.equal(held[0]?.botcheck, bot.botcheck)
  const [event] = await eventsOf(store, held[0].id)
  assert.equal(event?.kind, 'lead.held')
})

test('a browser that fills in the trap by itself does not cost a person their lead [spam.autofill]', async (t) => {
  const app = openTestApp(t)
  const fillings = [
    robin.name_1,
    'robin',
    robin.email_1,
    robin.phone_1,
    robin.text_1,
    'Australia',
    'AU',
    'NSW',
    'Byron Bay',
    'New Zealand',
  ]
  for (const botcheck of fillings) {
    const message = `${robin.textarea_1} ${botcheck}`
    const { state } = await judged(app, { ...robin, textarea_1: message, botcheck })
    assert.equal(state, 'new', botcheck)
  }
  const links =
    'see https://a.example https://b.example https://c.example https://d.example https://e.example'
  const { reasons } = await judged(app, { ...robin, textarea_1: links, botcheck: 'Australia' })
  assert.deepEqual(reasons, ['links', 'trap'])
})

test('a trap with more characters than any field that browsers fill in is sprung [spam.held]', async (t) => {
  const app = openTestApp(t)
  // 130 letters that are two characters each.
  const wide = '\u{1d400}'.repeat(130)
  const leads = [
    { ...robin, botcheck: `Australia ${'x'.repeat(290)}` },
    { ...robin, botcheck: 'Australia '.repeat(30) },
    { ...robin, name_1: wide, botcheck: wide },
  ]
  for (const lead of leads) {
    assert.deepEqual(await judged(app, lead), { state: 'held', reasons: ['trap'] })
  }
})

test('a few links are welcome, many are held', async (t) => {
  const app = openTestApp(t)
  const links = (count: number) =>
    Array.from({ length: count }, (_, i) => `https://example.com/${i}`).join(' ')
  assert.equal((await judged(app, { ...robin, textarea_1: links(4) })).state, 'new')
  assert.deepEqual(await judged(app, { ...robin, textarea_1: links(5) }), {
    state: 'held',
    reasons: ['links'],
  })
})

test('three links are held if nothing says where or how to reach the sender', async (t) => {
  const app = openTestApp(t)
  const ideas = 'Ideas: https://pins.example/1 https://pins.example/2 https://pins.example/3'
  const spam = 'cheap meds www.meds1.com www.meds2.com www.meds3.com'
  for (const textarea_1 of [ideas, spam]) {
    assert.deepEqual(await judged(app, { ...sam, textarea_1 }), {
      state: 'held',
      reasons: ['links-alone'],
    })
  }
  for (const reach of [{ phone_1: robin.phone_1 }, { text_1: '2480' }]) {
    assert.equal((await judged(app, { ...sam, ...reach, textarea_1: ideas })).state, 'new')
  }
  const two = 'Our house https://a.example.com and the old deck https://b.example.com'
  assert.equal((await judged(app, { ...sam, textarea_1: two })).state, 'new')
})

test('a link counts in every spelling, an email address and a missing space do not', async (t) => {
  const app = openTestApp(t)
  const five = (link: string) => Array.from({ length: 5 }, (_, at) => link.replace('N', `${at}`))
  for (const link of [
    '//aN.example.com/x',
    'https：//bN.example.com',
    'cN-pills.top',
    'dN.example.com',
  ]) {
    const { state } = await judged(app, { ...sam, textarea_1: five(link).join(' and ') })
    assert.equal(state, 'held', link)
  }
  const people = [
    'I like it.We have a dog.Ring me.Or not.And then.Yes',
    five('sN@example.com').join(' '),
  ]
  for (const textarea_1 of people) {
    assert.equal((await judged(app, { ...sam, textarea_1 })).state, 'new', textarea_1)
  }
})

test('the same long text from many clients is held from the fourth on', async (t) => {
  const { postJson, store } = openTestApp(t)
  const textarea_1 = 'I visited your website and can bring it to the first page of every search.'
  for (let client = 1; client <= 5; client += 1) {
    const lead = { name_1: 'A', email_1: `a${client}@example.com`, textarea_1 }
    await postJson(lead, {}, `192.0.2.${client}`)
  }
  assert.equal((await store.views.list({ states: ['new'], limit: 9 })).length, 3)
  assert.equal((await store.views.list({ states: ['held'], limit: 9 })).length, 2)
})

test('retries from other networks while nothing can be kept do not count as the text of several people', async (t) => {
  const { store, database } = openDesk(t)
  const { postJson } = openTestApp(t, { store })
  const lead = { ...sam, textarea_1: 'A pergola over the back door, please. I am home on Fridays.' }
  await database.execute('alter table event rename to away')
  for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) {
    assert.equal((await postJson(lead, {}, from)).status, 503)
  }
  await database.execute('alter table away rename to event')
  assert.equal((await postJson(lead, {}, '192.0.2.5')).status, 200)
  const [kept, ...others] = await store.views.list({ limit: 9 })
  assert.deepEqual([kept?.state, others], ['new', []])
})

async function judged({ postJson, store, clock }: TestApp, body: object) {
  clock.now += 1
  assert.equal((await postJson(body)).status, 200)
  const [lead] = await store.views.list({ limit: 1 })
  return { state: lead!.state, reasons: lead!.judgement.reasons }
}
