/** Backups and restores beside a service under load, killed at any moment, and from engine to engine. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import { listBundles } from '../../src/backup/list.ts'
import { openBundle } from '../../src/backup/open-bundle.ts'
import { readTables } from '../../src/store/copy.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { openEngine, databaseOf } from '../../src/store/open.ts'
import { installationToBackUp, settingsOf } from '../support/backup.ts'
import type { Place } from '../support/backup.ts'
import { onPostgres } from '../support/engines.ts'
import { newInstallation } from '../support/installation.ts'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { nowMs } from '../support/new-lead.ts'
import { leadIntake } from '../support/operator.ts'
import { randomFrom } from '../support/random.ts'
import { cacheDir, startServiceProcess, temporaryFolder } from '../support/service.ts'
import { readStored } from '../support/stored.ts'

const kills = Number(process.env['STORY_BACKUP_KILLS'] ?? 2)

test('a backup under load and a restore lose no lead that was acknowledged [backup.inside, backup.stopped]', async (t) => {
  const { place, readStored: readNow } = await newInstallation(t)
  let service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  const load = startLoad({ port: () => service.port, label: 'restored', connections: 8 })
  await acknowledgedMore(load, 100)
  const before = new Set(load.acknowledged.keys())
  const made = await leadIntake(place, ['backup', '--json'])
  assert.equal(made.code, 0, made.error)
  const { path } = JSON.parse(made.out) as { path: string }
  await acknowledgedMore(load, 100)

  if (!onPostgres) {
    const refused = await leadIntake(place, ['restore', path])
    assert.equal(refused.code, 5)
    assert.match(
      refused.error,
      /^The service runs on .*leads\.sqlite\. Stop it, restore the backup,/,
    )
    await service.stop()
  }
  const restored = await leadIntake(place, ['restore', path, '--json'])
  assert.equal(restored.code, 0, restored.error)
  if (!onPostgres) service = await startServiceProcess(place)
  const { keptAs } = JSON.parse(restored.out) as { keptAs: string }
  await acknowledgedMore(load, 200)
  await load.stop()
  assert.equal(await service.stop(), 0)

  const bundled = await emailsIn(t, path)
  assert.deepEqual(
    [...before].filter((email) => !bundled.has(email)),
    [],
    'not in the backup',
  )
  const after = await readNow()
  const kept = onPostgres ? await emailsOf(place, keptAs) : emailsInFile(keptAs)
  const emails = new Set([...after.leads.map(({ values }) => values.email), ...kept])
  const lost = [...load.acknowledged.keys()].filter((email) => !emails.has(email))
  t.diagnostic(JSON.stringify({ story: 'backup and restore', ...load.counts, lost: lost.length }))
  assert.deepEqual(lost, [])
  assert.deepEqual([after.integrity, after.breaks], ['ok', []])
  assert.ok([...before].every((email) => after.leads.some((lead) => lead.values.email === email)))
  assert.deepEqual(load.unexpected, [])
})

async function emailsIn(t: test.TestContext, bundle: string): Promise<Set<string>> {
  const folder = temporaryFolder(t)
  await openBundle(bundle, folder)
  return emailsInFile(join(folder, 'leads.sqlite'))
}

function emailsInFile(path: string): Set<string> {
  const { leads, integrity, breaks } = readStored(path)
  assert.deepEqual([integrity, breaks], ['ok', []])
  return new Set(leads.map(({ values }) => values.email))
}

async function emailsOf(place: Place, schema: string): Promise<Set<string>> {
  const engine = await openEngine(databaseOf(settingsOf(place)))
  const rows = await engine.read(`select email from ${schema}.lead`)
  await engine.close()
  return new Set(rows.map((row) => String(row['email'])))
}

test('killed at any moment, no bundle is left that cannot be used, and the service starts [backup.kill]', async (t) => {
  const { place, settings, backUp } = await installationToBackUp(t, 500)
  const { path } = await backUp()
  const to = join(place.dataDir, 'backups')
  const random = randomFrom(kills)
  const tally = { backups: 0, restores: 0 }
  const [backupMs, restoreMs] = [
    await killAfter(place, ['backup'], Number.POSITIVE_INFINITY),
    await killAfter(place, ['restore', path], Number.POSITIVE_INFINITY),
  ]
  for (let kill = 0; kill < kills; kill += 1) {
    await killAfter(place, ['backup'], random() * backupMs)
    await killAfter(place, ['restore', path], random() * restoreMs)
    for (const bundle of await listBundles(to)) {
      const folder = temporaryFolder(t)
      assert.equal((await openBundle(bundle.path, folder)).leads, 500)
      rmSync(bundle.path)
      rmSync(folder, { recursive: true })
      tally.backups += 1
    }
    const engine = await openEngine(databaseOf(settings))
    const [row] = await engine.read('select count(*) as leads from lead')
    assert.equal(Number(row!['leads']), 500)
    await engine.close()
    if (readdirSync(place.dataDir).some((name) => name.startsWith('before-restore'))) {
      tally.restores += 1
    }
  }
  t.diagnostic(JSON.stringify({ story: 'killed', kills: 2 * kills, backupMs, restoreMs, ...tally }))
  const service = await startServiceProcess(place)
  assert.equal(await service.stop(), 0)
  assert.equal((await leadIntake(place, ['backup'])).code, 0)
  const left = readdirSync(place.dataDir).filter((name) => name.startsWith('backup-work-'))
  assert.deepEqual(left, [], 'the next backup clears away what killed ones left')
})

/** Returns how long it ran. */
async function killAfter(place: Place, args: string[], ms: number): Promise<number> {
  const startedAt = performance.now()
  const env = { PATH: process.env['PATH'], DATA_DIR: place.dataDir, CACHE_DIR: cacheDir }
  const child = spawn(process.execPath, ['bin/lead-intake.js', ...args], {
    env: { ...env, ...place.env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  if (Number.isFinite(ms)) {
    await Promise.race([sleep(ms), ended])
    child.kill('SIGKILL')
  }
  await ended
  return Math.round(performance.now() - startedAt)
}

test('from either engine to the other and back by backups, everything is the same', async (t) => {
  const first = await installationToBackUp(t, 60)
  await first.withStore(async (store) => {
    const [lead, noted] = await store.listLeads({ limit: 2 })
    await store.moveLead(lead!, { to: 'contacted', by: 'owner', at: nowMs * 2 })
    await store.addNote(noted!, { at: nowMs, memberId: 'member-1', words: 'Rings back.' })
  })
  const laptop: Place = { dataDir: join(temporaryFolder(t), 'data'), env: {} }
  const { place: last } = await newInstallation(t)
  const whole = await rowsOf(t, first.place)
  const made = await first.backUp()
  for (const [place, from] of [
    [laptop, made.path],
    [last, undefined],
  ] as const) {
    const path = from ?? (await onlyBundle(laptop))
    const run = await leadIntake(place, ['restore', path])
    assert.equal(run.code, 0, run.error)
    assert.deepEqual(await rowsOf(t, place), whole)
  }
})

async function onlyBundle(place: Place): Promise<string> {
  const made = await leadIntake(place, ['backup', '--json'])
  return (JSON.parse(made.out) as { path: string }).path
}

/** Of every table that is copied. What tells of backups themselves is left out. */
async function rowsOf(t: test.TestContext, place: Place): Promise<Record<string, string[]>> {
  const catalog = openSqlite({ path: join(temporaryFolder(t), 'catalog'), nowMs })
  const tables = await readTables(catalog)
  await catalog.close()
  const engine = await openEngine(databaseOf(settingsOf(place)))
  const rows: Record<string, string[]> = {}
  for (const { name, key } of tables) {
    const found = await engine.read(`select * from ${name} order by ${key.join(', ')}`)
    rows[name] = found
      .filter((row) => !String(row['id']).startsWith('backup'))
      .map((row) => JSON.stringify(row))
  }
  await engine.close()
  return rows
}
