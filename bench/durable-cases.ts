/** A lead that is committed and synced before the answer, at 1, 8 and 64 connections. */
import type { Case } from './case.ts'
import { goals } from './goals.ts'
import { durableCpuMethod, durableWallMethod } from './methods.ts'
import { programs } from './programs.ts'
import { cpuRatio, throughputRatio } from './ratios.ts'
import { formLead, jsonLead } from './requests.ts'

const kinds = [
  { kind: 'json', load: { template: jsonLead, status: 200 } },
  { kind: 'form', load: { template: formLead, status: 303 } },
]

export const durableCases: readonly Case[] = kinds.flatMap(({ kind, load }) =>
  [1, 8, 64].map((connections) => {
    const name = `${kind}-durable-${connections}`
    const isJudged = name === 'json-durable-64'
    const subject = { program: programs.service, ...load }
    return {
      name,
      meaning: `a lead as ${kind}, committed and synced, ${connections} at a time`,
      needsLinux: true,
      run: async (effort) => [
        await cpuRatio(
          { reference: { program: programs.barePost, ...load, status: 200 }, subject },
          durableCpuMethod(connections, effort),
          isJudged ? goals.sqliteDurableCpu : undefined,
        ),
        await throughputRatio(
          'leads/s, ours / one by one',
          { reference: { program: programs.oneTransaction, ...load }, subject },
          durableWallMethod(connections, effort),
          isJudged ? goals.sqliteDurableThroughput : undefined,
        ),
      ],
    } satisfies Case
  }),
)
