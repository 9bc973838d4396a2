import assert from 'node:assert/strict'
import { readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { eraseLead, markAsSpam, writeEverything } from '../support/life.ts'
import { moveByMember, noteByMember } from '../support/acts.ts'
import { nobody } from '../../src/contract/notices.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { erasedPath, readErased } from '../../src/store/leads/erasing.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { readTables } from '../../src/store/postgres/copy.ts'
import { openLeads } from '../../src/store/open.ts'
import { Store } from '../../src/store/store.ts'
import { settingsOf, withStoreOf } from '../support/backup.ts'
import { leadAt, openDesk } from '../support/desk.ts'
import { onPostgres, newInstallation } from '../support/engines.ts'
import { filesWith } from '../support/files-with.ts'
import { nowMs, robin, sam } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'
import { postLead, temporaryFolder, type Cleaner } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { until } from '../support/until.ts'

test('an erased lead leaves no word of the person, beside a running server [repeat.erased, erase.shown, erase.files]', async (t) => {
  const { place, readStored } = await newInstallation(t, { isMigrated: true })
  const env = { ...place.env, SMTP_URL: 'smtp://127.0.0.1:9', OWNER_EMAIL: 'owner@example.com' }
  const service = await startServiceHere(t, { ...place, env })
  const send = async (body: object, browser = 'Browser') => {
    const answer = await postLead(service.url, body, { 'user-agent': browser })
    return (await answer.json()) as { reference: string; status_url: string }
  }
  const { reference, status_url } = await send({ ...robin, colour: 'Robins grey' }, 'Robins')
  const other = await send(sam)
  await withStoreOf(settingsOf(place), async (store) => {
    const lead = await store.leads.findByReference(reference)
    const act = { leadId: lead!.id, version: lead!.version, by: 'member-1', at: Date.now() }
    await noteByMember(store, act, 'Likes merbau; Robins gate code is 7')
    const [found] = (await searchLeads(store, 'robins gate')).leads
    assert.equal(found?.reference, reference)
  })
  const words = /robin|hardwood|metres|570006|0491 570|merbau|gate code/i
  if (!onPostgres) assert.notDeepEqual(filesWith(place.dataDir, /merbau/), [])

  const before = (await readStored()).leads.find((lead) => lead.reference === reference)!

  const asked = await leadIntake(place, ['leads', 'erase', reference])
  assert.equal(asked.code, 2)
  assert.match(asked.error, /cannot be undone.*--yes/)
  const erased = await leadIntake(place, ['leads', 'erase', reference, '--yes'])
  assert.deepEqual([erased.code, erased.out], [0, `${reference}: new -> erased\n`])

  const { out } = await leadIntake(place, ['leads', 'list', '--state', 'erased', '--json'])
  assert.match(out, new RegExp(reference))
  assert.doesNotMatch(out, /robin/i)
  const told = await leadIntake(place, ['deliveries', 'list', reference])
  assert.doesNotMatch(told.out, /mail/)
  const receipt = await fetch(service.url + new URL(status_url).pathname)
  assert.doesNotMatch(await receipt.text(), /robin@|hardwood/i)

  const { leads, breaks } = await readStored()
  assert.deepEqual(breaks, [])
  assert.deepEqual(
    leads.map(({ values }) => values.email).filter(Boolean),
    [sam.email_1],
    'the other lead stays',
  )
  // A hash of the details would tell whether a guess of them is right.
  const left = leads.find((lead) => lead.reference === reference)!
  assert.equal(left.fingerprint, '')
  const hashes = new RegExp(before.fingerprint)
  const isForgotten = () =>
    [words, hashes].every((each) => filesWith(place.dataDir, each).length === 0)
  if (!onPostgres) await until(isForgotten, 'no word is left in the files')

  const again = await leadIntake(place, ['leads', 'erase', reference, '--yes'])
  assert.deepEqual([again.code, again.out], [0, `${reference}: erased -> erased\n`])
  const nothing = await withStoreOf(settingsOf(place), (store) => searchLeads(store, 'robin'))
  assert.deepEqual(nothing.leads, [])
  // The same words are a lead of their own again.
  assert.notEqual((await send({ ...robin, colour: 'Robins grey' })).reference, reference)
  assert.match((await leadIntake(place, ['leads', 'list'])).out, new RegExp(other.reference))
})

test('no word of erased leads stays in the files after the night [erase.files]', async (t) => {
  const dataDir = temporaryFolder(t)
  const store = await openErasable(t, dataDir)
  const ids = Array.from({ length: 30 }, (_, index) => leadAt(index).id)
  for (const [index] of ids.entries()) {
    await store.leads.keep(leadAt(index, { name: 'Zebulon', message: `quux${index} deck` }))
  }
  await store.leads.keep(leadAt(99, { message: 'A deck, please' }))
  // Notes make rows grow, and pages split, which leave copies of rows in free space.
  for (const leadId of ids) {
    const act = { leadId, version: undefined, by: 'ann', at: nowMs }
    await noteByMember(store, act, `Zebulon ${'rang again '.repeat(30)}`)
  }
  for (const lead of await store.leads.findMany(ids)) {
    await eraseLead(store, lead, { by: 'retention', at: nowMs })
  }
  assert.deepEqual((await searchLeads(store, 'zebulon')).leads, [])
  assert.equal((await searchLeads(store, 'deck')).leads.length, 1)
  assert.equal((await readErased(dataDir)).length, 30)

  await store.leads.forgetErased(0)
  const isForgotten = () => filesWith(dataDir, /zebulon|quux/).length === 0
  if (!onPostgres) await until(isForgotten, 'no word is left in the files')
})

test('what a node of an older version left of an erased lead goes in the next night [erase.shown]', async (t) => {
  const { store, database } = openDesk(t)
  const { id } = leadAt(1)
  await store.leads.keep(leadAt(1))
  await store.leads.keep(leadAt(2))
  await eraseLead(store, (await store.leads.find(id))!, { by: 'owner', at: nowMs })
  for (const leadId of [id, leadAt(2).id]) {
    await database.execute(`insert into visit_email (lead_id, email_key, at, place, is_off)
      values ('${leadId}', 'e1', ${nowMs}, '1 Quux Lane', 0)`)
  }
  await store.leads.forgetErased(0)
  const left = await database.execute('select lead_id from visit_email')
  assert.deepEqual(
    left.map((row) => row['lead_id']),
    [leadAt(2).id],
  )
})

test('erasing empties every table and column, also a field that an earlier contract had [erase.shown]', async (t) => {
  const { store, engine, database } = openDesk(t)
  const person = { name: 'Quux', phone: '0491 570 006', email: 'quux@example.com' }
  await store.leads.keep(leadAt(1, person, { deliverTo: ['mail'] }))
  const { id, reference } = leadAt(1)
  await database.execute(`alter table lead add column garden text not null default ''`)
  await database.execute(`update lead set garden = 'A quux lawn'`)
  await writeEverything(store, id, nowMs)
  await moveByMember(store, { leadId: id, by: 'member-1', at: nowMs }, 'contacted')
  await markAsSpam(store, id, nowMs)
  assert.equal(await store.search.fillNext(), 1)
  const tables = await tablesOfLeads(t)
  for (const table of tables) {
    const rows = await engine.read(`select * from ${table} where lead_id = $1`, [id])
    assert.notDeepEqual(rows, [], `the test writes nothing to ${table}`)
  }
  await eraseLead(store, (await store.leads.find(id))!, { by: 'owner', at: nowMs })

  for (const table of ['lead', ...tables]) {
    const rows = await database.execute(`select * from ${table}`)
    assert.doesNotMatch(JSON.stringify(rows), /quux|0491/i, table)
  }
  const left = []
  for (const table of tables) {
    if ((await database.execute(`select * from ${table}`)).length > 0) left.push(table)
  }
  // A spammer stays blocked, by keyed hashes.
  assert.deepEqual(left, ['blocked', 'event'])
  const [row] = await database.execute('select * from lead')
  const { door, state, reasons, garden, asked_at: askedAt, lost_why: lostWhy } = row!
  assert.deepEqual([row!['reference'], door, state, reasons], [reference, 'json', 'erased', ''])
  assert.deepEqual([garden, askedAt, lostWhy], ['', null, null])
})

/** The tables whose rows belong to a lead. */
async function tablesOfLeads(t: Cleaner): Promise<string[]> {
  const catalog = openSqlite({ path: join(temporaryFolder(t), 'catalog') })
  const tables = await readTables(catalog)
  await catalog.close()
  return tables.filter(({ columns }) => /\blead_id\b/.test(columns)).map(({ name }) => name)
}

test('a lead that is kept again after it was erased stays erased [erase.sender]', async (t) => {
  const { store, database } = openDesk(t)
  const lead = leadAt(1, { name: 'Zebulon' }, { deliverTo: ['mail'] })
  await store.leads.keep(lead)
  await eraseLead(store, (await store.leads.find(lead.id))!, { by: 'sender', at: nowMs })
  // A node whose commit came after its deadline replays the lead from its journal.
  assert.deepEqual(await store.leads.keep(lead), { kind: 'kept', reference: lead.reference })
  for (const table of ['search_doc', 'delivery']) {
    assert.deepEqual(await database.execute(`select * from ${table}`), [], table)
  }
  assert.deepEqual((await searchLeads(store, 'zebulon')).leads, [])
  const [found] = await store.views.list({ limit: 9 })
  assert.deepEqual([found?.state, found?.values.name], ['erased', ''])
})

function openErasable(t: Cleaner, dataDir: string): Promise<Store> {
  const opened = onPostgres
    ? Promise.resolve(new Store(openDesk(t).engine, nobody, dataDir))
    : openLeads({ DATA_DIR: dataDir, DATABASE_URL: undefined })
  if (!onPostgres) t.after(async () => (await opened).close())
  return opened
}

test('what a crash left out of the file of erased leads is noted later, once', async (t) => {
  const dataDir = temporaryFolder(t)
  const store = await openErasable(t, dataDir)
  const erase = async (index: number) => {
    await store.leads.keep(leadAt(index))
    const lead = (await store.leads.find(leadAt(index).id))!
    await eraseLead(store, lead, { by: 'owner', at: nowMs + index })
  }
  for (const index of [1, 2, 3]) await erase(index)
  const path = erasedPath(dataDir)
  // The id is whole, its time is not.
  truncateSync(path, statSync(path).size - 5)
  // Its line is joined to the one that was cut off.
  await erase(4)
  assert.equal((await readErased(dataDir)).length, 2)
  await store.leads.noteErased()
  const expected = [1, 2, 3, 4].map((index) => ({ leadId: leadAt(index).id, at: nowMs + index }))
  assert.deepEqual(await readErased(dataDir), expected)
  const bytes = readFileSync(path)
  await store.leads.noteErased()
  assert.deepEqual(readFileSync(path), bytes)
})
