/** What a lead costs that is committed and synced by a PostgreSQL on the same machine. */
import type { Case } from './case.ts'
import { compareCpu, compareThroughput } from './durable-cases.ts'
import { startDatabases } from './postgres.ts'
import { programs } from './programs.ts'
import { jsonLead } from './requests.ts'

const goals = {
  cpu: { atLeast: 0.45, stretch: 0.55 },
  throughput: { atLeast: 2, stretch: 2.5 },
}

export const postgresCases: readonly Case[] = [1, 8, 64].map((connections) => ({
  name: `postgres-durable-${connections}`,
  meaning: `a lead as json, committed by PostgreSQL, ${connections} at a time; CPU of the node alone`,
  needsLinux: true,
  run: async (effort) => {
    const databases = await startDatabases(['ours', 'one_by_one'])
    try {
      const [ours, oneByOne] = databases.urls.map((url) => ({ DATABASE_URL: url }))
      const load = { template: jsonLead, status: 200 }
      const common = {
        subject: { program: programs.service, settings: ours!, ...load },
        connections,
        untimed: connections * 3,
        timed: connections === 1 ? 250 : 1_000,
      }
      return [
        await compareCpu(
          {
            ...common,
            reference: { program: programs.barePost, ...load },
            cost: 'cpu',
            warmUp: 12_000,
            rounds: 100 * effort,
            budgetMs: 20_000 * effort,
          },
          connections === 64 ? goals.cpu : undefined,
        ),
        await compareThroughput(
          {
            ...common,
            reference: { program: programs.oneInsert, settings: oneByOne!, ...load },
            cost: 'wall',
            warmUp: 3_000,
            rounds: 50 * effort,
            budgetMs: 15_000 * effort,
          },
          connections === 64 ? goals.throughput : undefined,
        ),
      ]
    } finally {
      await databases.close()
    }
  },
}))
