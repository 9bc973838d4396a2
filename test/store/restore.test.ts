import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { moveByMember, planByMember, undoByMember } from '../support/acts.ts'
import { loseLead, markAsSpam, writeEverything } from '../support/life.ts'
import { drillBackup } from '../../src/backup/restore.ts'
import type { Settings } from '../../src/config.ts'
import { fields, type FieldValues } from '../../src/contract/fields.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { searchLeads } from '../../src/desk/search.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { actAsSender, eraseLead, joinLeads } from '../../src/lead/act.ts'
import { readTables } from '../../src/store/postgres/copy.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { takeLock } from '../../src/store/engine/sqlite-lock.ts'
import { databaseOf, fileOf, openEngine } from '../../src/store/open.ts'
import { readSecret } from '../../src/store/secret.ts'
import type { Store } from '../../src/store/store.ts'
import {
  emptyPlace,
  installationToBackUp,
  restore,
  settingsOf,
  withStoreOf,
} from '../support/backup.ts'
import { onPostgres } from '../support/engines.ts'
import { filesWith } from '../support/files-with.ts'
import { countLeads, newLead, nowMs } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'
import { temporaryFolder } from '../support/service.ts'

const robin = { id: 'robin', name: 'Robin', email: 'robin@example.com', madeAt: nowMs }
const alex = { id: 'alex', name: 'Alex', email: 'alex@example.com', madeAt: nowMs }

const passkey = (id: string, memberId: string) => ({
  id,
  memberId,
  rpId: 'example.com',
  publicKey: '',
  counter: 0,
  backedUp: 0,
  name: 'Phone',
  madeAt: nowMs,
  usedAt: undefined,
})

const session = {
  id: 'phone',
  secretHash: '',
  memberId: robin.id,
  madeAt: nowMs,
  seenAt: nowMs,
  endsAt: nowMs + minuteMs,
  provedAt: nowMs,
}

/** PostgreSQL: a restore replaces nothing there, so it goes to an empty database beside the same DATA_DIR. */
async function whereToRestore(t: test.TestContext, settings: Settings): Promise<Settings> {
  if (!onPostgres) return settings
  return { ...settings, DATABASE_URL: (await emptyPlace(t)).DATABASE_URL }
}

test('restored, history and receipts are whole, and what was erased since stays erased [backup.erased]', async (t) => {
  const { settings, secret, withStore, backUp } = await installationToBackUp(t)
  const erased = newLead(4).id
  const keyed = newLead(98, { dedup: { by: 'key', value: randomUUID() } })
  await withStore((store) => store.leads.keep(keyed))
  const { path } = await backUp()
  await withStore(async (store) => {
    await eraseLead(store, { leadId: erased, at: nowMs + 1_000 })
    await eraseLead(store, { leadId: keyed.id, at: nowMs + 1_000 })
    await store.leads.keep(newLead(99))
  })
  const target = await whereToRestore(t, settings)
  const restored = await restore(target, path)
  assert.deepEqual([restored.leads, restored.erasedAgain], [21, 2])
  assert.equal(restored.content, 'left')
  await withStoreOf(target, async (store) => {
    assert.equal(await countLeads(store), 21)
    const lead = await store.leads.find(erased)
    assert.deepEqual([lead?.state, lead?.values.email], ['erased', ''])
    assert.equal(lead?.erasedAt, nowMs + 1_000)
    const again = await store.leads.keep({ ...keyed, id: newLead(97).id })
    assert.deepEqual(again, { kind: 'withdrawn', id: keyed.id }, 'its key answers for it')
    const ids = new LeadIds(secret)
    const receipt = await store.leads.find(ids.readToken(ids.tokenOf(newLead(5).id))!)
    assert.equal(receipt?.values.email, 'p5@example.com')
  })
  if (onPostgres) return
  assert.deepEqual(restored.kept, { leads: 22, later: 1 })
  const kept = basename(restored.keptAs!)
  assert.match(kept, /^before-restore-.*\.sqlite$/)
  assert.equal(statSync(restored.keptAs!).mode & 0o777, 0o600)
  assert.deepEqual(filesWith(settings.DATA_DIR, /p4@example\.com/), [])
  assert.deepEqual(filesWith(settings.DATA_DIR, /p99@example\.com/), [kept])
})

test('what was joined with a request that was erased since goes with it, or is new if the sender erased it [backup.erased, next.one]', async (t) => {
  const { place, settings, withStore, backUp } = await installationToBackUp(t, 4)
  const ids = [0, 1, 2, 3].map((index) => newLead(index).id)
  const [kept, own, whole, along] = ids as [string, string, string, string]
  const act = { by: robin.id, at: nowMs }
  await withStore(async (store) => {
    await joinLeads(store, { ...act, leadId: own }, kept)
    await joinLeads(store, { ...act, leadId: along }, whole)
  })
  const { path } = await backUp()
  const statesIn = (store: Store) =>
    Promise.all(ids.map(async (id) => (await store.leads.find(id))!.state))
  const after = ['erased', 'new', 'erased', 'erased']
  await withStore((store) => actAsSender(store, 'erase', { leadId: kept, at: nowMs }))
  const { out } = await leadIntake(place, ['leads', 'erase', whole, '--yes'])
  const references = [2, 3].map((index) => newLead(index).reference)
  assert.equal(out, `${references[0]}: new -> erased\n${references[1]}: joined -> erased\n`)
  assert.deepEqual(await withStore(statesIn), after)
  const target = await whereToRestore(t, settings)
  await restore(target, path)
  assert.deepEqual(await withStoreOf(target, statesIn), after)
})

test('a page from before the restore moves nothing, sets no date and undoes nothing [move.overtaken]', async (t) => {
  const { settings, withStore, backUp } = await installationToBackUp(t, 1)
  const leadId = newLead(0).id
  const next = { at: nowMs + 5 * dayMs, what: 'visit' } as const
  const page = (version: number) => ({ leadId, version, by: 'robin', at: nowMs })
  await withStore((store) => moveByMember(store, page(1), 'contacted'))
  const { path } = await backUp()
  await withStore(async (store) => {
    await moveByMember(store, page(2), 'consultation_booked', { next })
    await planByMember(store, page(3), { next: { ...next, at: next.at + dayMs } })
  })
  const target = await whereToRestore(t, settings)
  await restore(target, path)
  await withStoreOf(target, async (store) => {
    await planByMember(store, page(2), { next: { ...next, what: 'ring' } })
    const pressed = [
      await moveByMember(store, page(4), 'lost'),
      await planByMember(store, page(4), { next }),
      await undoByMember(store, page(4)),
    ]
    assert.deepEqual(
      pressed.map(({ kind }) => kind),
      ['overtaken', 'overtaken', 'overtaken'],
    )
    const { state, date } = (await store.leads.find(leadId))!
    assert.deepEqual([state, date?.what], ['contacted', 'ring'])
  })
})

test(
  'members and passkeys stay as they are, and nobody is signed in [backup.members]',
  { skip: onPostgres && 'a restore replaces nothing on a server' },
  async (t) => {
    const { place, settings, withStore, backUp } = await installationToBackUp(t, 1)
    await withStore(async ({ access }) => {
      for (const member of [robin, alex]) await access.addMember(member)
      for (const id of ['kept', 'stolen']) await access.addPasskey(passkey(id, robin.id))
      await access.addPasskey(passkey('of-alex', alex.id))
      await access.saveSession(session)
    })
    const { path } = await backUp()
    const sam = { ...robin, id: 'sam', name: 'Sam', email: 'sam@example.com', madeAt: nowMs + 1 }
    await withStore(async ({ access }) => {
      await access.removePasskey(robin.id, 'stolen', session.id)
      await access.endMember(alex.id, robin.id, nowMs + 1)
      await access.addMember(sam)
    })
    const run = await leadIntake(place, ['restore', path])
    assert.match(run.out, /^Members and passkeys stay as they are\.$/m, run.error)
    assert.match(run.out, /^Everybody signs in to the inbox anew\. Start the service\.$/m)
    await withStoreOf(settings, async ({ access }) => {
      const members = [robin, sam].map((each) => ({ ...each, mailed: 1, feed: 0, feedNames: 0 }))
      assert.deepEqual(await access.listMembers(), members)
      assert.deepEqual(await access.listPasskeys(robin.id), [passkey('kept', robin.id)])
      assert.equal(await access.findPasskey('of-alex'), undefined)
      assert.equal(await access.countSessions(robin.id, nowMs), 0)
    })
    const doctor = await leadIntake(place, ['doctor'])
    assert.match(doctor.out, /warning +restored +before-restore-\S+ was replaced by a restore/)
  },
)

test('into an empty folder members come from the backup and are named; no session does [backup.names, backup.members]', async (t) => {
  const { withStore, backUp } = await installationToBackUp(t, 1)
  await withStore(async ({ access }) => {
    await access.addMember({ ...robin, name: 'Robin\u001b[2J' })
    await access.addPasskey(passkey('kept', robin.id))
    await access.saveSession(session)
  })
  const { path } = await backUp()
  const target = await emptyPlace(t)
  const { DATA_DIR: dataDir, DATABASE_URL, CONTENT_DIR } = target
  const env = { CONTENT_DIR, ...(DATABASE_URL && { DATABASE_URL }) }
  const run = await leadIntake({ dataDir, env }, ['restore', path])
  assert.match(
    run.out,
    /^Members are those of the backup: Robin·\[2J <robin@example\.com>\./m,
    run.error,
  )
  await withStoreOf(target, async ({ access }) => {
    assert.equal((await access.listMembers()).length, 1)
    assert.equal((await access.listPasskeys(robin.id)).length, 1)
    assert.equal(await access.countSessions(robin.id, nowMs), 0)
  })
})

test('emails to customers that waited in the backup are not sent again; notices to the owner are, and are counted', async (t) => {
  const { settings, withStore, backUp } = await installationToBackUp(t, 1)
  await withStore(async (store) => {
    await store.leads.keep(newLead(7, { deliverTo: ['mail', 'webhook-crm', 'sender'] }))
    await store.leads.keep(newLead(8, { deliverTo: ['mail', 'sender'] }))
    const [sent] = await store.deliveries.lease({
      channel: 'mail',
      now: nowMs + 7,
      leaseUntil: nowMs + 99,
      limit: 1,
    })
    await store.deliveries.finish(sent!, { ending: { kind: 'delivered' }, at: nowMs + 8 })
  })
  const { path } = await backUp()
  const target = await whereToRestore(t, settings)
  const { DATA_DIR: dataDir, DATABASE_URL } = target
  const run = await leadIntake({ dataDir, env: { ...(DATABASE_URL && { DATABASE_URL }) } }, [
    'restore',
    path,
  ])
  assert.match(run.out, /^Unsent emails to customers that were dropped, .*: 2\.$/m, run.error)
  assert.match(run.out, /^Notices to the owner that will be sent after the start, .*: 2\.$/m)
  await withStoreOf(target, async (store) => {
    const waiting = await store.deliveries.list({ outcome: 'waiting', limit: 9 })
    assert.deepEqual(
      new Set(waiting.map(({ channel }) => channel)),
      new Set(['mail', 'webhook-crm']),
    )
    const outcomes = (await store.deliveries.ofLead(newLead(7).id)).map(
      ({ id, outcome }) => `${id.split('/')[1]} ${outcome}`,
    )
    assert.deepEqual(outcomes, ['mail delivered', 'sender dropped', 'webhook-crm '])
  })
})

test('on an empty machine everything comes back, and only its owner may read it [backup.empty]', async (t) => {
  const { secret, backUp } = await installationToBackUp(t)
  const { path } = await backUp()
  const target = await emptyPlace(t, { isMigrated: false })
  const { DATA_DIR: dataDir, CONTENT_DIR: contentDir } = target
  const restored = await restore(target, path)
  assert.deepEqual([restored.leads, restored.content], [20, 'restored'])
  const modeOf = (name: string) => statSync(join(dataDir, name)).mode & 0o777
  const own = ['.', 'secret', ...(onPostgres ? [] : ['leads.sqlite'])]
  assert.deepEqual(own.map(modeOf), [0o700, 0o600, 0o600].slice(0, own.length))
  assert.ok(existsSync(join(contentDir, 'pages/index.md')))
  assert.deepEqual(readSecret(dataDir), secret)
  assert.equal(await withStoreOf(target, countLeads), 20)
  if (onPostgres) return

  appendFileSync(join(contentDir, 'business.yaml'), '# mine\n')
  assert.equal((await restore(target, path)).content, 'left')
  assert.match(readFileSync(join(contentDir, 'business.yaml'), 'utf8'), /# mine\n$/)
  const engine = await openEngine(databaseOf(target))
  const tables = await engine.read(`select name from sqlite_schema where name = 'sqlar'`)
  await engine.close()
  assert.deepEqual(tables, [], 'secret and content do not stay in the database')
})

test('a restore is refused while a service runs, and then changes nothing [backup.stopped]', async (t) => {
  const { settings, withStore, backUp } = await installationToBackUp(t, 2)
  const { path } = await backUp()
  await withStore((store) => store.leads.keep(newLead(9)))
  const target = await whereToRestore(t, settings)
  const lock = await takeLock(fileOf(target), () => {})
  await assert.rejects(
    restore(target, path),
    /^StoreRefused: .* is in use by a running service\. Stop that one first/,
  )
  lock.release()
  assert.equal(await withStore(countLeads), 3)
})

test(
  'into a PostgreSQL that is not empty nothing is restored [backup.target]',
  { skip: !onPostgres && 'about PostgreSQL' },
  async (t) => {
    const { place, withStore, backUp } = await installationToBackUp(t, 2)
    const { path } = await backUp()
    await withStore((store) => store.leads.keep(newLead(9)))
    const run = await leadIntake(place, ['restore', path])
    assert.equal(run.code, 5)
    assert.match(run.error, /\(lead has rows\), and nothing in it is replaced\. Name an empty one/)
    assert.equal(await withStore(countLeads), 3)
    const joined = await emptyPlace(t)
    await withStoreOf(joined, ({ access }) => access.addMember(robin))
    await assert.rejects(restore(joined, path), /is not empty \(member has rows\)/)
  },
)

test('a backup of another installation is refused without --yes, and what is refused later changes nothing, too', async (t) => {
  const [one, other] = [await installationToBackUp(t, 1), await installationToBackUp(t, 2)]
  const { path } = await other.backUp()
  const CONTENT_DIR = join(temporaryFolder(t), 'content')
  const target = { ...(await whereToRestore(t, one.settings)), CONTENT_DIR }
  await assert.rejects(restore(target, path), /another installation .* Add --yes/)
  if (!onPostgres) {
    using program = new DatabaseSync(databaseOf(target))
    program.exec('select count(*) from lead')
    const restoring = restore(target, path, { yes: true })
    await assert.rejects(restoring, /^StoreRefused: Another program uses the database/)
  }
  const inFile = { ...target, CONTENT_DIR: join(path, 'content') }
  await assert.rejects(restore(inFile, path, { yes: true }), /ENOTDIR/)
  assert.deepEqual(readSecret(one.place.dataDir), one.secret)
  assert.ok(!existsSync(CONTENT_DIR))

  await restore(target, path, { yes: true })
  assert.equal(await withStoreOf(target, countLeads), 2)
  assert.deepEqual(readSecret(one.place.dataDir), other.secret)
  const names = readdirSync(one.place.dataDir).filter((name) => name.endsWith('.secret'))
  assert.match(names.join(), /^before-restore-[^,]*\.secret$/)
})

const aboutTheFile = { skip: onPostgres && 'the file is the same' }

test(
  'over a damaged database a backup is restored, and the damaged file is kept',
  aboutTheFile,
  async (t) => {
    const { settings, withStore, backUp } = await installationToBackUp(t, 3)
    const { path } = await backUp()
    const database = databaseOf(settings)
    writeFileSync(database, 'damaged')
    const restored = await restore(settings, path)
    assert.equal(restored.kept, undefined)
    assert.equal(readFileSync(restored.keptAs!, 'utf8'), 'damaged')
    assert.equal(await withStore(countLeads), 3)
  },
)

test(
  'the drill finds a backup that lacks leads, and one with another secret [backup.drill]',
  aboutTheFile,
  async (t) => {
    const { settings, withStore, backUp } = await installationToBackUp(t)
    const { path: file } = await backUp()
    const drill = () => drillBackup(settings, file)
    assert.equal((await drill()).leads, 20)
    await withStore((store) => store.leads.keep(newLead(70)))
    await assert.rejects(drill(), /it lacks 1 lead that came before it/)
    const other = await installationToBackUp(t, 30)
    const moved = { ...settings, DATA_DIR: other.place.dataDir, DATABASE_URL: databaseOf(settings) }
    const newest = await backUp()
    await assert.rejects(drillBackup(moved, newest.path), /its secret is not that of the service/)
  },
)

test('from either engine to a file and back by backups, every row is the same', async (t) => {
  const first = await installationToBackUp(t, 60)
  await first.withStore(async (store) => {
    const spam = newLead(60, {
      values: Object.fromEntries(fields.map(({ key, example }) => [key, example])) as FieldValues,
      unlisted: '{"colour":"grey"}',
      botcheck: 'Trap',
      agent: 'helper',
      userAgent: 'Browser',
      judgement: { score: 100, reasons: ['trap'] },
      personKeys: ['e1', 'p1'],
      dedup: { by: 'key', value: randomUUID() },
      deliverTo: ['mail'],
    })
    // What is kept and changed later is copied before it can be found.
    await store.search.fillNext()
    await store.leads.keep(spam)
    await markAsSpam(store, spam.id, nowMs)
    await writeEverything(store, newLead(1).id, nowMs)
    await loseLead(store, newLead(2).id, nowMs)
    await eraseLead(store, { leadId: newLead(3).id, at: nowMs })
    await joinLeads(store, { leadId: newLead(5).id, by: robin.id, at: nowMs }, newLead(4).id)
    await store.access.addMember(robin)
    await store.access.addPasskey(passkey('phone', robin.id))
  })
  const whole = await rowsOf(t, first.settings)
  assert.deepEqual(Object.keys(whole), copiedTables)
  const empty = Object.keys(whole).filter((table) => whole[table]!.length === 0)
  assert.deepEqual(empty, emptyTables, 'the test copies nothing of a table')
  const columns = Object.keys(JSON.parse(whole['lead']![0]!) as object)
  const unused = columns.filter((column) => !isFilled(whole['lead']!, column))
  assert.deepEqual(unused, [], 'the test copies nothing of a column')
  const laptop = settingsOf({ dataDir: join(temporaryFolder(t), 'data'), env: {} })
  mkdirSync(laptop.DATA_DIR)
  await restore(laptop, (await first.backUp()).path)
  assert.deepEqual(await rowsOf(t, laptop), whole)
  const back = await emptyPlace(t)
  const made = await leadIntake({ dataDir: laptop.DATA_DIR }, ['backup', '--json'])
  await restore(back, (JSON.parse(made.out) as { path: string }).path)
  assert.deepEqual(await rowsOf(t, back), whole)
  await withStoreOf(back, async (store) => {
    assert.equal((await searchLeads(store, 'grey')).leads.length, 1)
    assert.equal((await store.views.ofPerson(['p1'], { limit: 9 })).length, 1)
  })
})

const copiedTables = [
  'blocked',
  'dedup',
  'delivery',
  'delivery_try',
  'detail_before',
  'event',
  'lead',
  'member',
  'note',
  'once',
  'passkey',
  'photo',
  'search_doc',
  'visit_before',
  'visit_email',
]
/** The tests of deliveries and of the clock write to these. */
const emptyTables = ['delivery_try', 'once']

function isFilled(rows: readonly string[], column: string): boolean {
  const values = rows.map((row) => (JSON.parse(row) as Record<string, unknown>)[column])
  return values.some((value) => value !== '' && value !== null)
}

/** Reads every table that is copied, but for the rows that tell of backups themselves. */
async function rowsOf(t: test.TestContext, settings: Settings): Promise<Record<string, string[]>> {
  const catalog = openSqlite({ path: join(temporaryFolder(t), 'catalog') })
  const tables = await readTables(catalog)
  await catalog.close()
  const rows: Record<string, string[]> = {}
  const engine = await openEngine(databaseOf(settings))
  for (const { name, key, columns } of tables) {
    const found = await engine.read(`select ${columns} from ${name} order by ${key}`)
    const texts = found.map((row) => JSON.stringify(row))
    rows[name] = texts.filter((row) => !row.includes('"id":"backup'))
  }
  await engine.close()
  return rows
}
