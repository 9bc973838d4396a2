import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { dayMs, hourMs } from '../time.ts'
import { toForget } from './names.ts'

const start = Date.UTC(2026, 0, 1)
const backups = fc
  .uniqueArray(fc.integer({ min: 0, max: 3 * 365 * 24 * 4 }), { maxLength: 300 })
  .map((quarters) => quarters.map((quarter) => ({ at: start + quarter * 15 * 60_000 })))
const count = fc.integer({ min: 0, max: 30 })
const rules = fc.record({ h: count, d: count, w: count, m: count })

const units = {
  h: (at: number) => new Date(at).toISOString().slice(0, 13),
  d: (at: number) => new Date(at).toISOString().slice(0, 10),
  w: (at: number) => mondayBefore(at),
  m: (at: number) => new Date(at).toISOString().slice(0, 7),
}

function mondayBefore(at: number): string {
  const sinceMonday = (new Date(at).getUTCDay() + 6) % 7
  return new Date(at - sinceMonday * dayMs).toISOString().slice(0, 10)
}

test('the last backup of each of the newest hours, days, weeks and months stays, and no other [backup.keep]', () => {
  fc.assert(
    fc.property(backups, rules, (all, keep) => {
      const forgotten = new Set(toForget(all, keep))
      const newestFirst = all.toSorted((one, other) => other.at - one.at)
      const wanted = new Set(newestFirst.slice(0, 1))
      for (const unit of ['h', 'd', 'w', 'm'] as const) {
        const byPeriod = Map.groupBy(newestFirst, ({ at }) => units[unit](at))
        for (const [newest] of [...byPeriod.values()].slice(0, keep[unit])) wanted.add(newest!)
      }
      for (const backup of all) assert.equal(forgotten.has(backup), !wanted.has(backup))
    }),
  )
})

test('the newest backup stays where the rules keep none, as by BACKUP_KEEP=0h [backup.keep]', () => {
  const [first, last, middle] = [1, 3, 2].map((hours) => ({ at: start + hours * hourMs }))
  assert.deepEqual(toForget([first!, last!, middle!], { h: 0, d: 0, w: 0, m: 0 }), [middle, first])
})

test('a forgotten backup stays forgotten by the same rules, and a new backup brings nothing back', () => {
  fc.assert(
    fc.property(backups, rules, (all, keep) => {
      const forgotten = new Set(toForget(all, keep))
      const kept = all.filter((backup) => !forgotten.has(backup))
      assert.deepEqual(toForget(kept, keep), [])
      const later = { at: Math.max(start, ...all.map(({ at }) => at)) + hourMs }
      for (const backup of toForget([...all, later], keep)) assert.notEqual(backup, later)
      for (const backup of forgotten) assert.ok(toForget([...all, later], keep).includes(backup))
    }),
  )
})
