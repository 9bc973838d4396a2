/**
 * Power cuts: what the real service wrote and synced is recorded, and played to a disk that loses its
 * power at every sync and at random moments. After each cut the database is opened as at a start.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LeadIds } from '../../src/lead/ids.ts'
import { readErased } from '../../src/store/leads/erasing.ts'
import { prepareFile } from '../../src/store/engine/sqlite-schema.ts'
import { makeSecret, secretPath } from '../../src/store/secret.ts'
import { signIn } from '../support/operator.ts'
import { randomFrom } from '../support/random.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { until } from '../support/until.ts'
import { diskOf, type Cut, type Disk } from './disk.ts'
import { compareActs, doorNames, startDoorLoad, type DoorName, type Sent } from './door-load.ts'
import { hasStrace, isWhole, readTrace, straceTo, type TraceEvent } from './trace.ts'

const acts = Number(process.env['STORY_CUT_ACTS'] ?? 60)
const randomCuts = Number(process.env['STORY_RANDOM_CUTS'] ?? 100)
const skip = !hasStrace && 'strace is not there'
const cuts: readonly Cut[] = ['drop', 'some', 'torn']
const waysIn: DoorName[] = ['json', 'form', 'mcp', 'cli', 'withdraw']

test(
  'from the first start on, a power cut takes nothing that was acknowledged',
  { skip },
  async (t) => {
    const report = await cutPower(
      t,
      await record(t, { doors: waysIn, dataDir: temporaryFolder(t) }),
    )
    t.diagnostic(JSON.stringify({ story: 'power cuts from the first start', ...report }))
    assertNothing(report)
  },
)

test('no door acknowledges what a power cut could take', { skip }, async (t) => {
  const report = await cutPower(t, await record(t, await withMember(t)))
  t.diagnostic(JSON.stringify({ story: 'power cuts at every door', ...report }))
  assertNothing(report)
})

test('the same cuts find out a service that acknowledges before the sync', { skip }, async (t) => {
  const script = fileURLToPath(new URL('../support/hasty-service.ts', import.meta.url))
  // It answers before a receipt can be found, so nothing is withdrawn.
  const doors = waysIn.filter((door) => door !== 'withdraw')
  const recorded = await record(t, { doors, dataDir: temporaryFolder(t), script })
  const { lost, ...report } = await cutPower(t, recorded)
  t.diagnostic(JSON.stringify({ story: 'power cuts, control', ...report, lost }))
  assert.ok(lost > 0, 'it lost nothing: the trial proves nothing')
})

type Recorded = { dataDir: string; before: Disk; events: TraceEvent[]; sent: Sent[] }
type Recording = { doors: readonly DoorName[]; dataDir: string; cookie?: string; script?: string }

/** An installation with a member, at rest: what commands write is not in a trace of the service. */
async function withMember(t: TestContext): Promise<Recording> {
  const place = { dataDir: temporaryFolder(t), env: {} }
  const service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  const cookie = await signIn(place, service)
  assert.equal(await service.stop(), 0)
  return { doors: doorNames, dataDir: place.dataDir, cookie }
}

async function record(t: TestContext, recording: Recording): Promise<Recorded> {
  const { doors, dataDir, cookie = '', script } = recording
  const before = diskOf(dataDir)
  const lengths = new Map(before.paths().map((path) => [path, statSync(path).size]))
  const trace = join(temporaryFolder(t), 'trace')
  const control = script === undefined ? {} : { script, arguments: [] }
  const service = await startServiceProcess({ dataDir, under: straceTo(trace), ...control })
  t.after(() => service.stop('SIGKILL'))
  const ids = new LeadIds(makeSecret(dataDir))
  const load = startDoorLoad({
    port: () => service.port,
    doors,
    cookie: () => cookie,
    findId: (token) => ids.readToken(token),
    cwd: dataDir,
  })
  t.after(() => load.stop())
  const acknowledged = (door: DoorName) => load.acknowledged(door)
  await until(() => doors.reduce((sum, door) => sum + acknowledged(door), 0) >= acts, 'all is sent')
  await until(() => doors.every((door) => acknowledged(door) > 1), 'every door has acknowledged')
  await load.stop()
  await service.stop('SIGKILL')
  await until(() => isWhole(trace), 'the trace is whole')
  assert.deepEqual(load.unexpected, [])
  return { dataDir, before, events: [...readTrace(trace, dataDir, lengths)], sent: load.sent }
}

type Report = ReturnType<typeof newReport>

function newReport() {
  return { syncs: 0, checkpoints: 0, cuts: 0, lost: 0, twice: 0, altered: 0, corrupt: 0 }
}

async function cutPower(
  t: TestContext,
  { dataDir, before: disk, events, sent }: Recorded,
): Promise<Report & { acknowledged: number }> {
  const report = newReport()
  const random = randomFrom(7)
  const share = randomCuts / events.length
  const secret = readFileSync(secretPath(dataDir), 'utf8')
  const told = acknowledgedIn(sent)
  // In memory, where there is room: it is written and read some thousand times.
  const work = workFolder(t)
  for (const event of events) {
    const isSync = event.kind === 'synced'
    if (isSync && disk.hasUnsynced()) for (const cut of cuts) await cutNow(cut)
    else if (random() < share) await cutNow(cuts[Math.floor(random() * cuts.length)]!)
    disk.apply(event)
    told.apply(event)
    if (isSync) report.syncs += 1
    // The checkpoints of the start come before.
    if (isSync && event.path.endsWith('.sqlite') && told.count() > 0) report.checkpoints += 1
  }
  return { ...report, acknowledged: told.count() }

  async function cutNow(cut: Cut): Promise<void> {
    const folder = mkdtempSync(join(work, 'cut-'))
    disk.writeTo(folder, cut, random)
    const found = await look(folder)
    report.cuts += 1
    for (const [name, count] of Object.entries(found)) report[name as keyof Report] += count
    rmSync(folder, { recursive: true })
  }

  async function look(folder: string) {
    const path = join(folder, 'leads.sqlite')
    const now = told.now()
    try {
      prepareFile(path)
      const { leads, integrity, breaks } = readStored(path)
      const found = compareActs(now, leads, notesIn(path))
      found.lost += await othersLost(folder, now)
      return { ...found, corrupt: integrity === 'ok' && breaks.length === 0 ? 0 : 1 }
    } catch {
      return { corrupt: 1 }
    }
  }

  /** The secret, without which no receipt opens, and the notes of what was erased. */
  async function othersLost(folder: string, now: readonly Sent[]): Promise<number> {
    const noted = new Set((await readErased(folder)).map(({ leadId }) => leadId))
    const erased = now.filter(({ door, wasDone }) => door === 'erase' && wasDone)
    const isNeeded = now.some(({ wasReceived }) => wasReceived)
    // A start makes a secret where there is none.
    const found = makeSecret(folder).toString('base64url')
    const isLost = isNeeded && found !== secret.trim()
    return erased.filter(({ id }) => !noted.has(id)).length + (isLost ? 1 : 0)
  }
}

function notesIn(path: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const rows = db.prepare('select lead_id, words from note').all()
  db.close()
  return rows.map((row) => `${String(row['lead_id'])} ${String(row['words'])}`)
}

function workFolder(t: TestContext): string {
  const memory = statSync('/dev/shm', { throwIfNoEntry: false })
  if (memory === undefined) return temporaryFolder(t)
  const folder = mkdtempSync('/dev/shm/lead-intake-')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function assertNothing({ lost, twice, altered, corrupt, checkpoints }: Report): void {
  assert.deepEqual({ lost, twice, altered, corrupt }, { lost: 0, twice: 0, altered: 0, corrupt: 0 })
  if (acts >= 500) assert.ok(checkpoints > 0, 'the log never went into the file')
}

/** What a service had said to its clients, up to a moment of its trace. */
type Acknowledged = {
  apply(event: TraceEvent): void
  /** Everybody, with what was acknowledged by now. */
  now(): Sent[]
  count(): number
}

function acknowledgedIn(sent: readonly Sent[]): Acknowledged {
  const people = sent.map((person) => ({ ...person, wasReceived: false, wasDone: false }))
  const byToken = new Map(people.map((person) => [person.token, person]))
  const byId = new Map(people.map((person) => [person.id, person]))
  const byReference = new Map(people.map((person) => [person.reference, person]))
  for (const each of [byToken, byId, byReference]) each.delete('')
  // Its answer names nobody; but they are erased one after the other.
  const toErase = people.filter(({ door, wasTried }) => door === 'erase' && wasTried)

  return {
    apply(event) {
      if (event.kind !== 'said') return
      const { words } = event
      const received = byToken.get(/receipt[/=]([0-9a-f]+)/.exec(words)?.[1] ?? '')
      if (received !== undefined) received.wasReceived = true
      const done = doneIn(words)
      if (done !== undefined) done.wasDone = true
    },
    now: () => people,
    count: () =>
      people.reduce((sum, each) => sum + Number(each.wasReceived) + Number(each.wasDone), 0),
  }

  function doneIn(words: string): Sent | undefined {
    if (words.startsWith('HTTP/1.1 200') && words.includes('"status":"withdrawn"')) {
      return byReference.get(/"reference":"([^"]+)"/.exec(words)?.[1] ?? '')
    }
    if (!words.startsWith('HTTP/1.1 303')) return undefined
    const [, id] = /\r\nLocation: \/inbox\/lead\/([0-9a-f-]{36})/.exec(words) ?? []
    if (id !== undefined) return byId.get(id)
    return /\r\nLocation: \/inbox\/\r\n/.test(words) ? toErase.shift() : undefined
  }
}
