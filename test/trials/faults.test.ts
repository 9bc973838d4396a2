import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { onPostgres, newInstallation } from '../support/engines.ts'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { startServiceProcess } from '../support/service.ts'
import { assertKept } from '../support/stored.ts'

type Fault = { what: string; signal: NodeJS.Signals; origin: string; error: string }

const faults: Fault[] = [
  { what: 'an exception', signal: 'SIGUSR2', origin: 'uncaughtException', error: 'TypeError' },
  { what: 'a rejection', signal: 'SIGHUP', origin: 'unhandledRejection', error: 'RangeError' },
]
const inWriter: Fault = {
  what: 'an exception in the writer thread',
  signal: 'SIGWINCH',
  origin: 'uncaughtException',
  error: 'TypeError',
}

for (const { what, signal, origin, error } of onPostgres ? faults : [...faults, inWriter]) {
  test(`${what} that nothing catches ends the process, and no acknowledged lead is lost [keep.kill]`, async (t) => {
    const { place, readStored } = await newInstallation(t)
    // Threads load what is required, not what is imported.
    const preload = fileURLToPath(new URL('../support/fault-on-signal.ts', import.meta.url))
    const env = { ...place.env, NODE_OPTIONS: `--require="${preload}"` }
    const failing = await startServiceProcess({ ...place, env })
    t.after(() => failing.stop('SIGKILL'))
    let service = failing
    const load = startLoad({ port: () => service.port, label: 'fault' })
    await acknowledgedMore(load, 200)
    const closed = once(failing.process, 'close')
    failing.process.kill(signal)
    assert.deepEqual(await closed, [1, null])

    service = await startServiceProcess(place)
    t.after(() => service.stop('SIGKILL'))
    await acknowledgedMore(load, 200)
    await load.stop()
    assert.equal(await service.stop(), 0)

    const stored = await readStored()
    t.diagnostic(JSON.stringify({ story: what, ...load.counts }))
    assertKept(load.acknowledged, stored)
    assert.deepEqual(load.unexpected, [])
    assert.deepEqual(
      failing.lines
        .map((line) => JSON.parse(line) as { level: string; event: string })
        .filter(({ level }) => level === 'error')
        .map(({ at: _at, time: _time, ...told }: Record<string, unknown>) => told),
      [{ level: 'error', event: 'service.crashed', origin, error }],
    )
    assert.doesNotMatch(failing.lines.join('\n'), /Robin|robin@/)
  })
}
