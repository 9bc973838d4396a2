/**
 * Calls of the writer thread that fail: strace makes them return an error, and a limit on the size of
 * files cuts writes short in their middle. The service refuses openly, and recovers by itself.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { randomFrom } from '../support/random.ts'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { startServiceProcess, temporaryFolder, type RunningService } from '../support/service.ts'
import { assertKept, compare, readStored } from '../support/stored.ts'
import { until } from '../support/until.ts'
import { hasStrace } from './trace.ts'

const errors = Number(process.env['STORY_IO_ERRORS'] ?? 20)
const skip = !hasStrace && 'strace is not there'
const kinds = [
  ['pwrite64', 'EIO'],
  ['pwrite64', 'ENOSPC'],
  ['fsync', 'EIO'],
  ['fsync', 'ENOSPC'],
  ['pread64', 'EIO'],
] as const

test('a writer whose calls fail acknowledges nothing falsely, and goes on', { skip }, async (t) => {
  const random = randomFrom(11)
  const place = { dataDir: temporaryFolder(t) }
  let service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  const load = startLoad({ port: () => service.port, label: 'failing', connections: 8 })
  t.after(() => load.stop())
  const injected: Record<string, number> = {}
  let kills = 0
  for (const [call, error] of kinds) {
    const kind = `${call} ${error}`
    // First it has to recover by itself, then also from a kill in the middle.
    for (const ending of ['recovers', 'killed'] as const) {
      const goal = (injected[kind] ?? 0) + errors / 2
      while ((injected[kind] ?? 0) < goal) {
        await acknowledgedMore(load, 20)
        const every = 3 + Math.floor(random() * 18)
        const tracer = await attach(t, service, [
          `--trace=${call}`,
          `--inject=${call}:error=${error}:when=${1 + Math.floor(random() * 9)}+${every}`,
        ])
        await until(() => tracer.count(/INJECTED/) >= Math.min(5, errors), `${kind} was injected`)
        if (ending === 'killed') {
          await service.stop('SIGKILL')
          kills += 1
        }
        await tracer.end()
        injected[kind] = (injected[kind] ?? 0) + tracer.count(/INJECTED/)
        if (ending === 'killed') service = await startServiceProcess(place)
      }
    }
    await acknowledgedMore(load, 20)
  }
  await load.stop()
  assert.equal(await service.stop(), 0)
  report(t, { story: 'failing calls', place, load, more: { injected, kills } })
})

const skipShort = skip || (!hasProgram('prlimit') && 'prlimit is not there')

test(
  'a write that ends in its middle acknowledges nothing falsely',
  { skip: skipShort },
  async (t) => {
    const random = randomFrom(13)
    const place = { dataDir: temporaryFolder(t) }
    const service = await startServiceProcess(place)
    t.after(() => service.stop('SIGKILL'))
    const load = startLoad({ port: () => service.port, label: 'short', connections: 4 })
    t.after(() => load.stop())
    await acknowledgedMore(load, 20)
    const tracer = await attach(t, service, ['--trace=pwrite64'])
    while (shortWrites(tracer) < errors) {
      const refused = load.counts.unavailable
      const farther = load.counts.acknowledged + 500
      limit(service, endOfLog(place.dataDir) + 1 + Math.floor(random() * 9_000))
      // The log may have begun anew, below the limit.
      const isReached = () =>
        load.counts.unavailable > refused || load.counts.acknowledged > farther
      await until(isReached, 'the limit is reached')
      limit(service, 'unlimited')
      await acknowledgedMore(load, 5)
    }
    const injected = { 'short write': shortWrites(tracer) }
    await tracer.end()
    await acknowledgedMore(load, 20)
    await load.stop()
    assert.equal(await service.stop(), 0)
    report(t, { story: 'short writes', place, load, more: { injected } })
  },
)

type Outcome = {
  story: string
  place: { dataDir: string }
  load: ReturnType<typeof startLoad>
  more: object
}

function report(t: TestContext, { story, place, load, more }: Outcome): void {
  const stored = readStored(join(place.dataDir, 'leads.sqlite'))
  const comparison = compare(load.acknowledged, stored.leads)
  t.diagnostic(JSON.stringify({ story, ...more, ...load.counts, ...comparison }))
  assertKept(load.acknowledged, stored)
  assert.deepEqual(load.unexpected, [])
  assert.ok(load.counts.unavailable > 0, 'no call failed: the trial proves nothing')
}

type Tracer = { count(pattern: RegExp): number; lines(): string[]; end(): Promise<void> }

/** To the writer thread alone. */
async function attach(t: TestContext, service: RunningService, what: string[]): Promise<Tracer> {
  const output = join(temporaryFolder(t), 'trace')
  const options = ['-p', String(writerOf(service)), '-s', '0', '-o', output]
  const tracer = spawn('strace', [...options, ...what], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => tracer.kill('SIGKILL'))
  const exited = once(tracer, 'exit')
  // It says so when it is attached.
  await Promise.race([once(tracer.stderr, 'data'), exited])
  tracer.stderr.resume()
  const lines = () => (existsSync(output) ? readFileSync(output, 'utf8').split('\n') : [])
  return {
    lines,
    count: (pattern) => lines().filter((line) => pattern.test(line)).length,
    async end() {
      tracer.kill('SIGINT')
      await exited
    },
  }
}

function writerOf({ process: { pid } }: RunningService): number {
  const tasks = `/proc/${pid}/task`
  const isWorker = (id: string) => readFileSync(`${tasks}/${id}/comm`, 'utf8') === 'WorkerThread\n'
  const workers = readdirSync(tasks).filter(isWorker)
  assert.equal(workers.length, 1, 'there is one writer thread')
  return Number(workers[0])
}

/** `pwrite64(30, ""..., 4096, 8272) = 1000` */
function shortWrites(tracer: Tracer): number {
  return tracer.lines().filter((line) => {
    const [, asked, done] = /, (\d+), \d+\) += (\d+)/.exec(line) ?? []
    return asked !== undefined && Number(done) < Number(asked)
  }).length
}

/** Where the next frame goes, by the index of the log: https://sqlite.org/walformat.html, 2.1 */
function endOfLog(dataDir: string): number {
  const index = readFileSync(join(dataDir, 'leads.sqlite-shm'))
  return 32 + index.readUInt32LE(16) * (4096 + 24)
}

function limit(service: RunningService, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(service.process.pid), `--fsize=${bytes}:`])
}

function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
