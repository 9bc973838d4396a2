/** A database that a released version wrote is migrated by a start, and nothing of it is lost. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { listBundles } from '../../src/backup/list.ts'
import { openBundle } from '../../src/backup/open-bundle.ts'
import { newestMigration } from '../../src/store/engine/migrations.ts'
import { openToServe } from '../../src/store/open.ts'
import { version as present } from '../../src/version.ts'
import { settingsOf } from '../support/backup.ts'
import { onPostgres } from '../support/engines.ts'
import { newInstallation } from '../support/installation.ts'
import { newLead } from '../support/new-lead.ts'
import { leadIntake } from '../support/operator.ts'
import { askFile, installRelease, readAll, releases } from '../support/released.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'

for (const version of releases) {
  test(`what ${version} wrote is migrated, whole, and the log tells each step`, async (t) => {
    const release = await installRelease(t, version)
    const { place, told, ask } = release
    const [row] = await ask('select max(number) as schema from migration')
    const schema = Number(row!['schema'])
    const before = await readAll(release)
    const moved = await leadIntake(place, ['leads', 'move', told.reference, 'contacted'])
    assert.deepEqual([moved.code, /serve"\): that makes a backup/.test(moved.error)], [5, true])
    const service = await startServiceProcess(place)
    t.after(() => service.stop('SIGKILL'))
    const receipt = await fetch(`${service.url}/receipt/${told.receipt}`)
    assert.equal(receipt.status, 200)
    assert.equal(await service.stop(), 0)

    const lines = service.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const steps = lines.filter(({ event }) => event === 'database.migrated')
    const numbers = Array.from({ length: newestMigration() - schema }, (_, at) => schema + 1 + at)
    assert.deepEqual(
      steps.map((step) => step['schema']),
      numbers,
    )
    assert.deepEqual(openedWith(lines), { version: present, schema: newestMigration() })
    assert.deepEqual(await readAll(release), before)
    const [bundle, ...more] = await listBundles(join(place.dataDir, 'backups', 'before-migration'))
    assert.deepEqual([bundle?.schema, more], [schema, []])
    const unpacked = temporaryFolder(t)
    assert.equal((await openBundle(bundle!.path, unpacked)).leads, 6)
    const path = join(unpacked, 'leads.sqlite')
    const copied = await readAll({ ask: (sql) => askFile(path, sql) })
    assert.equal(inText(copied), inText(before))
    const verified = await leadIntake(place, ['events', 'verify'])
    assert.deepEqual(verified, { code: 0, out: '6 leads, 10 events, 0 breaks\n', error: '' })

    const found = await leadIntake(place, ['leads', 'show', told.reference])
    assert.deepEqual([found.code, /Robin Example/.test(found.out)], [0, true])
    const again = await startServiceProcess(place)
    assert.equal(await again.stop(), 0)
    const later = again.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.ok(!later.some(({ event }) => event === 'database.migrated'))
    assert.equal(openedWith(later)?.['previous'], present)
  })
}

test('a key that was sent to 0.1.0 still names its lead', async (t) => {
  const { place, ask } = await installRelease(t, '0.1.0')
  const [robin] = await ask(`select id, received_at from lead where email = 'robin@example.com'`)
  const store = await openToServe(settingsOf(place), {
    log: { info() {}, warn() {} },
    beforeMigration: () => Promise.resolve(),
  })
  t.after(() => store.close())
  const kept = await store.keepLead(
    newLead(1, {
      receivedAt: Number(robin!['received_at']) + 60_000,
      values: {
        name: 'Robin Example',
        email: 'Robin@example.com',
        phone: '0491 570 006',
        postcode: '',
        message: 'A deck with stairs, please.',
      },
      unlisted: '{"postcode_1":"2000"}',
      dedup: { by: 'key', value: '7e57d004-2b97-4e7a-b45f-5387367791cd' },
    }),
  )
  assert.deepEqual(kept, { kind: 'repeated', id: robin!['id'] })
})

test('a start that refuses a newer schema prints two commands, and they lead back', async (t) => {
  const { place, ask } = await installRelease(t, '0.1.0')
  const newer = await startServiceProcess(place)
  assert.equal(await newer.stop(), 0)
  await ask(`insert into migration (number, name, at) values (9000, 'later', 0) returning number`)
  const BACKUP_TO = join(place.dataDir, 'backups')
  const other = { dataDir: temporaryFolder(t), env: { ...place.env, BACKUP_TO } }
  const at = onPostgres ? other : place
  const refused = await leadIntake(at, ['serve'])
  assert.equal(refused.code, 5)
  assert.match(refused.error, /written by a newer version of this program \(schema 9000;/)
  const commands = [...refused.error.matchAll(/^ {2}lead-intake (.+)$/gm)].map(([, rest]) => rest!)
  assert.equal(/name an empty database in DATABASE_URL/.test(refused.error), onPostgres)
  assert.match(commands[0]!, /^restore \/.*\/before-migration\/lead-intake-.*-s1\.tar\.zst$/)
  assert.deepEqual(commands.slice(1), ['serve'])
  const back = onPostgres ? (await newInstallation(t)).place : place
  const restored = await leadIntake(back, commands[0]!.split(' '))
  assert.equal(restored.code, 0, restored.error)
  const service = await startServiceProcess({ ...back, arguments: [commands[1]!] })
  assert.equal(await service.stop(), 0)
  const verified = await leadIntake(back, ['events', 'verify'])
  assert.match(verified.out, /^6 leads, .* 0 breaks\n$/)
})

function openedWith(lines: Record<string, unknown>[]): Record<string, unknown> | undefined {
  const {
    time: _,
    level: _level,
    event: _event,
    ...facts
  } = lines.find(({ event }) => event === 'database.opened') ?? {}
  return facts
}

/** PostgreSQL's driver returns large numbers as text. */
function inText(rows: unknown): string {
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'number' ? String(value) : value,
  )
}
