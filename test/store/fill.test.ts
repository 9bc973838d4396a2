import assert from 'node:assert/strict'
import test from 'node:test'
import { nobody } from '../../src/contract/notices.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { actOn } from '../../src/lead/act.ts'
import { correct, note } from '../../src/lead/life.ts'
import { StorageUnavailable, type Engine } from '../../src/store/engine/engine.ts'
import { detailsOf } from '../../src/store/leads/details.ts'
import { makeSecret } from '../../src/store/secret.ts'
import { Store } from '../../src/store/store.ts'
import { settingsOf, withStoreOf } from '../support/backup.ts'
import { keysOf, leadAt, openDesk, type TestDesk } from '../support/desk.ts'
import { newInstallation } from '../support/engines.ts'
import { nowMs } from '../support/leads.ts'
import { eraseLead } from '../support/life.ts'
import { leadIntake } from '../support/operator.ts'
import type { Cleaner } from '../support/service.ts'

const zoe = { name: 'Zoë Quux', email: 'zoe@example.com', phone: '0491 570 006' }
/** The same request again within minutes would be a repeat. */
const zoeAt = (minute: number) =>
  leadAt(minute, { ...zoe, postcode: '2480', message: `A hardwood deck ${minute}, in grey` })

const kinds = ['zoe', 'quux hardwood', 'grey', '570006', '0491 570 006', 'zoe@example.com', '2480']

test('a lead is found by every kind of word, and its person is recognised, at once through another node [search.at-once]', async (t) => {
  const { store, database } = openDesk(t)
  const other = openBeside(t, database)
  await store.leads.keep(leadAt(0, { email: zoe.email }))
  for (const [index, typed] of kinds.entries()) {
    const { id } = leadAt(index + 1)
    await store.leads.keep(zoeAt(index + 1))
    const { leads } = await searchLeads(other, typed)
    assert.ok(
      leads.some((lead) => lead.id === id),
      typed,
    )
  }
  const { id } = leadAt(20)
  await store.leads.keep(leadAt(20, { ...zoe, email: 'other@example.com' }))
  assert.equal((await other.views.factsOf([id])).get(id)?.nth, kinds.length + 1)
  await store.leads.keep(leadAt(21, zoe))
  const ofPerson = await other.views.ofPerson(keysOf(zoe), { limit: 99 })
  assert.equal(ofPerson.length, kinds.length + 3)
})

test('what a node changes is found at once through another, and what it replaced is not [search.at-once]', async (t) => {
  const { store, database } = openDesk(t)
  const other = openBeside(t, database)
  const { id } = leadAt(1)
  const act = { by: 'member-1', at: nowMs }
  await store.leads.keep(zoeAt(1))
  const isFound = async (typed: string) => (await searchLeads(other, typed)).leads.length === 1
  const isKnown = async (email: string) =>
    (await other.views.ofPerson(keysOf({ email, phone: '' }), { limit: 9 })).length === 1
  assert.deepEqual([await isFound('zoe'), await isKnown(zoe.email)], [true, true])
  await actOn(store, id, note('Rings back on Tuesday', act))
  assert.ok(await isFound('tuesday hardwood'))
  const [emailKey = ''] = keysOf({ email: 'yan@example.com', phone: '' })
  const details = detailsOf((await store.leads.find(id))!)
  const corrected = { ...details, name: 'Yan', email: 'yan@example.com', emailKey }
  await actOn(store, id, correct(corrected, act))
  assert.deepEqual([await isFound('yan tuesday'), await isFound('zoe')], [true, false])
  assert.deepEqual([await isKnown('yan@example.com'), await isKnown(zoe.email)], [true, false])
})

test('leads that were kept right before kill -9 are found by the operator, and their person is recognised [search.at-once]', async (t) => {
  const { place, execute } = await newInstallation(t, { isMigrated: true })
  makeSecret(place.dataDir)
  const minutes = [1, 2]
  await withStoreOf(settingsOf(place), async (store) => {
    for (const minute of minutes) await store.leads.keep(zoeAt(minute))
  })
  assert.deepEqual(await execute('select * from search_doc'), [], 'as a kill leaves them')
  const { out } = await leadIntake(place, ['leads', 'list', '--search', 'hardwood', '--json'])
  assert.equal((JSON.parse(out) as unknown[]).length, minutes.length)
  await withStoreOf(settingsOf(place), async (store) => {
    const [newest] = await store.views.list({ limit: 9 })
    const facts = await store.views.factsOf([newest!.id])
    assert.equal(facts.get(newest!.id)?.nth, minutes.length)
  })
})

test('a search and the list of a person still answer while nothing can be written [search.at-once]', async (t) => {
  const { store, engine } = openDesk(t)
  await store.leads.keep(zoeAt(1))
  await store.search.fillNext()
  const full: Engine = { ...engine, run: () => Promise.reject(new StorageUnavailable('full')) }
  await store.leads.keep(zoeAt(2))
  const reading = new Store(full, nobody)
  assert.equal((await searchLeads(reading, 'hardwood')).leads.length, 1)
  assert.equal((await reading.views.ofPerson(keysOf(zoe), { limit: 9 })).length, 1)
  assert.equal((await searchLeads(store, 'hardwood')).leads.length, 2, 'later both are found')
})

test('a lead that is erased before it is filled, or while it is, leaves no word [erase.shown]', async (t) => {
  const { store, engine, database } = openDesk(t)
  const erase = async (minute: number) =>
    eraseLead(store, (await store.leads.find(leadAt(minute).id))!, { by: 'owner', at: nowMs })
  await store.leads.keep(zoeAt(1))
  await erase(1)
  await store.search.fillNext()
  await store.leads.keep(zoeAt(2))
  const slow: Engine = {
    ...engine,
    async run(batch, deadlineMs) {
      // The fill has read the lead, and made its text.
      await erase(2)
      return engine.run(batch, deadlineMs)
    },
  }
  assert.equal(await new Store(slow, nobody).search.fillNext(), 1)
  await store.search.fillNext()
  assert.deepEqual(await database.execute('select * from search_doc'), [])
  const ofPerson = await store.views.ofPerson(keysOf(zoe), { limit: 9 })
  assert.deepEqual([ofPerson, (await searchLeads(store, 'zoe')).leads], [[], []])
})

test('a lead that a node of an earlier version erased is found by nothing, not even by its reference [search.at-once]', async (t) => {
  const { store, database } = openDesk(t)
  const { id, reference } = leadAt(1)
  await store.leads.keep(zoeAt(1))
  assert.equal((await searchLeads(store, 'zoe')).leads.length, 1)
  await database.execute(
    `update lead set state = 'erased', version = version + 1, name = '', email = '', message = '' where id = '${id}'`,
  )
  for (const typed of ['zoe', reference.replaceAll('-', '').slice(1, 5)])
    assert.deepEqual((await searchLeads(store, typed)).leads, [], typed)
  assert.deepEqual(await database.execute('select * from search_doc'), [])
})

function openBeside(t: Cleaner, database: TestDesk['database']): Store {
  const store = new Store(database.open(), nobody)
  t.after(() => store.close())
  return store
}
