import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import type { Settings } from '../../src/config.ts'
import { openBackup } from '../../src/backup/file.ts'
import { backUpBeforeMigration } from '../../src/backup/make.ts'
import { listBackups } from '../../src/backup/names.ts'
import { newestMigration } from '../../src/store/engine/migrations.ts'
import { databaseOf, openEngine } from '../../src/store/open.ts'
import { installationToBackUp } from '../support/backup.ts'
import { leadIntake } from '../support/operator.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { countLeads } from '../support/leads.ts'

/** Takes a column away, so that a start has to migrate. */
async function makeOlder(settings: Settings): Promise<void> {
  const engine = await openEngine(databaseOf(settings))
  await engine.run([['alter table lead drop column postcode', []]])
  await engine.close()
}

test('before a start migrates the database it is backed up, and the backup has the older schema', async (t) => {
  const { place, settings, withStore } = await installationToBackUp(t, 5)
  await makeOlder(settings)
  const service = await startServiceProcess(place)
  assert.equal(await service.stop(), 0)
  const events = service.lines.map((line) => (JSON.parse(line) as { event: string }).event)
  assert.deepEqual(
    events.filter((event) => /backup|migrated/.test(event)),
    ['backup.before-migration', 'database.migrated'],
  )
  const folder = join(place.dataDir, 'backups', 'before-migration')
  const [backup, ...more] = await listBackups(folder)
  assert.deepEqual(more, [])
  const opened = await openBackup(backup!.path, temporaryFolder(t))
  assert.equal(opened.leads, 5)
  const copied = new DatabaseSync(opened.database, { readOnly: true })
  const columns = copied.prepare(`select name from pragma_table_info('lead')`).all()
  copied.close()
  assert.ok(!columns.some(({ name }) => name === 'postcode'))
  assert.equal(await withStore(countLeads), 5)

  const again = await startServiceProcess(place)
  assert.equal(await again.stop(), 0)
  assert.equal((await listBackups(folder)).length, 1, 'nothing is due any more')

  for (let day = 1; day <= 4; day += 1) {
    const now = () => Date.UTC(2030, 0, day)
    await backUpBeforeMigration({ settings, schema: newestMigration(), report: () => {}, now })
  }
  assert.deepEqual(
    (await listBackups(folder)).map(({ at }) => new Date(at).toISOString().slice(0, 10)),
    ['2030-01-04', '2030-01-03', '2030-01-02'],
  )
})

test('without that backup there is no migration, and the database stays as it was', async (t) => {
  const { place, settings } = await installationToBackUp(t, 5)
  await makeOlder(settings)
  const path = join(place.dataDir, 'leads.sqlite')
  const bytes = readFileSync(path)
  writeFileSync(join(place.dataDir, 'backups'), 'a file where a folder should be')
  const { code, error } = await leadIntake(place, ['serve'])
  assert.equal(code, 5)
  assert.match(error, /must be migrated .* could not be made .* Nothing was changed\./)
  assert.ok(readFileSync(path).equals(bytes))
  const command = await leadIntake(place, ['leads', 'list'])
  assert.match(command.error, /has the schema of an older version/)
})
