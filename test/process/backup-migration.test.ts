import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import type { Settings } from '../../src/config.ts'
import { openBackup } from '../../src/backup/file.ts'
import { installationOf, listBackups, toBackupName } from '../../src/backup/names.ts'
import { StoreRefused } from '../../src/store/engine/engine.ts'
import { dayMs } from '../../src/time.ts'
import { databaseOf, openEngine } from '../../src/store/open.ts'
import { installationToBackUp } from '../support/backup.ts'
import { leadIntake } from '../support/operator.ts'
import { temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { countLeads } from '../support/leads.ts'

/** Takes a column away, so that a start has to migrate. */
async function makeOlder(settings: Settings): Promise<void> {
  const engine = await openEngine(databaseOf(settings))
  await engine.run([['alter table lead drop column postcode', []]])
  await engine.close()
}

test('before a start migrates the database it is backed up with the older schema; BACKUP_KEEP counts for it, too', async (t) => {
  const { place, settings, secret, withStore } = await installationToBackUp(t, 5)
  const folder = join(place.dataDir, 'backups', 'before-migration')
  mkdirSync(folder, { recursive: true })
  const earlier = {
    installation: installationOf(secret),
    schema: 1,
    byHand: false,
    encrypted: false,
  }
  for (const at of [1, 2, 3]) {
    writeFileSync(join(folder, toBackupName({ ...earlier, at: at * dayMs })), zstdCompressSync(''))
  }
  await makeOlder(settings)
  const keeping = { ...place, env: { ...place.env, BACKUP_KEEP: '2d' } }
  const service = await startServiceHere(t, keeping)
  await service.stop()
  const events = service.lines.map((line) => (JSON.parse(line) as { event: string }).event)
  assert.deepEqual(
    events.filter((event) => /backup|migrated/.test(event)),
    ['backup.before-migration', 'database.migrated'],
  )
  const [backup, ...more] = await listBackups(folder)
  assert.deepEqual(
    more.map(({ at }) => at / dayMs),
    [3],
  )
  const opened = await openBackup(backup!.path, temporaryFolder(t))
  assert.equal(opened.leads, 5)
  const copied = new DatabaseSync(opened.database, { readOnly: true })
  const columns = copied.prepare(`select name from pragma_table_info('lead')`).all()
  copied.close()
  assert.ok(!columns.some(({ name }) => name === 'postcode'))
  assert.equal(await withStore(countLeads), 5)

  const again = await startServiceHere(t, place)
  await again.stop()
  assert.equal((await listBackups(folder)).length, 2, 'nothing is due any more')
})

test('without that backup there is no migration, and the database stays as it was', async (t) => {
  const { place, settings } = await installationToBackUp(t, 5)
  await makeOlder(settings)
  const path = join(place.dataDir, 'leads.sqlite')
  const bytes = readFileSync(path)
  writeFileSync(join(place.dataDir, 'backups'), 'a file where a folder should be')
  await assert.rejects(startServiceHere(t, place), (error: Error) => {
    assert.ok(error instanceof StoreRefused)
    assert.match(error.message, /must be migrated .* could not be made .* Nothing was changed\./)
    return true
  })
  assert.ok(readFileSync(path).equals(bytes))
  const command = await leadIntake(place, ['leads', 'list'])
  assert.match(command.error, /has the schema of an older version/)
})
