import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { sam } from '../support/leads.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { compare, readStored } from '../support/stored.ts'
import { until, patienceMs } from '../support/until.ts'
import { askOnce, askUntilServed, getRequest, jsonRequest, openWire } from '../support/wire.ts'

describe('a database file under a running service', { concurrency: true }, () => {
  test('replaced by an older copy, it ends the service with 1, and nobody is thanked in vain [keep.replaced, keep.ends]', async (t) => {
    const dataDir = temporaryFolder(t)
    const path = join(dataDir, 'leads.sqlite')
    const away = join(dataDir, 'moved-away.sqlite')
    const older = join(dataDir, 'older.sqlite')
    const service = await startServiceProcess({ dataDir })
    t.after(() => service.stop('SIGKILL'))
    let port = () => service.port
    const ended = once(service.process, 'close')
    const load = startLoad({ port: () => port(), label: 'replaced', connections: 8 })
    await acknowledgedMore(load, 50)
    copyTo(path, older)
    await acknowledgedMore(load, 100)

    renameSync(path, away)
    copyFileSync(older, path)
    const replacedAt = performance.now()
    assert.deepEqual(await ended, [1, null])
    const endedMs = Math.round(performance.now() - replacedAt)
    assertSaysReplaced(service.lines)
    const again = await startServiceHere(t, { dataDir })
    port = () => again.port
    await acknowledgedMore(load, 100)
    await load.stop()
    await again.stop()

    const before = readStored(away)
    const after = readStored(path)
    const emails = new Set([...before.leads, ...after.leads].map((lead) => lead.values.email))
    const lost = [...load.acknowledged.keys()].filter((email) => !emails.has(email))
    t.diagnostic(JSON.stringify({ story: 'replaced file', ...load.counts, endedMs }))
    assert.deepEqual(lost, [])
    assert.deepEqual([before.integrity, after.integrity], ['ok', 'ok'])
    assert.deepEqual([...before.breaks, ...after.breaks], [])
    assert.deepEqual(load.unexpected, [])
  })

  test('deleted, it ends the service with 1, and no empty file takes its place [keep.replaced, keep.ends]', async (t) => {
    const dataDir = temporaryFolder(t)
    const path = join(dataDir, 'leads.sqlite')
    const backup = join(dataDir, 'backup.sqlite')
    const service = await startServiceProcess({ dataDir })
    t.after(() => service.stop('SIGKILL'))
    await askOnce(service.port, jsonRequest(sam))
    copyTo(path, backup)

    rmSync(path)
    const ended = once(service.process, 'close')
    const lead = { ...sam, email_1: 'deleted@example.com' }
    // A commit of the service's own may have ended it before.
    const answer = await askOnce(service.port, jsonRequest(lead)).catch(() => undefined)
    assert.ok(answer === undefined || answer.status === 503)
    assert.deepEqual(await ended, [1, null])
    assertSaysReplaced(service.lines)
    await assert.rejects(startServiceHere(t, { dataDir }), /leads\.sqlite is missing or empty/)
    assert.equal(existsSync(path), false)

    copyFileSync(backup, path)
    const again = await startServiceHere(t, { dataDir })
    assert.equal((await askOnce(again.port, jsonRequest(lead))).status, 200)
    await again.stop()
    const { integrity, leads } = readStored(path)
    assert.deepEqual([integrity, leads.length], ['ok', 2])
  })

  test('locked by another program, posts are told so and pages are not held up [keep.locked]', async (t) => {
    const dataDir = temporaryFolder(t)
    const path = join(dataDir, 'leads.sqlite')
    const service = await startServiceHere(t, { dataDir })
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

    await service.stop()
    const { lost } = compare(load.acknowledged, readStored(path).leads)
    t.diagnostic(JSON.stringify({ story: 'locked file', ...load.counts, recoveredMs }))
    assert.equal(health.status, 503)
    assert.equal(healthAfter.status, 200)
    assert.equal(lost, 0)
    assert.deepEqual(load.unexpected, [])
  })
})

function assertSaysReplaced(lines: readonly string[]): void {
  const said = lines.filter((line) => line.includes('"event":"database.replaced"'))
  assert.equal(said.length, 1)
  assert.match(said[0]!, /leads\.sqlite was replaced or deleted while the service ran\./)
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
