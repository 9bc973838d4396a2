import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { openBackup } from '../../src/backup/file.ts'
import { Journal } from '../../src/store/postgres/journal.ts'
import { hasTool, installationToBackUp } from '../support/backup.ts'
import { newLead, referenceAt } from '../support/leads.ts'
import { onPostgres } from '../support/engines.ts'
import { leadIntake } from '../support/operator.ts'
import { temporaryFolder } from '../support/service.ts'

test('zstd and sqlite3 alone open a backup, which holds database, secret and content [backup.tools]', async (t) => {
  const { settings, place, backUp } = await installationToBackUp(t)
  const made = await backUp()
  assert.match(
    basename(made.path),
    /^lead-intake-\d{4}-\d\d-\d\dT\d{6}Z-[0-9a-f]{8}-s\d+\.sqlite\.zst$/,
  )
  assert.equal(made.leads, 20)
  assert.equal(made.bytes, statSync(made.path).size)
  assert.equal(statSync(made.path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(dirname(made.path)), [basename(made.path)])
  const left = readdirSync(place.dataDir).filter((name) => name.startsWith('backup-work'))
  assert.deepEqual(left, [])

  const folder = temporaryFolder(t)
  const database = join(folder, 'backup.sqlite')
  writeFileSync(database, unzstd(made.path))
  assert.equal(ask(database, 'select count(*) as n from lead'), '20')
  assert.equal(ask(database, 'pragma integrity_check'), 'ok')
  const stored = (name: string) =>
    Buffer.from(ask(database, `select hex(data) from sqlar where name = '${name}'`), 'hex')
  assert.deepEqual(stored('secret'), readFileSync(join(place.dataDir, 'secret')))
  const business = readFileSync(join(settings.CONTENT_DIR, 'business.yaml'))
  assert.deepEqual(stored('content/business.yaml'), business)
  assert.partialDeepStrictEqual(JSON.parse(String(stored('manifest.json'))) as object, {
    format: 1,
    engine: onPostgres ? 'postgres' : 'sqlite',
  })
  if (!hasTool('sqlite3')) return
  // The refusal of a start without a secret advises this.
  execFileSync('sqlite3', [database, '-Ax', 'secret'], { cwd: folder })
  assert.deepEqual(readFileSync(join(folder, 'secret')), stored('secret'))
  execFileSync('sqlite3', [database, '-Ax'], { cwd: folder })
  assert.deepEqual(readFileSync(join(folder, 'content/business.yaml')), business)
})

function unzstd(path: string): Buffer {
  if (!hasTool('zstd')) return zstdDecompressSync(readFileSync(path))
  return execFileSync('zstd', ['-dc', path], { maxBuffer: 1e9 })
}

function ask(database: string, sql: string): string {
  if (hasTool('sqlite3')) return execFileSync('sqlite3', [database, sql]).toString().trim()
  const db = new DatabaseSync(database, { readOnly: true })
  const [value] = Object.values(db.prepare(sql).get()!)
  db.close()
  return String(value)
}

test(
  'leads that wait for PostgreSQL are counted and named, and are not in the backup [backup.journal]',
  { skip: !onPostgres && 'SQLite has no journal' },
  async (t) => {
    const { place, backUp } = await installationToBackUp(t, 3)
    const journal = new Journal(place.dataDir)
    await Promise.all([journal.add(newLead(70)), journal.add(newLead(71))])
    const made = await backUp()
    const references = [referenceAt(70), referenceAt(71)]
    assert.deepEqual([made.leads, made.waiting], [3, references])
    const { out } = await leadIntake(place, ['backup'])
    assert.match(out, new RegExp(`^Not in it,.*: 2 leads \\(${references.join(', ')}\\)\\.$`, 'm'))
    const verified = await openBackup(made.path, temporaryFolder(t))
    assert.deepEqual(verified.waiting, references)
  },
)
