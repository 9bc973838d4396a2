/** What a lead costs that is committed and synced before the answer, at 1, 8 and 64 connections. */
import type { Case, Figure, Goal } from './case.ts'
import { compare } from './compare.ts'
import type { Comparison } from './compare.ts'
import { quantile } from './median.ts'
import { programs } from './programs.ts'
import { formLead, jsonLead } from './requests.ts'
import type { Template } from './requests.ts'

const kinds: readonly { kind: string; template: Template; status: number }[] = [
  { kind: 'json', template: jsonLead, status: 200 },
  { kind: 'form', template: formLead, status: 303 },
]

const goals: Record<string, { cpu: Goal; throughput: Goal }> = {
  'json-durable-64': {
    cpu: { atLeast: 0.42, stretch: 0.52 },
    throughput: { atLeast: 3, stretch: 4.5 },
  },
}

export const durableCases: readonly Case[] = kinds.flatMap(({ kind, template, status }) =>
  [1, 8, 64].map((connections) => {
    const name = `${kind}-durable-${connections}`
    const subject = { program: programs.service, template, status }
    const common = { subject, connections, untimed: connections * 3, timed: slice(connections) }
    return {
      name,
      meaning: `a lead as ${kind}, committed and synced, ${connections} at a time`,
      needsLinux: true,
      run: async (effort) => [
        await compareCpu(
          {
            ...common,
            reference: { program: programs.barePost, template, status: 200 },
            cost: 'cpu',
            warmUp: 12_000,
            rounds: 100 * effort,
            budgetMs: 20_000 * effort,
          },
          goals[name]?.cpu,
        ),
        await compareThroughput(
          {
            ...common,
            reference: { program: programs.oneTransaction, template, status },
            cost: 'wall',
            warmUp: 3_000,
            rounds: 50 * effort,
            budgetMs: 15_000 * effort,
          },
          goals[name]?.throughput,
        ),
      ],
    } satisfies Case
  }),
)

/** A lone connection waits for the disk with every request, so its slices are shorter. */
function slice(connections: number): number {
  return connections === 1 ? 250 : 1_000
}

export async function compareCpu(comparison: Comparison, goal: Goal | undefined): Promise<Figure> {
  const { ratio, costUs, rounds } = await compare(comparison)
  return {
    what: 'CPU, bare / ours',
    value: ratio,
    unit: 'x',
    goal,
    costUs,
    remark: `${rounds} rounds`,
  }
}

export async function compareThroughput(
  comparison: Comparison,
  goal: Goal | undefined,
): Promise<Figure> {
  const { ratio, costUs, rounds, latenciesMs } = await compare(comparison)
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(latenciesMs, share).toFixed(2))
  const perSecond = Math.round(1e6 / costUs.subject)
  return {
    what: 'leads/s, ours / one by one',
    value: ratio,
    unit: 'x',
    goal,
    costUs,
    remark: `${perSecond} leads/s, p50 ${p50}, p99 ${p99} ms, ${rounds} rounds`,
  }
}
