/** What people do to a database file while the service runs on it: swap it, delete it, lock it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { patienceMs } from '../support/patience.ts'
import { sam } from '../support/people.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { compare, readStored } from '../support/stored.ts'
import { until } from '../support/until.ts'
import {
  askOnce,
  askUntilServed,
  formRequest,
  getRequest,
  jsonRequest,
  openWire,
} from '../support/wire.ts'

describe('a database file under a running service', { concurrency: true }, () => {
  for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
    test(`replaced by an older copy, it is noticed, and nobody is thanked in vain (${ending}) [keep.replaced]`, async (t) => {
      const dataDir = temporaryFolder(t)
      const path = join(dataDir, 'leads.sqlite')
      const away = join(dataDir, 'moved-away.sqlite')
      const older = join(dataDir, 'older.sqlite')
      const service = await startServiceProcess({ dataDir })
      t.after(() => service.stop('SIGKILL'))
      const load = startLoad({ port: () => service.port, label: 'replaced', connections: 8 })
      await acknowledgedMore(load, 50)
      copyTo(path, older)
      await acknowledgedMore(load, 300)

      renameSync(path, away)
      copyFileSync(older, path)
      const replacedAt = performance.now()
      // By a lead that is refused, or by a read before it.
      await until(() => logged(service.lines, 'database.reopened').length > 0, 'it was noticed')
      const noticedMs = Math.round(performance.now() - replacedAt)
      await acknowledgedMore(load, 300)
      const recoveredMs = Math.round(performance.now() - replacedAt)
      await load.stop()
      await service.stop(ending)

      const before = readStored(away)
      const after = readStored(path)
      const emails = new Set([...before.leads, ...after.leads].map((lead) => lead.values.email))
      const lost = [...load.acknowledged.keys()].filter((email) => !emails.has(email))
      t.diagnostic(
        JSON.stringify({
          story: `replaced file, ended by ${ending}`,
          ...load.counts,
          lost: lost.length,
          movedAway: before.leads.length,
          inPlace: after.leads.length,
          integrity: [before.integrity, after.integrity],
          noticedMs,
          recoveredMs,
        }),
      )
      assert.deepEqual(lost, [])
      assert.deepEqual([before.integrity, after.integrity], ['ok', 'ok'])
      assert.deepEqual([...before.breaks, ...after.breaks], [])
      assert.deepEqual(load.unexpected, [])
    })
  }

  test('deleted, everything is refused until a file is put back [keep.replaced]', async (t) => {
    const dataDir = temporaryFolder(t)
    const path = join(dataDir, 'leads.sqlite')
    const backup = join(dataDir, 'backup.sqlite')
    const service = await startServiceProcess({ dataDir })
    t.after(() => service.stop('SIGKILL'))
    await askOnce(service.port, jsonRequest(sam))
    copyTo(path, backup)

    rmSync(path)
    const statuses: number[] = []
    for (let number = 0; number < 20; number += 1) {
      const lead = { ...sam, email_1: `deleted-${number}@example.com` }
      statuses.push((await askOnce(service.port, jsonRequest(lead))).status)
      statuses.push((await askOnce(service.port, formRequest(lead))).status)
    }
    const health = await askOnce(service.port, getRequest('/api/lead'))

    copyFileSync(backup, path)
    const putBackAt = performance.now()
    const load = startLoad({ port: () => service.port, label: 'put-back', connections: 8 })
    await acknowledgedMore(load, 100)
    const recoveredMs = Math.round(performance.now() - putBackAt)
    await load.stop()
    const askHealth = () => askOnce(service.port, getRequest('/api/lead'))
    const healthAfter = await askUntilServed(askHealth)

    assert.equal(await service.stop(), 0)
    const stored = readStored(path)
    const { lost } = compare(load.acknowledged, stored.leads)
    t.diagnostic(
      JSON.stringify({ story: 'deleted file', refused: statuses.length, lost, recoveredMs }),
    )
    assert.deepEqual(new Set(statuses), new Set([503]))
    assert.equal(health.status, 503)
    assert.equal(healthAfter.status, 200)
    assert.equal(lost, 0)
    assert.equal(stored.integrity, 'ok')
  })

  test('is not ready while it is deleted or cannot grow, and ready once that is mended', async (t) => {
    const dataDir = temporaryFolder(t)
    const path = join(dataDir, 'leads.sqlite')
    const backup = join(dataDir, 'backup.sqlite')
    const service = await startServiceProcess({ dataDir })
    t.after(() => service.stop('SIGKILL'))
    copyTo(path, backup)
    assert.deepEqual(await readiness(service.port), { status: 200, database: 'ok' })

    renameSync(path, join(dataDir, 'moved-away.sqlite'))
    assert.deepEqual(await readiness(service.port), { status: 503, database: 'missing' })
    assert.deepEqual(await readiness(service.port), { status: 503, database: 'missing' })

    renameSync(backup, path)
    assert.deepEqual(await readiness(service.port), { status: 200, database: 'ok' })

    copyTo(path, backup)
    renameSync(backup, path)
    // A read of the service itself may have noticed it before.
    assert.match((await readiness(service.port)).database, /^(?:replaced|ok)$/)
    assert.deepEqual(await readiness(service.port), { status: 200, database: 'ok' })

    const log = join(dataDir, 'leads.sqlite-wal')
    const limit = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', String(service.process.pid), `--fsize=${bytes}:`])
    limit(statSync(log).size)
    const full = await readiness(service.port)
    assert.equal(full.status, 503)
    assert.notEqual(full.database, 'ok')
    limit('unlimited')
    assert.deepEqual(await readiness(service.port), { status: 200, database: 'ok' })
  })

  const olderSchemas = {
    'without a field': 'alter table lead drop column postcode',
    'without any table of its own': undefined,
  }
  for (const [what, change] of Object.entries(olderSchemas)) {
    test(`replaced by a backup of an older schema (${what}), it is migrated at once`, async (t) => {
      const dataDir = temporaryFolder(t)
      const path = join(dataDir, 'leads.sqlite')
      const backup = join(dataDir, 'backup.sqlite')
      const service = await startServiceProcess({ dataDir })
      t.after(() => service.stop('SIGKILL'))
      await askOnce(service.port, jsonRequest(sam))
      copyTo(path, backup)
      changeFile(backup, change ?? dropEveryTable(backup))
      renameSync(backup, path)

      const lead = { ...sam, email_1: 'after@example.com', text_1: '2480' }
      const answer = await askUntilServed(() => askOnce(service.port, jsonRequest(lead)))
      assert.equal(answer.status, 200)
      assert.equal(await service.stop(), 0)
      assert.equal(logged(service.lines, 'database.reopened').length, 1)
      const { leads, integrity } = readStored(path)
      assert.equal(integrity, 'ok')
      assert.equal(leads.at(-1)?.values.postcode, '2480')
    })
  }

  const unusable = {
    'of a newer version': {
      make: (path: string) =>
        changeFile(path, `insert into migration (name, hash, at) values ('9000-later.sql', '', 0)`),
      says: /newer version/,
    },
    'that is empty': { make: (path: string) => writeFileSync(path, ''), says: /Move a backup/ },
  }
  for (const [what, { make, says }] of Object.entries(unusable)) {
    test(`replaced by a file ${what}, it is refused with one line that says what to do`, async (t) => {
      const dataDir = temporaryFolder(t)
      const path = join(dataDir, 'leads.sqlite')
      const [backup, other] = [join(dataDir, 'backup.sqlite'), join(dataDir, 'other.sqlite')]
      const service = await startServiceProcess({ dataDir })
      t.after(() => service.stop('SIGKILL'))
      copyTo(path, backup)
      copyTo(path, other)
      make(other)
      const bytes = readFileSync(other)
      renameSync(other, path)

      const post = () => askOnce(service.port, jsonRequest(sam))
      for (const _ of [1, 2, 3, 4]) assert.equal((await post()).status, 503)
      assert.deepEqual(await readiness(service.port), { status: 503, database: 'refused' })
      await until(() => logged(service.lines, 'database.refused').length > 0, 'it is logged')
      assert.ok(readFileSync(path).equals(bytes), 'the file was changed')

      renameSync(backup, path)
      await askUntilServed(post)
      assert.equal(await service.stop(), 0)
      const [line, ...more] = logged(service.lines, 'database.refused')
      assert.match(line!, says)
      assert.deepEqual(more, [])
    })
  }

  test('locked by another program, posts are told so and pages are not held up [keep.locked]', async (t) => {
    const dataDir = temporaryFolder(t)
    const path = join(dataDir, 'leads.sqlite')
    const service = await startServiceProcess({ dataDir })
    t.after(() => service.stop('SIGKILL'))
    const load = startLoad({ port: () => service.port, label: 'locked', connections: 8 })
    await acknowledgedMore(load, 50)

    const other = new DatabaseSync(path, { timeout: patienceMs })
    other.exec('begin immediate')
    const [health] = await Promise.all([
      askOnce(service.port, getRequest('/api/lead')),
      readPagesBetween(service.port, () => load.counts.unavailable),
      until(() => load.counts.unavailable > 0, 'a post was refused'),
    ])
    other.exec('rollback')
    other.close()
    const releasedAt = performance.now()
    await acknowledgedMore(load, 100)
    const recoveredMs = Math.round(performance.now() - releasedAt)
    await load.stop()
    const askHealth = () => askOnce(service.port, getRequest('/api/lead'))
    const healthAfter = await askUntilServed(askHealth)

    assert.equal(await service.stop(), 0)
    const { lost } = compare(load.acknowledged, readStored(path).leads)
    t.diagnostic(
      JSON.stringify({
        story: 'locked file',
        ...load.counts,
        lost,
        slowestPostMs: load.slowestMs(),
        recoveredMs,
      }),
    )
    assert.equal(health.status, 503)
    assert.equal(healthAfter.status, 200)
    assert.equal(lost, 0)
    assert.deepEqual(load.unexpected, [])
  })
})

async function readiness(port: number): Promise<{ status: number; database: string }> {
  const { status, body } = await askOnce(port, getRequest('/readyz'))
  return { status, database: (JSON.parse(body) as { database: string }).database }
}

function logged(lines: readonly string[], event: string): string[] {
  return lines.filter((line) => line.includes(`"event":"${event}"`))
}

/** Except the one that tells which migrations have run. */
function dropEveryTable(path: string): string {
  const database = new DatabaseSync(path)
  const tables = database
    .prepare(
      `select name from pragma_table_list
       where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite_%' and name <> 'migration'`,
    )
    .all()
  database.close()
  return tables
    .map(({ name }) => `drop table ${String(name)};`)
    .join(' ')
    .concat('delete from migration')
}

function changeFile(path: string, sql: string): void {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}

function copyTo(path: string, copy: string): void {
  const db = new DatabaseSync(path, { readOnly: true })
  db.prepare('vacuum into ?').run(copy)
  db.close()
}

/**
 * Reads a page again and again, until ten were answered while posts waited for the lock: with no
 * refusal in between. A page that waited for the lock too would come together with the refusals.
 */
async function readPagesBetween(port: number, refusals: () => number): Promise<void> {
  const wire = await openWire(port)
  let between = 0
  await until(async () => {
    const before = refusals()
    const { status } = await wire.ask(getRequest('/no-such-page/'))
    assert.equal(status, 404)
    if (refusals() === before) between += 1
    return between >= 10
  }, 'pages are answered while posts wait')
  wire.close()
}
