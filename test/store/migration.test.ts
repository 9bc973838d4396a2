/** A database as the first schema made it, because people run clones. It is written without the program's own migrations. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { eraseLead, loseLead, markAsSpam, writeEverything } from '../support/life.ts'
import { fieldKeys } from '../../src/contract/fields.ts'
import { planByMember, undoByMember } from '../support/acts.ts'
import { searchLeads } from '../../src/desk/search.ts'
import type { NamedVisit, VisitNews } from '../../src/contract/visit.ts'
import { readNotice } from '../../src/delivery/notices.ts'
import type { Delivery } from '../../src/store/deliveries/rows.ts'
import { dueMigrations } from '../../src/store/engine/migrations.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { PostgresEngine } from '../../src/store/postgres/postgres-engine.ts'
import { toPostgres } from '../../src/store/postgres/schema.ts'
import { makeSecret } from '../../src/store/secret.ts'
import type { Store } from '../../src/store/store.ts'
import { dayMs } from '../../src/time.ts'
import { makeBackup } from '../../src/backup/make.ts'
import { emptyPlace, restore, settingsOf, withStoreOf } from '../support/backup.ts'
import {
  executeInFile,
  newInstallation,
  onPostgres,
  type Installation,
} from '../support/engines.ts'
import { leadAt } from '../support/desk.ts'
import { nowMs } from '../support/leads.ts'
import { postLead, temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { patienceMs, until } from '../support/until.ts'

const leadId = leadAt(1).id
const visitAt = nowMs + 3 * dayMs
/** Requests after the first call without a date, the longest wait first. */
const undatedIds = [5, 3, 4, 2].map((minute) => leadAt(minute).id)
const personKey = 'e0123456789abcdef'
/** The migrations of this file run later, however slow the machine is. */
const startedAt = Date.now()

test('a start migrates a database of the first schema, and its leads go on [keep.upgrade]', async (t) => {
  const { place, execute } = await newInstallation(t)
  makeSecret(place.dataDir)
  await makeFirst(execute, onPostgres ? 'postgres' : 'sqlite')
  const service = await startServiceHere(t, place)
  assert.ok(service.lines.some((line) => line.includes('"database.migrated"')))
  const sent = await postLead(service.url, { name_1: 'Sam', email_1: 'sam@example.com' })
  assert.equal(sent.status, 200)
  await withStoreOf(settingsOf(place), goesOn)
})

test('a backup of the first schema is restored, and its leads go on [keep.upgrade]', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  makeSecret(DATA_DIR)
  const path = join(DATA_DIR, 'leads.sqlite')
  await makeFirst((sql) => executeInFile(path, sql), 'sqlite')
  const settings = settingsOf({ dataDir: DATA_DIR, env: {} })
  const { path: file } = await makeBackup({ settings, to: temporaryFolder(t), now: Date.now })
  const restored = await emptyPlace(t)
  await restore(restored, file)
  await withStoreOf(restored, goesOn)
})

/** The migrations of the first release. */
const released = 4

test('a start migrates a database of the first release, and its leads get the whole road [keep.upgrade]', async (t) => {
  const { place, execute } = await newInstallation(t)
  makeSecret(place.dataDir)
  // A clone has a field of its own, whose name is that of a detail.
  await makeWithMigrations(execute, released, ['street'])
  const ids = [1, 2, 3].map((minute) => leadAt(minute).id)
  for (const [index, id] of ids.entries()) {
    await execute(`insert into lead (id, reference, received_at, unlisted, botcheck, door, agent,
        client, user_agent, fingerprint, score, reasons, state, state_changed_at, version, name, street,
        email_key)
      values ('${id}', 'C-00000-0001${index}', ${nowMs}, '', '', 'json', '', 'client', '', 'print', 0,
        '', 'new', ${nowMs}, 1, 'Robin', '12 Example Street', 'e${index}')`)
    await execute(`insert into event values ('${id}', 0, ${nowMs}, 'lead.received', '{}')`)
  }
  await startServiceHere(t, place)
  await withStoreOf(settingsOf(place), (store) => goesTheWholeRoad(store, ids, nowMs))
  const kept = await execute(`select street from lead where state <> 'erased'`)
  assert.deepEqual(
    kept.map(({ street }) => street),
    ['12 Example Street', '12 Example Street'],
  )
})

/** The migrations before letters were searched as people type them. */
const beforeLetters = 5

test('after a start, a name that was stored with its own letters is found by plain ones [search.words]', async (t) => {
  const { place, execute } = await newInstallation(t)
  makeSecret(place.dataDir)
  await makeWithMigrations(execute, beforeLetters)
  const names = ['Łukasz Straße', 'Robin Example']
  for (const [index, name] of names.entries()) {
    const { id } = leadAt(index)
    await execute(`insert into lead (id, reference, received_at, unlisted, botcheck, door, agent,
        client, user_agent, fingerprint, score, reasons, state, state_changed_at, version, name)
      values ('${id}', 'C-00000-0001${index}', ${nowMs}, '', '', 'json', '', 'client', '', 'print', 0,
        '', 'new', ${nowMs}, 1, '${name}')`)
    const words = `${name.toLowerCase()} word${index}`
    await execute(`insert into search_doc (lead_id, words) values ('${id}', ' ${words}')`)
  }
  await startServiceHere(t, place)
  await withStoreOf(settingsOf(place), async (store) => {
    const isFound = async (typed: string) => (await searchLeads(store, typed)).leads.length === 1
    for (const typed of ['lukasz', 'łukasz', 'strasse', 'Straße']) {
      await until(() => isFound(typed), `${typed} is found`)
    }
    assert.ok(await isFound('word1'), 'a text without such letters stays as it is')
  })
})

test('while the texts of an older version are still to be made, a new lead is found and its person is recognised [search.at-once]', async (t) => {
  const { place, execute } = await newInstallation(t)
  makeSecret(place.dataDir)
  await makeWithMigrations(execute, beforeLetters)
  // The next migration lets the service make the texts of all of these again.
  const older = Array.from({ length: 1_000 }, (_, minute) => leadAt(minute).id)
  await execute(`insert into lead (id, reference, received_at, unlisted, botcheck, door, agent,
      client, user_agent, fingerprint, score, reasons, state, state_changed_at, version, name, email_key)
    values ${older.map((id, index) => `('${id}', 'C-00000-${index}', ${nowMs}, '', '', 'json', '', 'client', '', 'print', 0, '', 'new', ${nowMs}, 1, 'Łukasz w${index}w', 'e${index}')`).join()}`)
  await execute(
    `insert into search_doc (lead_id, words) select id, ' łukasz ' || email_key from lead`,
  )
  await migrate(place)
  await withStoreOf(settingsOf(place), async (store) => {
    const added = leadAt(2_000, { message: 'A gazebo' }, { personKeys: ['e3'] })
    const count = async (typed: string) => (await searchLeads(store, typed)).leads.length
    await store.leads.keep(added)
    assert.deepEqual([await count('gazebo'), await count('lukasz')], [1, 0])
    assert.equal((await store.views.factsOf([added.id])).get(added.id)?.nth, 2)
    const ofPerson = await store.views.ofPerson(['e3'], { limit: 9 })
    assert.deepEqual(
      ofPerson.map(({ id }) => id),
      [added.id, older[3]],
    )
    await store.search.fillNext()
    assert.deepEqual([await count('w999w'), await count('w0w')], [1, 0], 'the newest come first')
    while ((await store.search.fillNext()) > 0);
    assert.equal(await count('lukasz w0w'), 1)
  })
})

/** What the first moment of a start does. */
async function migrate({ dataDir, env }: Installation['place']): Promise<void> {
  const { DATABASE_URL } = env
  if (DATABASE_URL === undefined) {
    await openSqlite({ path: join(dataDir, 'leads.sqlite'), commitTimeoutMs: patienceMs }).close()
    return
  }
  const engine = new PostgresEngine(DATABASE_URL)
  await engine.prepare()
  await engine.close()
}

/** The migrations before what an email last said was a row. */
const beforeVisitEmails = 5
const [monday, tuesday] = [1, 2].map((days) => ({ at: nowMs + days * dayMs, place: '1 Quux Lane' }))

/** Each request with its visit now, the emails about it that were sent, and the one that waits. */
const mailed = [
  {
    what: 'moved since',
    visit: tuesday,
    sent: [{ visit: monday, to: 'e0', before: null }],
    waits: { visit: tuesday },
    says: { kind: 'replaces', visit: tuesday, before: monday },
  },
  {
    what: 'by the first release: called off since',
    sent: [monday],
    waits: null,
    says: { kind: 'off', before: monday },
  },
  {
    what: 'by the first release: never told',
    visit: monday,
    sent: [],
    waits: monday,
    says: { kind: 'new', visit: monday },
  },
  {
    what: 'another address since',
    visit: monday,
    sent: [{ visit: monday, to: 'other', before: null }],
    waits: { visit: monday },
    says: { kind: 'new', visit: monday },
  },
  {
    what: 'off, and on again',
    visit: monday,
    sent: [
      { visit: monday, to: 'e4', before: null },
      { visit: null, to: 'e4', before: { leadId: leadAt(4).id, at: monday!.at } },
    ],
    waits: { visit: monday },
    says: { kind: 'on again', visit: monday },
  },
  {
    what: 'its visit moved to the next request',
    sent: [{ visit: monday, to: 'e5', before: null }],
    waits: { visit: null },
    says: undefined,
  },
  {
    what: 'called off since the visit came from the request before',
    key: 'e5',
    sent: [{ visit: tuesday, to: 'e5', before: { leadId: leadAt(5).id, at: monday!.at } }],
    waits: { visit: null },
    says: { kind: 'off', before: tuesday },
  },
  {
    what: 'another asking is answered',
    visit: monday,
    sent: [
      { visit: monday, to: 'e7', before: null },
      { visit: monday, to: 'e7', answers: 7, before: { leadId: leadAt(7).id, at: monday!.at } },
    ],
    waits: { visit: monday, answers: 8 },
    says: { kind: 'stays', visit: monday },
  },
  {
    what: 'the same asking is answered again',
    visit: monday,
    sent: [{ visit: monday, to: 'e8', answers: 7, before: null }],
    waits: { visit: monday, answers: 7 },
    says: undefined,
  },
  {
    what: 'its visit has just moved to the next request',
    sent: [{ visit: monday, to: 'e9', before: null }],
    movedTo: leadAt(10).id,
    waits: { visit: null },
    says: undefined,
  },
  {
    what: 'the visit has just come from the request before',
    key: 'e9',
    visit: tuesday,
    sent: [],
    waits: { visit: tuesday },
    says: { kind: 'replaces', visit: tuesday, before: monday },
  },
]

/** The migrations before an event had a column for the one that it takes back. */
const beforeUndoes = 12

test('after a start, a call that was taken back before it is not counted [keep.upgrade]', async (t) => {
  const { place, execute } = await newInstallation(t)
  makeSecret(place.dataDir)
  await makeWithMigrations(execute, beforeUndoes)
  const { id } = leadAt(0)
  await execute(`insert into lead (id, reference, received_at, unlisted, botcheck, door, agent,
      client, user_agent, fingerprint, score, reasons, state, state_changed_at, version, name)
    values ('${id}', 'C-00000-00010', ${nowMs}, '', '', 'json', '', 'client', '', 'print', 0, '',
      'new', ${nowMs}, 5, 'Quux')`)
  const tried = { from: 'new', to: 'new', by: 'ann' }
  const story = [
    ['lead.received', { door: 'json' }],
    ['lead.tried', tried],
    ['lead.tried', tried],
    ['lead.planned', { ...tried, undoes: 2 }],
    ['lead.noted', { by: 'ann' }],
  ] as const
  for (const [number, [kind, data]] of story.entries()) {
    await execute(`insert into event values ('${id}', ${number}, ${nowMs + number}, '${kind}',
      '${JSON.stringify(data)}')`)
  }
  await migrate(place)
  await withStoreOf(settingsOf(place), async (store) => {
    assert.equal((await store.views.factsOf([id])).get(id)?.tries, 1)
  })
})

test('after a start, the emails about visits that waited say what is true for their addresses [keep.upgrade, deliver.visit]', async (t) => {
  const { place, execute } = await newInstallation(t)
  makeSecret(place.dataDir)
  await makeWithMigrations(execute, beforeVisitEmails)
  for (const [index, { visit, key = `e${index}`, sent, movedTo, waits }] of mailed.entries()) {
    const { id } = leadAt(index)
    const date = visit ? `${visit.at}, 'visit', '${visit.place}', 1` : 'null, null, null, null'
    const state = visit ? 'consultation_booked' : 'contacted'
    await execute(`insert into lead (id, reference, received_at, unlisted, botcheck, door, agent,
        client, user_agent, fingerprint, score, reasons, state, state_changed_at, version, name,
        email, email_key, next_at, next_for, visit_place, visit_shown)
      values ('${id}', 'C-00000-0001${index}', ${nowMs}, '', '', 'json', '', 'client', '', 'print', 0,
        '', '${state}', ${nowMs}, 20, 'Quux', 'quux@example.com', '${key}', ${date})`)
    const moved = { from: 'consultation_booked', to: 'contacted', otherId: movedTo }
    if (movedTo !== undefined)
      await execute(`insert into event values ('${id}', 1, ${nowMs}, 'lead.state_changed',
        '${JSON.stringify(moved)}')`)
    for (const [number, about] of [...sent, waits].entries()) {
      const done =
        number < sent.length ? `'delivered', ${nowMs + 100 * index - number}` : `'', null`
      await execute(`insert into delivery (id, lead_id, channel, kind, about, due_at, due_since,
          attempts, outcome, done_at)
        values ('${id}/${number + 9}/sender', '${id}', 'sender', 'lead.visit',
          '${JSON.stringify(about)}', ${nowMs}, ${nowMs}, 0, ${done})`)
    }
  }
  await startServiceHere(t, place)
  await withStoreOf(settingsOf(place), async (store) => {
    for (const [index, { what, says }] of mailed.entries()) {
      const waiting = (await store.deliveries.ofLead(leadAt(index).id)).find(isWaiting)!
      const read = await readNotice({
        store,
        delivery: waiting,
        now: nowMs,
        opening: { timeZone: 'Australia/Sydney', hours: [] },
      })
      const news = read?.notice.kind === 'lead.visit' ? read.notice.news : undefined
      assert.deepEqual(news && inShort(news), says, what)
    }
  })
})

function isWaiting({ outcome }: Delivery): boolean {
  return outcome === ''
}

function inShort(news: VisitNews) {
  const named = ({ at, place }: NamedVisit) => ({ at, place })
  if (news.kind === 'off') return { kind: news.kind, before: named(news.before) }
  const before = news.kind === 'replaces' ? { before: named(news.before) } : {}
  return { kind: news.kind, visit: named(news.visit), ...before }
}

async function goesTheWholeRoad(store: Store, ids: readonly string[], at: number): Promise<void> {
  const [whole, lost, spam] = ids as [string, string, string]
  await writeEverything(store, whole, at)
  await loseLead(store, lost, at)
  await markAsSpam(store, spam, at)
  const asked = (await store.leads.find(whole))!
  assert.deepEqual(
    [asked.values.name, asked.street, asked.secondPhone, asked.askedAt],
    ['Quux Corrected', '1 Quux Lane', '0491 570 156', at],
  )
  const { detailsBefore } = await store.leads.historyOf(asked)
  assert.deepEqual(
    detailsBefore.map(({ details }) => details.name),
    ['Robin'],
  )
  assert.equal((await store.leads.find(lost))!.lostWhy, 'budget')
  assert.ok(await store.blocked.has(['e2']))
  await undoByMember(store, { leadId: lost, by: 'member-1', at })
  const [proposal] = await store.views.byDate(['proposal_sent'], { limit: 9 })
  assert.deepEqual([proposal?.id, proposal?.date?.at], [lost, at + dayMs])
  await eraseLead(store, asked, { by: 'owner', at })
  assert.equal((await store.leads.find(whole))!.street, '')
}

async function makeWithMigrations(
  execute: Installation['execute'],
  count: number,
  ownFields: readonly string[] = [],
): Promise<void> {
  const dialect = onPostgres ? 'postgres' : 'sqlite'
  const { table, translate } = first[dialect]
  await execute(table)
  for (const { name, hash, sql, ownSql } of dueMigrations([], dialect).slice(0, count)) {
    await execute(`insert into migration values ('${name}', '${hash}', 1)`)
    await execute(translate(sql) + ownSql)
  }
  for (const field of [...fieldKeys, ...ownFields]) {
    await execute(translate(`alter table lead add column ${field} text not null default ''`))
  }
}

/** The table of migrations as the first program made it, and the hash that it noted for its only migration. */
const first = {
  sqlite: {
    table:
      'create table migration (name text primary key not null, hash text not null, at integer not null) strict',
    hash: 'VVhzr1gWSta0ENh4',
    translate: (sql: string) => sql,
  },
  postgres: {
    table:
      'create table migration (name text collate "C" primary key, hash text not null, at bigint not null)',
    hash: 'fpdXGhWhnNWchBYy',
    translate: toPostgres,
  },
}

async function makeFirst(
  execute: Installation['execute'],
  dialect: keyof typeof first,
): Promise<void> {
  const { table, hash, translate } = first[dialect]
  const read = (name: string) =>
    readFileSync(`src/store/engine/migrations/0001-schema${name}.sql`, 'utf8')
  await execute(table)
  await execute(translate(read('')) + read(`.${dialect}`))
  for (const field of fieldKeys) {
    await execute(translate(`alter table lead add column ${field} text not null default ''`))
  }
  await execute(`insert into migration values ('0001-schema.sql', '${hash}', 1)`)
  await execute(`insert into lead (id, reference, received_at, unlisted, botcheck, door, agent, client,
      user_agent, fingerprint, score, reasons, state, state_changed_at, version, next_at, next_for,
      visit_place, visit_shown, name, email)
    values ('${leadId}', 'C-00000-00001', ${nowMs}, '', '', 'json', '', 'client', '', 'print', 0, '',
      'consultation_booked', ${nowMs}, 2, ${visitAt}, 'visit', '12 Example Street', 1, 'Robin',
      'robin@example.com')`)
  const booked = JSON.stringify({
    from: 'new',
    to: 'consultation_booked',
    by: 'owner',
    next: { at: visitAt, what: 'visit' },
  })
  await execute(`insert into event values ('${leadId}', 0, ${nowMs}, 'lead.received', '{}'),
    ('${leadId}', 1, ${nowMs}, 'lead.state_changed', '${booked}')`)
  for (const [index, id] of undatedIds.entries()) {
    await execute(`insert into lead (id, reference, received_at, unlisted, botcheck, door, agent,
        client, user_agent, fingerprint, score, reasons, state, state_changed_at, version)
      values ('${id}', 'C-00000-0001${index}', ${nowMs}, '', '', 'json', '', 'client', '', 'print', 0,
        '', 'contacted', ${nowMs - 90 * dayMs + index}, 1)`)
  }
  await execute(`insert into person_key (lead_id, key) values ('${leadId}', '${personKey}')`)
  await execute(
    `insert into search_doc (lead_id, words) values ('${leadId}', 'robin 12 example street')`,
  )
}

async function goesOn(store: Store): Promise<void> {
  await comesBack(store)
  const visit = async () => {
    const { date, visitPlace, isVisitSeen } = (await store.leads.find(leadId))!
    return [date?.at, visitPlace, isVisitSeen]
  }
  const asBooked = [visitAt, '12 Example Street', true]
  assert.deepEqual(await visit(), asBooked)
  // The service does this after its start.
  while ((await store.search.fillNext()) > 0);
  for (const text of ['robin example', 'robin@example.com', 'example street']) {
    assert.equal((await searchLeads(store, text)).leads.length, 1, text)
  }
  const others = await store.views.ofPerson([personKey], { limit: 9 })
  assert.deepEqual(
    others.map(({ id }) => id),
    [leadId],
  )
  const act = { leadId, version: undefined, by: 'member-1', at: nowMs }
  const next = { at: visitAt + dayMs, what: 'visit' } as const
  await planByMember(store, act, { next, place: '99 Example Road', shown: false })
  await undoByMember(store, act)
  assert.deepEqual(await visit(), asBooked)
  await eraseLead(store, (await store.leads.find(leadId))!, { by: 'owner', at: nowMs })
  assert.equal((await store.leads.find(leadId))!.values.name, '')
}

/** Requests without a date come back over two weeks, at the hour at which they were last moved. */
async function comesBack(store: Store): Promise<void> {
  const undated = await store.leads.findMany(undatedIds)
  const [soonest, ...further] = undated.map(({ date }) => date!.at)
  assert.ok(soonest! > startedAt && soonest! < Date.now() + 3 * dayMs, String(soonest))
  const later = further.map((at) => Math.floor((at - soonest!) / dayMs))
  assert.deepEqual(later, [3, 7, 10])
  for (const { date, stateChangedAt } of undated) {
    assert.deepEqual([date?.what, date!.at % dayMs], ['ring', stateChangedAt % dayMs])
  }
}
