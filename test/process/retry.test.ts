import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mai } from '../support/leads.ts'
import { newInstallation } from '../support/engines.ts'
import { receivedReference } from '../support/load.ts'
import { startServiceProcess } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { until } from '../support/until.ts'
import {
  askOnce,
  askUntilServed,
  isUnavailable,
  jsonRequest,
  openWire,
  type Wire,
  type WireAnswer,
} from '../support/wire.ts'

test('one hundred sends of one key at the same moment are one lead and one answer [repeat.at-once]', async (t) => {
  const { place, readStored } = await newInstallation(t)
  const service = await startServiceHere(t, place)
  const wires = await Promise.all(Array.from({ length: 100 }, () => openWire(service.port)))
  const request = jsonRequest(mai, { 'Idempotency-Key': '"one-key"' })

  const answers = await Promise.all(wires.map((wire) => askUntilServed(() => wire.ask(request))))
  const other = await askOnce(
    service.port,
    jsonRequest({ ...mai, textarea_1: 'Something else.' }, { 'Idempotency-Key': '"one-key"' }),
  )

  for (const wire of wires) wire.close()
  await service.stop()
  const { leads, breaks } = await readStored()
  const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length
  t.diagnostic(JSON.stringify({ story: 'one key', replayed, leads: leads.length }))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1, 'answers differ')
  assert.equal(leads.length, 1)
  assert.equal(replayed, 99)
  assert.deepEqual(breaks, [])
  assert.equal(other.status, 422)
})

test('keys sent five times over, across a kill -9, are one lead each with one answer each [repeat.at-once]', async (t) => {
  const keys = Number(process.env['STORY_KEYS'] ?? 40)
  const { place, readStored } = await newInstallation(t)
  const killed = await startServiceProcess(place)
  t.after(() => killed.stop('SIGKILL'))
  let port = () => killed.port
  const sends = Array.from({ length: keys * 5 }, (_, index) => index % keys)
  const answers = new Map<number, Set<string>>()
  const acknowledged = new Set<string | undefined>()
  let answered = 0
  let tries = 0

  const senders = Array.from({ length: 40 }, async () => {
    let wire: Wire | undefined
    for (let key = sends.pop(); key !== undefined; key = sends.pop()) {
      const request = jsonRequest(leadOf(key), { 'Idempotency-Key': `key-${key}` })
      let answer: WireAnswer | undefined
      const isAnswered = async () => {
        tries += 1
        try {
          if (wire?.isOpen() !== true) wire = await openWire(port())
          answer = await wire.ask(request)
          return !isUnavailable(answer)
        } catch {
          wire = undefined
          await sleep(20)
          return false
        }
      }
      await until(isAnswered, 'the lead is answered')
      acknowledged.add(receivedReference(answer!))
      answers.set(key, (answers.get(key) ?? new Set()).add(`${answer!.status} ${answer!.body}`))
      answered += 1
    }
    wire?.close()
  })
  await until(() => answered >= keys * 2, 'some were answered')
  await killed.stop('SIGKILL')
  const service = await startServiceHere(t, place)
  port = () => service.port
  await Promise.all(senders)

  await service.stop()
  const { leads, integrity, breaks } = await readStored()
  const unsteady = [...answers.values()].filter((each) => each.size > 1)
  const failed = [...answers.values()].filter((each) =>
    [...each].some((a) => !a.startsWith('200 ')),
  )
  // While PostgreSQL is slow a node keeps what it cannot look up there: two leads of a key, never none.
  const isAway = [...killed.lines, ...service.lines].some((line) => line.includes('database.away'))
  const report = { story: 'many keys', keys, answered, tries, isAway, leads: leads.length }
  t.diagnostic(JSON.stringify(report))
  assert.ok(tries > answered, 'the kill hit nothing')
  assert.deepEqual(failed, [])
  const kept = leads.map(({ reference }) => reference)
  assert.deepEqual(acknowledged.difference(new Set(kept)), new Set())
  if (!isAway) assert.deepEqual([unsteady, leads.length], [[], keys])
  assert.equal(new Set(leads.map(({ values }) => values.email)).size, keys)
  assert.equal(integrity, 'ok')
  assert.deepEqual(breaks, [])
})

function leadOf(key: number): Record<string, string> {
  return { name_1: 'Robin Example', email_1: `retry-${key}@example.com` }
}
