/** Many leads are due at once: new ones are kept meanwhile, and afterwards no word of the old is left. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { LeadIds } from '../../src/lead/ids.ts'
import { newReference } from '../../src/store/leads/reference.ts'
import { NightlyErasing, countDue, mostANight } from '../../src/lead/retention.ts'
import { openLeads } from '../../src/store/open.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { Cleaner } from '../support/cleaner.ts'
import { secret } from '../support/desk.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import { filesWith } from '../support/files-with.ts'
import { newLead } from '../support/new-lead.ts'
import { temporaryFolder } from '../support/service.ts'

const leads = Number(process.env['STORY_RETENTION_LEADS'] ?? 300)
const due = Math.floor(leads / 5)
/** Leads that are sent each night beside the erasing, and as many without it. */
const sent = Number(process.env['STORY_RETENTION_SENT'] ?? 40)
const dayMs = 24 * 60 * 60_000
const retention = { spam: 30, held: 90, closed: 365 }

test('a fifth of all leads is erased beside new ones, which are all kept', async (t) => {
  const clock = { skew: 0 }
  const now = () => Date.now() + clock.skew
  const { store, folder } = await open(t)
  const ids = new LeadIds(secret)
  const keep = async (at: number, name: string, state: 'new' | 'held' = 'new') => {
    const id = ids.next(at)
    const reference = newReference(at)
    const values = { ...newLead(0).values, name, email: `${id}@example.com`, message: id }
    const lead = newLead(0, {
      id,
      reference,
      receivedAt: at,
      values,
      state,
      dedup: { by: 'content' },
    })
    assert.equal((await store.keepLead(lead)).kind, 'kept')
  }
  for (let from = 0; from < leads; from += 500) {
    const count = Math.min(500, leads - from)
    const old = now() - 100 * dayMs + from
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        index % 5 === 0 ? keep(old, 'Zebulon', 'held') : keep(old, 'Robin'),
      ),
    )
  }
  assert.equal((await countDue(store, retention, now())).held, Math.min(due, 10_000))

  const alone: number[] = []
  const beside: number[] = []
  const nights = Math.ceil(due / mostANight)
  const firstNightAt = performance.now()
  for (let night = 0; night < nights; night += 1) {
    await send(alone)
    await Promise.all([eraseByNight(), send(beside)])
    clock.skew += dayMs
  }
  const eraseS = Math.round((performance.now() - firstNightAt) / 1_000)

  assert.equal((await countDue(store, retention, now())).held, 0)
  const added = 2 * nights * sent
  const all = leads + added
  assert.equal(await store.countLeads(undefined, all + 1), all)
  assert.equal(await store.countLeads('erased', leads), due)
  assert.equal(await store.countLeads('new', all), leads - due + added)
  await store.close()
  if (!onPostgres) assert.deepEqual(filesWith(folder, /zebulon/i), [])
  const figures = { nights, aloneP99Ms: p99(alone), besideP99Ms: p99(beside), eraseS }
  t.diagnostic(JSON.stringify({ story: 'retention', leads, erased: due, lost: 0, ...figures }))

  async function eraseByNight(): Promise<void> {
    await new NightlyErasing({
      store,
      retention,
      isNight: () => true,
      report: () => {},
      reportFailure: (_, error) => assert.fail(String(error)),
      now,
    }).look()
  }

  /** One after the other, as fast as they are kept. */
  async function send(tookMs: number[]): Promise<void> {
    for (let count = 0; count < sent; count += 1) {
      const startedAt = performance.now()
      await keep(now(), 'Robin')
      tookMs.push(performance.now() - startedAt)
    }
  }
})

async function open(t: Cleaner): Promise<{ store: Store; folder: string }> {
  const folder = temporaryFolder(t)
  if (onPostgres) return { store: openStore(newDatabase(t).open(Date.now())), folder }
  return { store: await openLeads({ DATA_DIR: folder, DATABASE_URL: undefined }), folder }
}

function p99(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)]! * 100) / 100
}
