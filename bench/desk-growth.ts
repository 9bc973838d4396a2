/** The inbox on a store of a million leads, compared with one of a thousand, on both engines. */
import { join } from 'node:path'
import type { Engine } from '../src/store/engine/engine.ts'
import { PostgresEngine } from '../src/store/engine/postgres.ts'
import { openSqlite } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import type { Case, Figure, Goal } from './case.ts'
import { makeFolder, removeFolder } from './cleanup.ts'
import { fillLeads, toFilled } from './desk-fill.ts'
import type { Filled } from './desk-fill.ts'
import { pageQuestions, searchQuestions } from './desk-questions.ts'
import type { DeskQuestion } from './desk-questions.ts'
import { goals } from './goals.ts'
import { median, quantile } from './median.ts'
import { startDatabases } from './postgres.ts'

const sizes = (process.env['BENCH_DESK_SIZES'] ?? '1000,100000,1000000').split(',').map(Number)
const warmUps = 5
const pageTimes = 30
const searchTimes = 100

export const deskGrowth: readonly Case[] = [
  {
    name: 'desk-growth-sqlite',
    meaning:
      'the inbox and its search on 1,000,000 leads against 1,000, on SQLite; about 10 minutes',
    onDemand: true,
    async run(effort) {
      const folder = makeFolder()
      const open = (leads: number) =>
        openSqlite({ path: join(folder, `${leads}`), nowMs: Date.now() })
      try {
        return await measureAll(open, goals.deskPageSqliteMs, effort)
      } finally {
        removeFolder(folder)
      }
    },
  },
  {
    name: 'desk-growth-postgres',
    meaning: 'the same on PostgreSQL; about 20 minutes',
    onDemand: true,
    async run(effort) {
      const databases = await startDatabases(sizes.map((leads) => `leads${leads}`))
      const open = (leads: number) => {
        const url = String(databases.settings[sizes.indexOf(leads)]!['DATABASE_URL'])
        return new PostgresEngine({ url, nowMs: Date.now(), forCommand: true })
      }
      try {
        return await measureAll(open, goals.deskPagePostgresMs, effort)
      } finally {
        await databases.close()
      }
    },
  },
]

async function measureAll(
  open: (leads: number) => Engine,
  pageGoal: Goal,
  effort: number,
): Promise<Figure[]> {
  const filled: Filled[] = []
  const figures: Figure[] = []
  try {
    for (const leads of sizes) {
      const engine = open(leads)
      const store = openStore(engine)
      filled.push(toFilled(store, leads))
      const startedAt = performance.now()
      await fillLeads(store, leads)
      const tookMs = performance.now() - startedAt
      // PostgreSQL does this by itself, some time after.
      if (engine.dialect === 'postgres') await engine.run([['analyze', []]])
      figures.push({ what: `keep one of ${leads} leads`, value: tookMs / leads, unit: 'ms' })
    }
    for (const question of pageQuestions) {
      const took = await measure(question, filled, pageTimes * effort)
      figures.push(ratioOf(question, took), slowest(question, took, 0.5, pageGoal))
    }
    for (const question of searchQuestions) {
      const took = await measure(question, filled, searchTimes * effort)
      figures.push(slowest(question, took, 0.5, goals.deskSearchMs))
      figures.push(slowest(question, took, 0.99, goals.deskSearchWorstMs))
    }
    return figures
  } finally {
    for (const { store } of filled) await store.close()
  }
}

/** The times at each size. The sizes take turns, so that a busy moment affects all of them. */
async function measure(
  { ask }: DeskQuestion,
  filled: Filled[],
  rounds: number,
): Promise<number[][]> {
  const tookMs: number[][] = filled.map(() => [])
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [index, each] of filled.entries()) {
      const startedAt = performance.now()
      await ask(each)
      if (round >= 0) tookMs[index]!.push(performance.now() - startedAt)
    }
  }
  return tookMs
}

function ratioOf({ what }: DeskQuestion, tookMs: number[][]): Figure {
  const medians = tookMs.map(median)
  return {
    what,
    value: medians.at(-1)! / medians[0]!,
    unit: 'x',
    goal: goals.growth,
    remark: `${medians.map((ms) => ms.toFixed(3)).join(' / ')} ms at ${sizes.join(' / ')}`,
  }
}

function slowest({ what }: DeskQuestion, tookMs: number[][], share: number, goal: Goal): Figure {
  const values = tookMs.map((each) => quantile(each, share))
  return {
    what: `${what}, p${share * 100}`,
    value: values.at(-1)!,
    unit: 'ms',
    goal,
    remark: `${values.map((ms) => ms.toFixed(2)).join(' / ')} ms at ${sizes.join(' / ')}`,
  }
}
