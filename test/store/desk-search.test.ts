import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { eraseLead } from '../support/life.ts'
import { nobody } from '../../src/contract/notices.ts'
import { normaliseText } from '../../src/contract/check-fields.ts'
import { moveByMember, noteByMember, planByMember } from '../support/acts.ts'
import { foundWords, searchLeads } from '../../src/desk/search.ts'
import { toRows } from '../../src/desk/views.ts'
import { insertRows } from '../../src/store/engine/engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { Store } from '../../src/store/store.ts'
import { areas, keysOf, leadAt, openDesk, type TestDesk } from '../support/desk.ts'
import { onPostgres } from '../support/engines.ts'
import { temporaryFolder } from '../support/service.ts'
import { nowMs } from '../support/leads.ts'
import { randomFrom, randomText } from '../support/random.ts'

test('words, digits, parts of an email and a reference find leads [search.words, search.engines]', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(
    leadAt(1, { name: 'Zoë Example', phone: '+61 491 570 006', message: 'A pergola' }),
  )
  await store.leads.keep(
    leadAt(2, { name: 'Sam O’Brien', email: 'sam@decks.example', phone: '(02) 5550 0100' }),
  )
  await store.leads.keep(leadAt(3, { name: 'Zoe Other', message: 'A pergola and a deck, 東京' }))
  await store.leads.keep(
    leadAt(4, { name: 'Jo Mc Allister', email: 'jo@example.de', message: '我想要木平台维修' }),
  )
  const { reference } = (await store.leads.find(leadAt(2).id))!
  const spoken = reference.slice(2).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')
  const expected: [text: string, minutes: number[]][] = [
    ['zoe', [3, 1]],
    ['pergola zoë', [3, 1]],
    ['pergola deck', [3]],
    ['perg', [3, 1]],
    ['570', [1]],
    ['0491 57', [1]],
    ['5550 0100', [2]],
    ['decks.example', [2]],
    ['obrien', [2]],
    ['example.com', [3, 1]],
    ['@example.de', [4]],
    ['東京', [3]],
    ['平台', [4]],
    ['allister', [4]],
    ['McAllister', []],
    ['llist', [4]],
    [reference.slice(0, 7), [4, 3, 2, 1]],
    [reference.slice(-5), [2]],
    [reference.slice(-4), [2]],
    [reference, [2]],
    [spoken, [2]],
    [`c ${spoken.slice(0, 3)} ${spoken.slice(3)}`, [2]],
    ['perg zoe', [3, 1]],
    ['nothing', []],
    ['', []],
  ]
  for (const [text, minutes] of expected) {
    assert.deepEqual(await minutesOf(store, text), minutes, text)
  }
})

test('the name of an area finds its postcodes, beside those who typed the name [search.words]', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(leadAt(1, { postcode: '2480', message: 'A deck' }))
  await store.leads.keep(leadAt(2, { postcode: '4000', message: 'A deck in lismore' }))
  await store.leads.keep(leadAt(3, { postcode: '4000', message: 'A deck, 2480 mm wide' }))
  const found = async (text: string) => (await searchLeads(store, text, { areas })).leads.length
  assert.equal(await found('Lismore'), 2)
  assert.equal(await found('lism deck'), 2)
  assert.equal(await found('lismore pergola'), 0)
})

test('a search reads so many leads and no more, and goes on where it stopped, also if it found nothing [search.words]', async (t) => {
  const { store, engine } = openDesk(t)
  await store.leads.keep(leadAt(0, { message: 'A rare word: wallaby' }))
  await addTexts(engine, 2_500)
  const whole = await searchLeads(store, 'wallaby')
  assert.deepEqual([whole.leads.length, whole.isWhole, whole.nextPage], [1, true, undefined])
  const pages: number[] = []
  let before: string | undefined
  do {
    const page = await searchLeads(store, 'wallaby', { mostRead: 1_000, before })
    assert.equal(page.isWhole, page.nextPage === undefined)
    pages.push(page.leads.length)
    before = page.nextPage
  } while (before !== undefined)
  assert.deepEqual(pages, [0, 0, 1])
})

/** Texts of leads that are not there, newer than those of the test. */
async function addTexts(engine: TestDesk['engine'], count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    leadId: leadAt(index + 10).id,
    words: ' a deck',
  }))
  await engine.run([insertRows('search_doc', ...rows)])
}

test('a whole email or phone number finds its requests however many are newer, each of them once [search.words]', async (t) => {
  const { store, engine } = openDesk(t)
  const zoe = { name: 'Zoë', email: 'zoe@example.com', phone: '0491 570 006' }
  await store.leads.keep(leadAt(0, { message: 'My friend is zoe@example.com, 0491 570 006' }))
  for (const message of ['A deck', 'A pergola']) {
    await store.leads.keep(leadAt(message.length, { ...zoe, message }))
  }
  await addTexts(engine, 1_000)
  for (const text of [' ZOE@example.com', '0491 570 006', '+61 491 570 006', '0491570006']) {
    const options = { mostRead: 1_000, keysOf }
    const first = await searchLeads(store, text, options)
    const found = first.leads.map(({ values }) => values.name)
    assert.deepEqual([found, first.isWhole], [['Zoë', 'Zoë'], false], text)
    const second = await searchLeads(store, text, { ...options, before: first.nextPage })
    const further = second.leads.map(({ values }) => values.name)
    assert.deepEqual([further, second.isWhole], [['Person 0'], true], text)
  }
})

test('a lead is found at once, and so are its notes and the place of its visit [search.at-once]', async (t) => {
  const { store } = openDesk(t)
  for (const minute of [1, 2, 4]) await store.leads.keep(leadAt(minute, { message: 'hardwood' }))
  const lead = (await store.leads.find(leadAt(2).id))!
  const act = { leadId: lead.id, version: lead.version, by: 'member-1', at: nowMs }
  await noteByMember(store, act, 'Rings back on Tuesday')
  await noteByMember(store, { ...act, version: undefined }, 'Rang on Wednesday')
  assert.deepEqual(await minutesOf(store, 'tuesday'), [2])
  assert.deepEqual(await minutesOf(store, 'tuesday wednesday hardwood'), [2])
  assert.deepEqual(await minutesOf(store, 'hardwood'), [4, 2, 1])
  const visit = { next: { at: nowMs + 86_400_000, what: 'visit' as const } }
  const booked = { ...act, version: undefined }
  await moveByMember(store, booked, 'consultation_booked', { ...visit, place: '12 Acacia St' })
  await noteByMember(store, booked, 'Steep drive')
  assert.deepEqual(await minutesOf(store, 'acacia steep tuesday'), [2])
  await planByMember(store, booked, { ...visit, place: '3 Banksia St' })
  assert.deepEqual(await minutesOf(store, 'acacia'), [])
  assert.deepEqual(await minutesOf(store, 'banksia tuesday'), [2])
  const found = await store.views.ofPerson(leadAt(2).personKeys, { limit: 9 })
  assert.deepEqual(
    found.map(({ id }) => id),
    [leadAt(2).id],
  )
})

test(
  'a search finds the same leads after deletions and VACUUM, as in a restored backup [search.restored]',
  { skip: onPostgres && 'VACUUM is of SQLite' },
  async (t) => {
    const { store, database } = openDesk(t)
    for (let minute = 0; minute < 30; minute += 1) {
      await store.leads.keep(leadAt(minute, { message: `hardwood unique${minute}` }))
    }
    for (const minute of [0, 3, 4, 5, 17, 29]) {
      await eraseLead(store, (await store.leads.find(leadAt(minute).id))!, {
        by: 'owner',
        at: nowMs,
      })
    }
    const path = join(temporaryFolder(t), 'restored.sqlite')
    await database.execute(`vacuum into '${path}'`)
    const restored = new Store(openSqlite({ path }), nobody)
    t.after(() => restored.close())
    assert.deepEqual(await minutesOf(restored, 'unique16'), [16])
    assert.deepEqual(await minutesOf(restored, 'unique17'), [])
    const expected = await minutesOf(store, 'hardwood')
    assert.equal(expected.length, 24)
    assert.deepEqual(await minutesOf(restored, 'hardwood'), expected)
    await restored.leads.keep(leadAt(40, { message: 'hardwood' }))
    assert.deepEqual(await minutesOf(restored, 'hardwood'), [40, ...expected])
  },
)

test('four words are sought, and the groups of a phone number are one of them', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(leadAt(1, { phone: '0491 570 006', message: 'A pergola and a deck' }))
  const number = await searchLeads(store, '0491 570 006 deck pergola')
  assert.deepEqual([number.leads.length, number.isCut], [1, false])
  const many = await searchLeads(store, 'deck pergola and a nothing')
  assert.deepEqual([many.leads.length, many.isCut], [1, true])
})

test('whatever is typed is searched for, and is never an error', async (t) => {
  const { store } = openDesk(t)
  const random = randomFrom(7)
  for (let minute = 0; minute < 50; minute += 1) {
    await store.leads.keep(leadAt(minute, { message: normaliseText(randomText(random, 60)) }))
  }
  const tries = onPostgres ? 200 : 500
  for (let index = 0; index < tries; index += 1) {
    const text = randomText(random, 1 + (index % 40))
    const { leads } = await searchLeads(store, text)
    assert.ok(leads.length <= 50, text)
  }
})

async function minutesOf(store: Store, text: string): Promise<number[]> {
  const { leads } = await searchLeads(store, text)
  return leads.map(({ receivedAt }) => (receivedAt - nowMs) / 60_000)
}

test('of more notes than are searched, the newest are found [search.at-once]', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(leadAt(1))
  const act = { leadId: leadAt(1).id, version: undefined, by: 'member-1', at: nowMs }
  for (const mark of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']) {
    await noteByMember(store, act, `${'timber '.repeat(557)}${mark}`)
  }
  assert.deepEqual(await minutesOf(store, 'sixth'), [1])
  assert.deepEqual(await minutesOf(store, 'first'), [])
})

test('the newest notes are found however many there are, and a row shows only a note that was found', async (t) => {
  const { store } = openDesk(t)
  await store.leads.keep(leadAt(1, { name: 'Al Smith' }))
  const act = { leadId: leadAt(1).id, version: undefined, by: 'member-1', at: nowMs }
  for (let index = 0; index < 16; index += 1) {
    await noteByMember(store, act, `call back ${index} ${'timber '.repeat(20)} mark${index}`)
  }
  assert.deepEqual(await minutesOf(store, 'mark15'), [1])
  assert.deepEqual(await minutesOf(store, 'mark0'), [1])
  const found = await searchLeads(store, 'al')
  assert.equal(found.leads.length, 1)
  const rows = await toRows(store, found.leads, [])
  assert.equal((await foundWords(store, { rows, where: found.where }, 'al')).size, 0)
})
