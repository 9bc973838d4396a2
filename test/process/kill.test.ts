import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { searchLeads } from '../../src/desk/search.ts'
import { settingsOf, withStoreOf } from '../support/backup.ts'
import { acknowledgedMore, startLoad, type Load } from '../support/load.ts'
import { newInstallation, type Installation } from '../support/engines.ts'
import { startServiceProcess, type RunningService, type Cleaner } from '../support/service.ts'
import { assertKept, compare } from '../support/stored.ts'

const kills = Number(process.env['STORY_KILLS'] ?? 1)

test('an acknowledged lead survives kill -9 at any moment, whole and once, and is found [keep.kill, search.at-once]', async (t) => {
  const { place, readStored } = await newInstallation(t)
  const { load, starts } = await killUnderLoad(t, { place, label: 'kill' })
  const stored = await readStored()
  const startMs = Math.round(starts.reduce((sum, ms) => sum + ms, 0) / starts.length)
  const comparison = compare(load.acknowledged, stored.leads)
  t.diagnostic(JSON.stringify({ story: 'kill -9', kills, ...load.counts, ...comparison, startMs }))
  assertKept(load.acknowledged, stored)
  assert.deepEqual(load.unexpected, [])
  // The service was killed before it filled the search with the newest leads.
  const newest = [...load.acknowledged.keys()].at(-1)!
  await withStoreOf(settingsOf(place), async (store) => {
    const { leads } = await searchLeads(store, newest)
    assert.deepEqual(
      leads.map(({ values }) => values.email),
      [newest],
    )
  })
})

test('the same kills find out a service that says "received" before the commit', async (t) => {
  const { place, readStored } = await newInstallation(t)
  const script = fileURLToPath(new URL('../support/hasty-service.ts', import.meta.url))
  let lost = 0
  let killed = 0
  while (lost === 0 && killed < 10 * kills) {
    const label = `hasty-${(killed += 1)}`
    const { load } = await killUnderLoad(t, { place, label, script, times: 1 })
    lost = compare(load.acknowledged, (await readStored()).leads).lost
  }
  t.diagnostic(JSON.stringify({ story: 'kill -9, control', kills: killed, lost }))
  assert.ok(
    lost > 0,
    'a service that acknowledges too early lost nothing: the story proves nothing',
  )
})

type Killing = { place: Installation['place']; label: string; script?: string; times?: number }

async function killUnderLoad(
  t: Cleaner,
  { place, label, script, times = kills }: Killing,
): Promise<{ load: Load; starts: number[] }> {
  const starts: number[] = []
  const start = async (): Promise<RunningService> => {
    const startedAt = performance.now()
    const started = await startServiceProcess(
      script === undefined ? place : { ...place, script, arguments: [] },
    )
    starts.push(performance.now() - startedAt)
    return started
  }
  let service = await start()
  t.after(() => service.stop('SIGKILL'))
  const load = startLoad({ port: () => service.port, label })
  for (let killed = 0; killed < times; killed += 1) {
    await acknowledgedMore(load, 20)
    await sleep(Math.random() * 260)
    await service.stop('SIGKILL')
    if (killed + 1 < times) service = await start()
  }
  await load.stop()
  return { load, starts }
}
