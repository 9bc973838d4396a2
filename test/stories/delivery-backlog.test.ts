/** Leads that wait on a dead channel: the healthy one is not disturbed, and what waited goes out oldest first. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDelivery } from '../support/delivery.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import { newInstallation } from '../support/installation.ts'
import { startLoad } from '../support/load.ts'
import { startServiceProcess } from '../support/service.ts'
import { bothChannels, openWebhookSink } from '../support/sink.ts'
import { messageIdOf, openMailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

/** In the long run: leads that wait while a real service runs. */
const backlog = Number(process.env['STORY_BACKLOG'] ?? 0)
/** Four go out side by side; while one waits a tenth of a second for a greeting, the others send on. */
const overtaking = 50

test('leads that waited on a dead channel go out oldest first, as soon as it is back', async (t) => {
  const [gone, hook] = [await openMailSink(t), await openWebhookSink(t)]
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
  const tries = await Promise.all(ids.map((id) => service.store.triesOf(`${id}/mail`)))
  assert.ok(tries.flat().length < 20, 'a channel that is down is probed, not besieged')

  const back = await openMailSink(t, { port: gone.port })
  await service.pass(60_000)
  await service.settle()
  const order = back.letters.map((letter) => ids.indexOf(messageIdOf(letter).slice(1, 37)))
  assert.equal(order.length, ids.length)
  assert.ok(outOfOrder(order) <= overtaking, `out of order by ${outOfOrder(order)}`)
})

/** How far a lead came before one that is older; the one that found the channel back does not count. */
function outOfOrder(order: readonly number[]): number {
  const rest = order.slice(1)
  return Math.max(0, ...rest.map((place, at) => Math.max(...rest.slice(0, at), place) - place))
}

if (backlog > 0) {
  test(`${backlog} leads wait on a dead channel of a running service`, async (t) => {
    const [gone, hook] = [await openMailSink(t), await openWebhookSink(t)]
    await gone.close()
    const { place: home } = await newInstallation(t)
    // As `npm start` runs it; STORY_NODE_OPTIONS may take away more.
    const NODE_OPTIONS = process.env['STORY_NODE_OPTIONS'] ?? '--max-semi-space-size=4'
    const env = { ...home.env, ...bothChannels(gone, hook), NODE_OPTIONS }
    const service = await startServiceProcess({ dataDir: home.dataDir, env })
    t.after(() => service.stop('SIGKILL'))
    const memory: Record<string, number> = {}
    const load = startLoad({ port: () => service.port, label: 'waits', connections: 16 })
    for (const part of [0.1, 0.5, 1]) {
      const goal = Math.floor(backlog * part)
      await until(() => load.counts.acknowledged >= goal, `${goal} leads`, 300_000)
      if (part === 1) await load.stop()
      memory[`after${goal}`] = residentMiB(service.process.pid!)
    }
    const total = load.acknowledged.size
    const startedAt = performance.now()
    await until(() => hook.received.length >= total, 'the webhook heard of all', 300_000)
    const webhookLagMs = Math.round(performance.now() - startedAt)
    await sleep(3_000)
    memory['waiting'] = residentMiB(service.process.pid!)

    const back = await openMailSink(t, { port: gone.port })
    await until(() => back.letters.length > 0, 'the channel was found back', 120_000)
    const drainingAt = performance.now()
    await until(() => back.letters.length >= total, 'all letters came', 600_000)
    const drainMs = performance.now() - drainingAt
    memory['drained'] = residentMiB(service.process.pid!)
    const ids = back.letters.map((letter) => messageIdOf(letter))
    const sorted = ids.slice(1).toSorted()
    const places = new Map(sorted.map((id, at) => [id, at]))
    const order = ids.slice(1).map((id) => places.get(id)!)
    const misplaced = Math.max(...order.map((number, at) => Math.abs(number - at)))
    t.diagnostic(
      JSON.stringify({
        story: 'backlog',
        engine: onPostgres ? 'postgres' : 'sqlite',
        leads: total,
        webhookLagMs,
        perSecond: Math.round(total / (drainMs / 1000)),
        twice: ids.length - new Set(ids).size,
        mostOutOfOrder: misplaced,
        mebibytes: memory,
      }),
    )
    assert.equal(new Set(ids).size, total)
    assert.ok(misplaced <= overtaking, `out of order by ${misplaced}`)
  })
}

function residentMiB(pid: number): number {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Math.round(Number(kibibytes) / 1024)
}
