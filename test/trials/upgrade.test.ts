import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBackup } from '../../src/backup/file.ts'
import { listBackups } from '../../src/backup/names.ts'
import { newestMigration } from '../../src/store/engine/migrations.ts'
import { installationToBackUp, type BackedUp, type Place } from '../support/backup.ts'
import { onPostgres, newInstallation } from '../support/engines.ts'
import { leadIntake } from '../support/operator.ts'
import {
  NODE_COMPILE_CACHE,
  startServiceProcess,
  temporaryFolder,
  type Cleaner,
} from '../support/service.ts'
import { until } from '../support/until.ts'
import { countLeads } from '../support/leads.ts'

const laterMigration = '9000-later.sql'

/** Returns the script that starts it. `rows`: how many the migration writes, so that it takes time. */
function copyAsNewer(t: Cleaner, rows = 1): string {
  const folder = temporaryFolder(t)
  for (const name of ['bin', 'src', 'public', 'package.json']) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const migration = `create table later (id integer primary key not null) strict;
    insert into later with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i from n;\n`
  writeFileSync(join(folder, 'src/store/engine/migrations', laterMigration), migration)
  return join(folder, 'bin/lead-intake.js')
}

const kills = Number(process.env['STORY_MIGRATION_KILLS'] ?? 2)

test('an upgrade migrates, on SQLite after a backup; the older version prints the two commands that lead back', async (t) => {
  const { place, withStore } = await installationToBackUp(t, 6)
  if (onPostgres) await leadIntake(place, ['backup'])
  const newer = await startServiceProcess({ ...place, script: copyAsNewer(t) })
  assert.equal(await newer.stop(), 0)
  const migrated = newer.lines.find((line) => line.includes('"database.migrated"'))
  assert.equal((JSON.parse(migrated!) as { schema: number }).schema, 9000)
  const [backup, ...more] = await listBackups(folderOf(place))
  assert.deepEqual([backup?.schema, more], [newestMigration(), []])

  // With PostgreSQL, on another node.
  const BACKUP_TO = join(place.dataDir, 'backups')
  const other = { dataDir: temporaryFolder(t), env: { ...place.env, BACKUP_TO } }
  const refused = await leadIntake(onPostgres ? other : place, ['serve'])
  assert.equal(refused.code, 5)
  const newer9000 = `by a newer version of this program (schema 9000; this program knows ${newestMigration()})`
  assert.ok(refused.error.includes(newer9000), refused.error)
  const commands = [...refused.error.matchAll(/^ {2}lead-intake (.+)$/gm)].map(([, rest]) => rest!)
  assert.equal(/name an empty database in DATABASE_URL/.test(refused.error), onPostgres)
  assert.deepEqual(commands, [`restore ${backup!.path}`, 'serve'])
  // Whoever goes back keeps DATA_DIR, which has the secret.
  const { env: empty } = (await newInstallation(t)).place
  const back = onPostgres ? { ...place, env: empty } : place
  const restored = await leadIntake(back, commands[0]!.split(' '))
  assert.equal(restored.code, 0, restored.error)
  const service = await startServiceProcess({ ...back, arguments: [commands[1]!] })
  assert.equal(await service.stop(), 0)
  assert.match((await leadIntake(back, ['leads', 'list'])).out, /(?:C-.*\n){6}/)
  if (!onPostgres) assert.equal(await withStore(countLeads), 6)
})

test('kill -9 at any moment of a migration: the next start ends whole', async (t) => {
  const script = copyAsNewer(t, onPostgres ? 100_000 : 1_000_000)
  const undisturbed = await installationToBackUp(t, 6)
  const startedAt = performance.now()
  const service = await startServiceProcess({ ...undisturbed.place, script })
  const wholeMs = performance.now() - startedAt
  assert.equal(await service.stop(), 0)
  const found = { before: 0, during: 0, after: 0 }

  for (let kill = 0; kill < kills; kill += 1) {
    const installation = await installationToBackUp(t, 6)
    const { place } = installation
    const before = await readLeads(installation)
    const earlier = await migrationsOf(installation)
    const child = spawn(process.execPath, [script, 'serve'], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: place.dataDir,
        NODE_COMPILE_CACHE,
        ...place.env,
      },
      stdio: 'ignore',
    })
    const share = (kill + 0.5) / kills
    // Half of the kills come somewhere in the start, half after the migration was seen to run.
    const isSeen = kill % 2 === 1
    if (isSeen) await until(() => isMigrating(installation), 'the migration runs')
    const waitMs = isSeen ? share * 100 : share * wholeMs
    await Promise.race([sleep(waitMs), once(child, 'exit')])
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    const isDone = (await migrationsOf(installation)).includes(laterMigration)
    found[isDone ? 'after' : isSeen ? 'during' : 'before'] += 1
    for (const { path } of await listBackups(folderOf(place)).catch(() => [])) {
      assert.equal((await openBackup(path, temporaryFolder(t))).leads, 6)
    }

    const next = await startServiceProcess({ ...place, script })
    assert.equal(await next.stop(), 0)
    assert.deepEqual(await migrationsOf(installation), [...earlier, laterMigration])
    assert.deepEqual(await readLeads(installation), before)
  }
  t.diagnostic(JSON.stringify({ story: 'migration killed', kills, found }))
  assert.ok(found.during > 0, 'no kill came between begin and commit: the story proves nothing')
})

function folderOf({ dataDir }: Place): string {
  return join(dataDir, 'backups', onPostgres ? '.' : 'before-migration')
}

/** Whether the migration has begun. Nobody else writes before it ends. */
async function isMigrating({ execute }: BackedUp): Promise<boolean> {
  if (onPostgres) {
    const running = `select 1 from pg_stat_activity
      where state = 'active' and query like '%create table later%' and pid <> pg_backend_pid()`
    return (await execute(running)).length > 0
  }
  try {
    await execute('begin immediate; rollback')
    return false
  } catch (error) {
    assert.match((error as Error).message, /database is locked/)
    return true
  }
}

async function migrationsOf({ execute }: BackedUp): Promise<unknown[]> {
  return (await execute('select name from migration order by name')).map(({ name }) => name)
}

/** Whether a lead is filled depends on how long its service ran. */
async function readLeads({ execute }: BackedUp): Promise<unknown> {
  const leads = await execute('select * from lead order by id')
  return leads.map((lead) => ({ ...lead, filled: undefined }))
}
