import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { newInstallation } from '../support/engines.ts'
import { startServiceProcess, holdSocket } from '../support/service.ts'
import { assertKept, type Stored } from '../support/stored.ts'

const restarts = Number(process.env['STORY_RESTARTS'] ?? 1)

test('SIGTERM under load finishes what was begun, and the process ends well [keep.stop]', async (t) => {
  const { place, readStored } = await newInstallation(t)
  let service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  const load = startLoad({ port: () => service.port, label: 'term' })
  const exits: (number | null)[] = []
  while (exits.length < restarts / 2) {
    if (exits.length > 0) service = await startServiceProcess(place)
    await acknowledgedMore(load, 100)
    await sleep(Math.random() * 50)
    exits.push(await service.stop('SIGTERM'))
  }
  await load.stop()

  const stored = await readStored()
  t.diagnostic(JSON.stringify({ story: 'SIGTERM', stops: exits.length, ...load.counts }))
  assertKept(load.acknowledged, stored)
  assert.deepEqual(new Set(exits), new Set([0]))
  assert.deepEqual(load.unexpected, [])
  assert.deepEqual(keptOf(load.unanswered, stored), [])
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
  const unanswered: string[] = []
  for (let stops = 0; stops < restarts; stops += 1) {
    const signal = stops % 2 === 0 ? 'SIGTERM' : 'SIGKILL'
    await acknowledgedMore(load, 20)
    await sleep(100 + Math.random() * 100)
    const before = load.unanswered.length
    await service.stop(signal)
    service = await start()
    if (signal === 'SIGTERM') unanswered.push(...load.unanswered.slice(before))
  }
  await load.stop()
  assert.equal(await service.stop(), 0)

  const stored = await readStored()
  t.diagnostic(JSON.stringify({ story: 'held socket', restarts, ...load.counts }))
  assertKept(load.acknowledged, stored)
  assert.equal(load.counts.refused, 0)
  assert.deepEqual(load.unexpected, [])
  assert.deepEqual(keptOf(unanswered, stored), [])
})

/**
 * What was begun is answered: a lead without an answer was never read, so it is not kept. How many
 * go unanswered depends on the moment; the kernel resets a connection that was not yet accepted.
 */
function keptOf(emails: readonly string[], { leads }: Stored): string[] {
  const kept = new Set(leads.map(({ values }) => values.email))
  return emails.filter((email) => kept.has(email))
}
