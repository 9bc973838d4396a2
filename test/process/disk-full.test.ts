import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statSync, truncateSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'node:test'
import { acknowledgedMore, receivedReference, startLoad } from '../support/load.ts'
import { leadIntake } from '../support/operator.ts'
import { robin } from '../support/leads.ts'
import { temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { mayMount, openSmallDisk, openSmallFileSystem } from '../support/small-disk.ts'
import { assertKept, compare, readStored } from '../support/stored.ts'
import { until } from '../support/until.ts'
import {
  askOnce,
  askUntilServed,
  formRequest,
  getRequest,
  jsonRequest,
  type WireAnswer,
} from '../support/wire.ts'

const mebibyte = 1024 * 1024

test('while the disk is full every post is refused openly, and afterwards taken again [keep.full]', async (t) => {
  const disk = openSmallDisk(t)
  const service = await disk.start()
  const load = startLoad({ port: () => service.port, label: 'before', connections: 8 })
  await acknowledgedMore(load, 100)

  disk.fill()
  await until(() => load.counts.unavailable >= 50, 'the disk was full')
  await load.stop()
  const squeezed = await fillLastGaps(service.port)

  const typed = { ...robin, textarea_1: 'A <deck> & "pergola",\nboth please.' }
  const posts = Array.from({ length: 20 }, (_, index) => ({
    ...typed,
    email_1: `full-${index}@example.com`,
  }))
  const toAgents: WireAnswer[] = []
  const toBrowsers: WireAnswer[] = []
  for (const post of posts) {
    toAgents.push(await askOnce(service.port, jsonRequest(post)))
    toBrowsers.push(await askOnce(service.port, formRequest(post)))
  }
  const health = await askOnce(service.port, getRequest('/api/lead'))

  disk.free()
  const freedAt = performance.now()
  const first = await firstTaken(service.port)
  const recoveredMs = Math.round(performance.now() - freedAt)
  const askHealth = () => askOnce(service.port, getRequest('/api/lead'))
  const healthAfter = await askUntilServed(askHealth)

  await service.stop()
  const stored = readStored(join(disk.dataDir, 'leads.sqlite'))
  const acknowledged = new Map([...load.acknowledged, ...squeezed, ...first])
  const comparison = compare(acknowledged, stored.leads)
  t.diagnostic(JSON.stringify({ story: 'full disk', ...load.counts, ...comparison, recoveredMs }))
  assertKept(acknowledged, stored)
  for (const answer of toAgents) assertUnavailable(answer)
  for (const [index, answer] of toBrowsers.entries()) assertKeepsText(answer, posts[index]!)
  assertUnavailable(health)
  assert.equal(comparison.storedNotAcknowledged, 0)
  assert.deepEqual(load.unexpected, [])
  assert.equal(healthAfter.status, 200)
})

test(
  'a backup for which there is no room is refused in one sentence, and leads are taken [backup.room]',
  { skip: !mayMount() && 'no right to mount' },
  async (t) => {
    const disk = openSmallFileSystem(t, 100)
    const service = await startServiceHere(t, { dataDir: disk.dataDir })
    const post = async (name: string) => {
      const lead = {
        ...robin,
        email_1: `${name}@example.com`,
        textarea_1: 'A deck. '.repeat(1_000),
      }
      assert.equal((await askOnce(service.port, jsonRequest(lead))).status, 200)
    }
    // Few, so that no checkpoint, which lets the file grow, takes the room that is left.
    for (let sent = 0; sent < 20; sent += 1) await post(`before-${sent}`)
    disk.fill()
    const ballast = join(disk.dataDir, 'ballast')
    truncateSync(ballast, statSync(ballast).size - mebibyte)
    const elsewhere = temporaryFolder(t)
    for (const to of [join(disk.dataDir, 'backups'), elsewhere]) {
      const { code, error } = await leadIntake(disk, ['backup', '--to', to])
      assert.equal(code, 1)
      assert.match(
        error,
        /^The backup was not made: there is no room for it in \S+, where \d+\.\d MB are needed and [\d.]+ [kM]B are free\.\n$/,
      )
      await post(`after-${basename(to)}`)
    }
    disk.free()
    const made = await leadIntake(disk, ['backup', '--to', elsewhere])
    assert.equal(made.code, 0, made.error)
  },
)

/** A single lead may still fit where a whole group did not: posts until nothing fits. */
async function fillLastGaps(port: number): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>()
  for (let refusals = 0, number = 0; refusals < 5; number += 1) {
    const email = `gap-${number}@example.com`
    const answer = await askOnce(port, jsonRequest({ name_1: 'Sam', email_1: email }))
    const reference = receivedReference(answer)
    if (reference === undefined) refusals += 1
    else {
      refusals = 0
      acknowledged.set(email, reference)
    }
  }
  return acknowledged
}

async function firstTaken(port: number): Promise<Map<string, string>> {
  const email = 'after@example.com'
  const request = jsonRequest({ name_1: 'Sam', email_1: email })
  const answer = await askUntilServed(() => askOnce(port, request))
  return new Map([[email, receivedReference(answer)!]])
}

function assertUnavailable(answer: WireAnswer): void {
  assert.equal(answer.status, 503)
  assert.ok(Number(answer.headers['retry-after']) > 0)
  assert.equal(answer.headers['content-type'], 'application/json')
  const { error } = JSON.parse(answer.body) as { error: Record<string, string> }
  assert.equal(error['code'], 'STORAGE_UNAVAILABLE')
  assert.ok(error['message'] && error['resolution'])
}

function assertKeepsText(answer: WireAnswer, typed: Record<string, string>): void {
  assert.equal(answer.status, 503)
  assert.ok(Number(answer.headers['retry-after']) > 0)
  assert.match(answer.headers['content-type']!, /^text\/html/)
  for (const text of Object.values(typed)) {
    assert.ok(answer.body.includes(escaped(text)), `the page lost ${text}`)
  }
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

test(
  'where systemd lets nobody write, doctor and backup say how to allow the folder',
  { skip: !mayMount() && 'no right to mount' },
  async (t) => {
    const place = { dataDir: temporaryFolder(t) }
    await (await startServiceHere(t, place)).stop()
    const { dataDir: disk } = openSmallFileSystem(t)
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const BACKUP_TO = join(disk, 'backups')
    const allow = /read-only.*systemd.*ReadWritePaths/
    const told = await leadIntake(place, ['doctor'], { BACKUP_TO })
    const line = told.out.split('\n').find((each) => / files /.test(each)) ?? ''
    assert.match(line, allow)
    assert.ok(line.startsWith('failed') && line.includes(`${BACKUP_TO} `), line)
    const backup = await leadIntake(place, ['backup'], { BACKUP_TO })
    assert.equal(backup.code, 1)
    assert.match(backup.error, allow)
  },
)
