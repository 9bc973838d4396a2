/** Compares a store of a million leads with one of a thousand. */
import { join } from 'node:path'
import { openSqlite } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import type { Store } from '../src/store/store.ts'
import type { Case, Figure } from './case.ts'
import { makeFolder, removeFolder } from './cleanup.ts'
import { goals } from './goals.ts'
import { fillDatabase } from './growth-fill.ts'
import { newLead } from './growth-lead.ts'
import { median } from './median.ts'

const sizes = [1_000, 100_000, 1_000_000]
const warmUps = 5
const times = 15

type Question = {
  what: string
  ask: (store: Store, middle: string) => Promise<unknown>
}

const questions: readonly Question[] = [
  {
    what: 'insert 64',
    ask: (store) => Promise.all(Array.from({ length: 64 }, () => store.keepLead(newLead()))),
  },
  { what: 'insert 1', ask: (store) => store.keepLead(newLead()) },
  { what: 'latest 50', ask: (store) => store.listLeads({ limit: 50 }) },
  { what: 'by state 50', ask: (store) => store.listLeads({ state: 'new', limit: 50 }) },
  { what: 'rare state', ask: (store) => store.listLeads({ state: 'held', limit: 50 }) },
  {
    what: 'page in the middle',
    ask: (store, middle) => store.listLeads({ before: middle, limit: 50 }),
  },
]

export const growth: Case = {
  name: 'growth',
  meaning: 'a store of 1,000,000 leads against one of 1,000',
  async run(effort) {
    const folder = makeFolder()
    const filled: Filled[] = []
    try {
      for (const leads of sizes) filled.push(await fill(join(folder, `${leads}.sqlite`), leads))
      const figures: Figure[] = []
      for (const question of questions) {
        figures.push(...(await measure(question, filled, times * effort)))
      }
      return figures
    } finally {
      for (const { store } of filled) await store.close()
      removeFolder(folder)
    }
  },
}

type Filled = { store: Store; middle: string }

async function fill(path: string, leads: number): Promise<Filled> {
  const middle = await fillDatabase(path, leads)
  return { store: openStore(openSqlite({ path, nowMs: Date.now() })), middle }
}

/** The sizes take turns, so that a busy moment affects all of them. */
async function measure(question: Question, filled: Filled[], rounds: number): Promise<Figure[]> {
  const { what, ask } = question
  const tookMs: number[][] = filled.map(() => [])
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [index, { store, middle }] of filled.entries()) {
      const startedAt = performance.now()
      await ask(store, middle)
      if (round >= 0) tookMs[index]!.push(performance.now() - startedAt)
    }
  }
  const medians = tookMs.map(median)
  const [smallest, largest] = [medians[0]!, medians.at(-1)!]
  return [
    {
      what,
      value: largest / smallest,
      unit: 'x',
      goal: goals.growth,
      remark: `${medians.map((ms) => ms.toFixed(3)).join(' / ')} ms at 1k / 100k / 1M`,
    },
  ]
}
