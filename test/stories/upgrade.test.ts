/** An upgrade that is cut off at any moment, or finds no room, loses nothing: the next start ends it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBundle } from '../../src/backup/open-bundle.ts'
import { newestMigration } from '../../src/store/engine/migrations.ts'
import { openLeadsToRead } from '../../src/store/open.ts'
import { verifyEvents } from '../../src/store/verify.ts'
import { settingsOf } from '../support/backup.ts'
import type { Place } from '../support/backup.ts'
import { onPostgres } from '../support/engines.ts'
import { installFile, installRelease, readAll } from '../support/released.ts'
import type { Release } from '../support/released.ts'
import { NODE_COMPILE_CACHE, startServiceProcess, temporaryFolder } from '../support/service.ts'
import { fillUp, mayMount, openSmallFileSystem } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const kills = Number(process.env['STORY_MIGRATION_KILLS'] ?? 2)
const version = '0.1.0'

test('kill -9 at any moment of a migration: the next start ends whole', async (t) => {
  const undisturbed = await installRelease(t, version)
  const startedAt = performance.now()
  const service = await startServiceProcess(undisturbed.place)
  const wholeMs = performance.now() - startedAt
  assert.equal(await service.stop(), 0)
  const found = { before: 0, between: 0, after: 0 }

  for (let kill = 0; kill < kills; kill += 1) {
    const release = await installRelease(t, version)
    const before = await readAll(release)
    const child = startAlone(release.place)
    const share = (kill + 0.5) / kills
    // Half of them somewhere in the start, half of them as soon as the migration is near.
    if (kill % 2 === 0) await Promise.race([sleep(share * wholeMs), once(child, 'exit')])
    else await nearMigration(release, kill)
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    found[momentOf(await schemaOf(release))] += 1
    await assertWholeBundles(t, release.place.dataDir)

    const next = await startServiceProcess(release.place)
    assert.equal(await next.stop(), 0)
    assert.equal(await schemaOf(release), newestMigration())
    assert.deepEqual(await readAll(release), before)
    const store = await openLeadsToRead(settingsOf(release.place))
    assert.deepEqual(await verifyEvents(store), { leads: 6, events: 10, breaks: [] })
    await store.close()
  }
  t.diagnostic(JSON.stringify({ story: 'migration killed', kills, found }))
})

test(
  'without room for the backup or the migration the file stays byte for byte as it was',
  { skip: (onPostgres && 'about the file') || (!mayMount() && 'no right to mount') },
  async (t) => {
    const { dataDir } = openSmallFileSystem(t)
    const path = installFile(dataDir, version)
    const bytes = readFileSync(path)
    const ballast = join(dataDir, 'ballast')
    fillUp(ballast)
    const { size } = statSync(ballast)
    const said = new Set<string>()
    let refusals = 0
    for (let freeKib = 0; ; freeKib += 64) {
      truncateSync(ballast, size - freeKib * 1024)
      const service = await startServiceProcess({ dataDir }).catch((error: Error) => error)
      if (!(service instanceof Error)) {
        assert.equal(await service.stop(), 0)
        break
      }
      refusals += 1
      const [why] = /must be migrated|is full|cannot be written/.exec(service.message) ?? ['']
      said.add(why)
      assert.ok(why !== '' && service.message.startsWith('exited with 5 '), service.message)
      // The last is about the first commit, after the migration.
      if (why === 'cannot be written') assert.equal(schemaIn(path), newestMigration())
      else assert.ok(readFileSync(path).equals(bytes), `changed with ${freeKib} KiB free`)
    }
    t.diagnostic(JSON.stringify({ story: 'no room to upgrade', refusals, said: [...said] }))
    assert.ok(said.has('must be migrated'))
    const store = await openLeadsToRead(settingsOf({ dataDir, env: {} }))
    t.after(() => store.close())
    assert.deepEqual(await verifyEvents(store), { leads: 6, events: 10, breaks: [] })
  },
)

function schemaIn(path: string): number {
  const db = new DatabaseSync(path)
  const row = db.prepare('select max(number) as schema from migration').get()
  db.close()
  return Number(row?.['schema'])
}

function startAlone({ dataDir, env }: Place): ChildProcess {
  return spawn(process.execPath, ['bin/lead-intake.js', 'serve'], {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: dataDir, NODE_COMPILE_CACHE, ...env },
    stdio: 'ignore',
  })
}

/** On SQLite the backup before it is there; on PostgreSQL a part of the migrations is done. */
async function nearMigration(release: Release, kill: number): Promise<void> {
  if (onPostgres) {
    const part = 2 + (kill % (newestMigration() - 1))
    await until(async () => (await schemaOf(release)) >= part, 'a migration is done')
    return
  }
  await until(() => bundlesIn(release.place.dataDir).length > 0, 'the backup is made')
  await sleep(kill)
}

async function schemaOf({ ask }: Release): Promise<number> {
  const [row] = await ask('select max(number) as schema from migration')
  return Number(row!['schema'])
}

function momentOf(schema: number): 'before' | 'between' | 'after' {
  if (schema === 1) return 'before'
  return schema === newestMigration() ? 'after' : 'between'
}

function bundlesIn(dataDir: string): string[] {
  const folder = join(dataDir, 'backups', 'before-migration')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith('lead-intake-'))
    .map((name) => join(folder, name))
}

async function assertWholeBundles(t: Parameters<typeof temporaryFolder>[0], dataDir: string) {
  for (const path of bundlesIn(dataDir)) {
    assert.equal((await openBundle(path, temporaryFolder(t))).leads, 6)
  }
}
