/** Leads that wait on a dead channel: the healthy one is not disturbed, and what waited goes out when the channel is back. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { minuteMs } from '../../src/time.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import { newInstallation } from '../support/installation.ts'
import { startLoad } from '../support/load.ts'
import { patienceMs } from '../support/patience.ts'
import { freePort, startServiceProcess } from '../support/service.ts'
import { bothChannels, openWebhookSink } from '../support/sink.ts'
import { messageIdOf, openMailSink } from '../support/smtp.ts'
import { residentMb } from '../support/resident-memory.ts'
import { startFlags } from '../support/start-flags.ts'
import { until } from '../support/until.ts'

/** In the long run: leads that wait while a real service runs. */
const backlog = Number(process.env['STORY_BACKLOG'] ?? 0)
/** Enough for the service at rest: what waits is not held in memory. */
const heapMiB = Number(process.env['STORY_HEAP'] ?? 64)
/** What waits on a dead channel goes out when its own wait is over. */
const longestMs = 20 * patienceMs

test('a dead channel disturbs no other, and what waited on it goes out within its own wait', async (t) => {
  const port = await freePort()
  const [gone, hook] = [await openMailSink(t, { port }), await openWebhookSink(t)]
  await gone.close()
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env: bothChannels(gone, hook),
  })
  const ids: string[] = []
  for (let n = 0; n < 150; n += 1) {
    service.clock.now += 50
    ids.push(await service.take({ name_1: `Lead ${n}`, email_1: `lead-${n}@example.com` }))
  }
  await service.settle()
  assert.equal(hook.received.length, ids.length, 'the healthy channel told of all of them')
  // For two hours the wait between two tries does not grow past a quarter of an hour.
  for (let n = 0; n < 5; n += 1) await service.pass(20 * minuteMs)

  const back = await openMailSink(t, { port })
  await service.pass(20 * minuteMs)
  const told = back.letters.map((letter) => messageIdOf(letter).slice(1, 37))
  assert.deepEqual(told.toSorted(), ids.toSorted())
})

if (backlog > 0) {
  test(`${backlog} leads wait on a dead channel of a running service`, async (t) => {
    const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
    const { place: home } = await newInstallation(t)
    // As `npm start` runs it, but with a small heap.
    const NODE_OPTIONS = [...startFlags, `--max-old-space-size=${heapMiB}`].join(' ')
    const env = { ...home.env, ...bothChannels(mail, hook), NODE_OPTIONS }
    const service = await startServiceProcess({ dataDir: home.dataDir, env })
    t.after(() => service.stop('SIGKILL'))
    const untilThen = (isSo: () => boolean, what: string) => {
      const isSoYet = () => {
        assert.deepEqual([service.process.exitCode, service.process.signalCode], [null, null])
        return isSo()
      }
      return until(isSoYet, what, longestMs)
    }
    const memory: Record<string, number> = {}
    const measure = (when: string) => (memory[when] = residentMb(service.process.pid!))
    const take = async (label: string) => {
      const load = startLoad({ port: () => service.port, label, connections: 16 })
      for (const part of [0.1, 0.5, 1]) {
        const goal = Math.floor(backlog * part)
        await untilThen(() => load.counts.acknowledged >= goal, `${goal} leads`)
        if (part === 1) await load.stop()
        measure(`${label} ${goal}`)
      }
      return load.acknowledged.size
    }

    // What a service needs that has told of as many leads before, so that the rest is for waiting.
    const before = await take('told')
    await untilThen(() => mail.letters.length >= before, 'all were told')
    await untilThen(() => hook.received.length >= before, 'the webhook too')
    measure('all told')

    await mail.close()
    const total = await take('waits')
    const startedAt = performance.now()
    await untilThen(() => hook.received.length >= before + total, 'the webhook heard of all')
    const webhookLagMs = Math.round(performance.now() - startedAt)
    measure('all wait')

    const back = await openMailSink(t, { port: mail.port })
    await untilThen(() => back.letters.length > 0, 'the channel was found back')
    const drainingAt = performance.now()
    await untilThen(() => back.letters.length >= total, 'all letters came')
    const drainMs = performance.now() - drainingAt
    measure('drained')
    const ids = back.letters.map((letter) => messageIdOf(letter))
    t.diagnostic(
      JSON.stringify({
        story: 'backlog',
        engine: onPostgres ? 'postgres' : 'sqlite',
        leads: total,
        webhookLagMs,
        perSecond: Math.round(total / (drainMs / 1000)),
        twice: ids.length - new Set(ids).size,
        mebibytes: memory,
      }),
    )
    assert.equal(new Set(ids).size, total)
  })
}
