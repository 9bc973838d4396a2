/** A restart takes nothing from anybody: what was begun is finished, what was acknowledged is kept. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdSocket } from '../support/held-socket.ts'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { newInstallation } from '../support/installation.ts'
import { startServiceProcess } from '../support/service.ts'
import { assertKept } from '../support/stored.ts'

const restarts = Number(process.env['STORY_RESTARTS'] ?? 6)

test('SIGTERM under load finishes what was begun, and the process ends well', async (t) => {
  const { place, readStored } = await newInstallation(t)
  let service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  const load = startLoad({ port: () => service.port, label: 'term' })
  const exits: (number | null)[] = []
  for (let stops = 0; stops < restarts / 2; stops += 1) {
    // By then all connections are in use: the kernel resets one that was never accepted.
    await acknowledgedMore(load, 400)
    await sleep(Math.random() * 50)
    exits.push(await service.stop('SIGTERM'))
    service = await startServiceProcess(place)
  }
  await load.stop()
  exits.push(await service.stop('SIGTERM'))

  const stored = await readStored()
  t.diagnostic(JSON.stringify({ story: 'SIGTERM', stops: exits.length, ...load.counts }))
  assertKept(load.acknowledged, stored)
  assert.deepEqual(new Set(exits), new Set([0]))
  assert.deepEqual(load.unexpected, [])
  assert.ok(load.counts.reset <= load.counts.sent / 1000, `${load.counts.reset} were reset`)
})

test('with the socket held by a supervisor no restart refuses anybody', async (t) => {
  const { place, readStored } = await newInstallation(t)
  const socket = holdSocket(t)
  const start = () =>
    startServiceProcess({
      ...place,
      env: { ...place.env, LISTEN_FD: '3' },
      stdio: ['ignore', 'pipe', 'pipe', socket.fd],
    })
  let service = await start()
  t.after(() => service.stop('SIGKILL'))
  const load = startLoad({ port: () => socket.port, label: 'held' })
  const resets = { SIGKILL: 0, SIGTERM: 0 }
  for (let stops = 0; stops < restarts; stops += 1) {
    const signal = stops % 2 === 0 ? 'SIGTERM' : 'SIGKILL'
    await sleep(100 + Math.random() * 100)
    const before = load.counts.reset
    await service.stop(signal)
    service = await start()
    resets[signal] += load.counts.reset - before
  }
  await load.stop()
  assert.equal(await service.stop(), 0)

  const stored = await readStored()
  t.diagnostic(
    JSON.stringify({
      story: 'held socket',
      restarts,
      ...load.counts,
      resets,
      slowestMs: load.slowestMs(),
    }),
  )
  assertKept(load.acknowledged, stored)
  assert.equal(load.counts.refused, 0)
  assert.deepEqual(load.unexpected, [])
  assert.ok(resets.SIGTERM <= load.counts.sent / 1000, `${resets.SIGTERM} were reset by SIGTERM`)
})
