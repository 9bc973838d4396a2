import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LeadIds } from '../../src/lead/ids.ts'
import { databaseOf, openEngine } from '../../src/store/open.ts'
import { readSecret } from '../../src/store/secret.ts'
import { settingsOf } from '../support/backup.ts'
import { newInstallation } from '../support/engines.ts'
import { signIn } from '../support/operator.ts'
import { startServiceProcess } from '../support/service.ts'
import { until } from '../support/until.ts'
import { compareActs, doorNames, startDoorLoad } from './door-load.ts'

const kills = Number(process.env['STORY_DOOR_KILLS'] ?? 2)

test('whatever a door acknowledged, a kill -9 takes nothing of it away', async (t) => {
  const { place, readStored } = await newInstallation(t)
  let service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  let cookie = await signIn(place, service)
  const engine = await openEngine(databaseOf(settingsOf(place)))
  const ids = new LeadIds(readSecret(place.dataDir))
  const load = startDoorLoad({
    port: () => service.port,
    cookie: () => cookie,
    findId: (token) => ids.readToken(token),
    cwd: place.dataDir,
  })
  t.after(() => load.stop())

  for (let killed = 0; killed < kills; killed += 1) {
    const door = doorNames[killed % doorNames.length]!
    // Only who has just signed in may erase.
    if (killed > 0 && door === doorNames[0]) cookie = await signIn(place, service)
    const before = load.acknowledged(door)
    await until(() => load.acknowledged(door) > before, `${door} has acknowledged one more`)
    await sleep(Math.random() * 40)
    await service.stop('SIGKILL')
    service = await startServiceProcess(place)
  }
  for (const door of doorNames) {
    await until(() => load.acknowledged(door) > 0, `${door} has acknowledged something`)
  }
  await load.stop()
  assert.equal(await service.stop(), 0)

  const stored = await readStored()
  const notes = await engine.read('select lead_id, words from note')
  await engine.close()
  const words = notes.map((row) => `${String(row['lead_id'])} ${String(row['words'])}`)
  const found = compareActs(load.sent, stored.leads, words)
  const acknowledged = Object.fromEntries(doorNames.map((door) => [door, load.acknowledged(door)]))
  t.diagnostic(JSON.stringify({ story: 'kill -9 at every door', kills, acknowledged, ...found }))
  assert.deepEqual(found, { lost: 0, twice: 0, altered: 0 })
  assert.deepEqual([stored.integrity, stored.breaks], ['ok', []])
  assert.deepEqual(load.unexpected, [])
})
