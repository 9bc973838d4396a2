/** The owner finds a lead by what he remembers of it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { normaliseText } from '../../src/contract/check-fields.ts'
import { noteByMember } from '../../src/desk/acts.ts'
import { createIndexer } from '../../src/desk/indexer.ts'
import { createLateLeads } from '../../src/desk/late-leads.ts'
import { leadsOfPerson } from '../../src/desk/people.ts'
import { searchLeads } from '../../src/desk/search.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import type { Store } from '../../src/store/store.ts'
import { keysOf, leadAt, openDesk, secret } from '../support/desk.ts'
import { leadIntake } from '../support/operator.ts'
import { newInstallation } from '../support/installation.ts'
import { robin, sam } from '../support/people.ts'
import { startServiceProcess } from '../support/service.ts'
import { nowMs } from '../support/new-lead.ts'
import { randomFrom, randomText } from '../support/random.ts'

test('words, digits, parts of an email and a reference find the same leads before and after indexing [search.words]', async (t) => {
  const { store, indexAll } = openDesk(t)
  await store.keepLead(
    leadAt(1, { name: 'Zoë Example', phone: '+61 491 570 006', message: 'A pergola' }),
  )
  await store.keepLead(
    leadAt(2, { name: 'Sam O’Brien', email: 'sam@decks.example', phone: '(02) 5550 0100' }),
  )
  await store.keepLead(leadAt(3, { name: 'Zoe Other', message: 'A pergola and a deck, 東京' }))
  const { reference } = (await store.findLead(leadAt(2).id))!
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
    ['東京', [3]],
    [reference, [2]],
    [spoken, [2]],
    [`c ${spoken.slice(0, 3)} ${spoken.slice(3)}`, [2]],
    ['perg zoe', []],
    ['nothing', []],
    ['', []],
  ]
  const check = async (when: string) => {
    for (const [text, minutes] of expected) {
      assert.deepEqual(await minutesOf(store, text), minutes, `${when}: ${text}`)
    }
  }
  await check('before')
  await indexAll()
  await check('after')
  assert.equal((await store.readSearchMark()).leadId, leadAt(3).id)
})

test('an area with hundreds of postcodes is found by its name', async (t) => {
  const { store, indexAll } = openDesk(t)
  const postcodes = Array.from({ length: 290 }, (_, index) => String(2_000 + index))
  const areas = [{ name: 'Greater Sydney', postcodes }]
  for (const [minute, postcode] of ['2000', '2289', '2480'].entries()) {
    await store.keepLead(leadAt(minute, { name: 'Zoë', postcode }))
  }
  await indexAll()
  for (const text of ['sydney', 'sydney greater', 'sydney zoe']) {
    const { leads } = await searchLeads(store, text, { areas })
    assert.deepEqual(
      leads.map(({ id }) => id),
      [leadAt(1).id, leadAt(0).id],
      text,
    )
  }
})

test('pages follow each other, newest first, over what is indexed and what is not', async (t) => {
  const { store, engine, indexAll } = openDesk(t)
  const keep = async (from: number, to: number) => {
    for (let minute = from; minute < to; minute += 1) {
      const words = [minute % 2 ? 'odd' : 'even', ...(minute % 10 === 9 ? ['tenth'] : [])]
      await store.keepLead(leadAt(minute, { message: words.join(' ') }))
    }
  }
  await keep(0, 59)
  await indexAll()
  await nearBlockEnd(engine)
  await keep(60, 100)
  await indexAll()
  await nearBlockEnd(engine)
  await keep(100, 150)
  await indexAll()
  // Late, and the last of its block.
  await keep(59, 60)
  await store.addDue([leadAt(59).id])
  await indexAll()
  await keep(150, 200)
  const tenths = Array.from({ length: 20 }, (_, index) => 199 - 10 * index)
  assert.deepEqual(await minutesOf(store, 'tenth'), tenths)
  const seen: string[] = []
  for (let before: string | undefined; ;) {
    const { leads, next } = await searchLeads(store, 'odd', {
      limit: 20,
      ...(before && { before }),
    })
    seen.push(...leads.map(({ id }) => id))
    // Somebody may erase the lead at which a page ended.
    if (seen.length === 60) await store.eraseLead(leads.at(-1)!, { by: 'owner', at: nowMs })
    if (next === undefined) break
    before = next
  }
  const odd = Array.from({ length: 100 }, (_, index) => leadAt(199 - 2 * index).id)
  assert.deepEqual(seen, odd)
})

test('a note is found at once, and after indexing; a lead that comes late is found in its place [search.at-once]', async (t) => {
  const { store, indexAll } = openDesk(t)
  for (const minute of [1, 2, 4]) await store.keepLead(leadAt(minute, { message: 'hardwood' }))
  await indexAll()
  const lead = (await store.findLead(leadAt(2).id))!
  const act = { leadId: lead.id, version: lead.version, by: 'member-1', at: nowMs }
  await noteByMember(store, act, 'Rings back on Tuesday')
  await store.keepLead(leadAt(3, { message: 'hardwood' }))
  await store.addDue([leadAt(3).id, leadAt(0).id])
  for (const when of ['before', 'after']) {
    assert.deepEqual(await minutesOf(store, 'tuesday'), [2], when)
    assert.deepEqual(await minutesOf(store, 'tuesday hardwood'), [2], when)
    assert.deepEqual(await minutesOf(store, 'hardwood'), [4, 3, 2, 1], when)
    await indexAll()
  }
  assert.deepEqual(await store.dueIds(10), [])
  assert.deepEqual(await store.leadIdsOf(keysOf(leadAt(3))[0]!, { limit: 9 }), [leadAt(3).id])
})

test('of two indexers at once, one works, and a lead has one document', async (t) => {
  const { store } = openDesk(t)
  for (let minute = 0; minute < 130; minute += 1) await store.keepLead(leadAt(minute))
  const now = () => nowMs + 1e9
  const indexers = [1, 2, 3].map(() => createIndexer({ store, secret, now }))
  const first = await Promise.all(indexers.map(({ indexBatch }) => indexBatch()))
  assert.deepEqual(
    first.filter((count) => count > 0),
    [100],
  )
  // Even if a lease ran out in the middle of a batch.
  const from = await store.readSearchMark()
  const doc = { doc: from.doc + 1, leadId: leadAt(100).id, words: ['twice'], personKeys: [] }
  const write = (leadId: string) =>
    store.writeDocs({ from, to: { ...from, batch: from.batch + 1 } }, [{ ...doc, leadId }], [])
  const written = await Promise.all([write(leadAt(100).id), write(leadAt(101).id)])
  assert.deepEqual(written.toSorted(), [false, true])
  assert.equal((await store.docsOf([leadAt(100).id, leadAt(101).id])).size, 1)
})

test('whatever is typed is searched for, and is never an error', async (t) => {
  const { store, indexAll } = openDesk(t)
  const random = randomFrom(7)
  for (let minute = 0; minute < 50; minute += 1) {
    await store.keepLead(leadAt(minute, { message: normaliseText(randomText(random, 60)) }))
  }
  await indexAll()
  const tries = Number(process.env['STORY_SEARCHES'] ?? 500)
  for (let index = 0; index < tries; index += 1) {
    const text = randomText(random, 1 + (index % 40))
    const { leads } = await searchLeads(store, text)
    assert.ok(leads.length <= 50, text)
  }
})

test('the operator searches beside a running server', async (t) => {
  const { place } = await newInstallation(t)
  const service = await startServiceProcess(place)
  t.after(() => service.stop())
  for (const body of [robin, sam]) {
    await fetch(`${service.url}/api/lead`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }
  const found = await leadIntake(place, ['leads', 'search', 'robin', 'EXAMPLE', '--json'])
  assert.equal(found.code, 0, found.error)
  const names = (JSON.parse(found.out) as { name_1: string }[]).map((lead) => lead.name_1)
  assert.deepEqual(names, [robin.name_1])
  const fromPlace = await leadIntake(place, ['leads', 'search', 'lismore', '--json'])
  assert.equal(robin.text_1, '2480')
  const placed = (JSON.parse(fromPlace.out) as { name_1: string }[]).map((lead) => lead.name_1)
  assert.deepEqual(placed, [robin.name_1])
  const none = await leadIntake(place, ['leads', 'search', '"; drop table lead; --'])
  assert.deepEqual([none.code, none.out], [0, 'No leads.\n'])
})

/** PostgreSQL has its index in blocks of 32,768 leads: the next batch begins another. */
async function nearBlockEnd(engine: Engine): Promise<void> {
  const [row] = await engine.read(`select value from installation where name = 'search-mark'`)
  const [leadId, doc, batch] = String(row!['value']).split(' ')
  const value = [leadId, doc, batch, 32_767].join(' ')
  await engine.run([[`update installation set value = $1 where name = 'search-mark'`, [value]]])
}

async function minutesOf(store: Store, text: string): Promise<number[]> {
  const { leads } = await searchLeads(store, text)
  return leads.map(({ receivedAt }) => (receivedAt - nowMs) / 60_000)
}

test("a lead with an older id than the index has passed is found, and is its person's", async (t) => {
  const { store, indexAll } = openDesk(t)
  const keep = async (minute: number, message: string) => {
    await store.keepLead(leadAt(minute, { email: 'robin@example.com', message }))
  }
  await keep(60, 'merbau deck')
  await indexAll()
  // The clock was an hour ahead, is set right, and the service starts again.
  const late = createLateLeads()
  await keep(5, 'jarrah pergola')
  late.note(leadAt(5).id)
  await late.addDue(store)
  for (const when of ['before', 'after']) {
    assert.deepEqual(await minutesOf(store, 'jarrah'), [5], when)
    const keys = keysOf(leadAt(5, { email: 'robin@example.com' }))
    const found = await leadsOfPerson(store, { keys, keysOf }, { limit: 9 })
    assert.deepEqual(
      found.map(({ id }) => id),
      [leadAt(60).id, leadAt(5).id],
      when,
    )
    await indexAll()
  }
})
