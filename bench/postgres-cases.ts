/** A lead that is committed and synced by a PostgreSQL server on the same machine. */
import type { Case } from './case.ts'
import { goals } from './goals.ts'
import { durableCpuMethod, durableWallMethod } from './methods.ts'
import { startDatabases } from './postgres.ts'
import { programs } from './programs.ts'
import { cpuRatio, throughputRatio } from './ratios.ts'
import { jsonLead } from './requests.ts'

export const postgresCases: readonly Case[] = [1, 8, 64].map((connections) => ({
  name: `postgres-durable-${connections}`,
  meaning: `a lead as json, committed by PostgreSQL, ${connections} at a time; CPU of the service alone`,
  needsLinux: true,
  run: async (effort) => {
    const isJudged = connections === 64
    const databases = await startDatabases(['ours', 'one_by_one'])
    try {
      const [ours, oneByOne] = databases.settings
      const load = { template: jsonLead, status: 200 }
      const subject = { program: programs.service, settings: ours!, ...load }
      return [
        await cpuRatio(
          { reference: { program: programs.barePost, ...load }, subject },
          durableCpuMethod(connections, effort),
          isJudged ? goals.postgresDurableCpu : undefined,
        ),
        await throughputRatio(
          'leads/s, ours / one by one',
          { reference: { program: programs.oneInsert, settings: oneByOne!, ...load }, subject },
          durableWallMethod(connections, effort),
          isJudged ? goals.postgresDurableThroughput : undefined,
        ),
      ]
    } finally {
      await databases.close()
    }
  },
}))
