/** What a request costs in CPU, compared with a bare node:http server that gives a fixed answer. */
import type { Case, Figure, Goal } from './case.ts'
import { compare } from './compare.ts'
import type { Contender } from './compare.ts'
import { programs } from './programs.ts'
import { formLead, health, jsonLead } from './requests.ts'

type BareCase = Pick<Case, 'name' | 'meaning' | 'onDemand'> & {
  reference: Contender
  subject: Contender
  goal?: Goal
}

const table: readonly BareCase[] = [
  {
    name: 'health',
    meaning: 'GET /api/lead, against a bare server with the same 15 bytes',
    reference: { program: programs.bareFixed, template: health, status: 200 },
    subject: { program: programs.service, template: health, status: 200 },
    goal: { atLeast: 0.9, stretch: 1.05 },
  },
  {
    name: 'json-stubbed',
    meaning: 'a lead as JSON, store stubbed, against a bare server that reads the body',
    reference: { program: programs.barePost, template: jsonLead, status: 200 },
    subject: { program: programs.stubbedService, template: jsonLead, status: 200 },
    goal: { atLeast: 0.8, stretch: 0.9 },
  },
  {
    name: 'form-stubbed',
    meaning: 'a lead as a form, store stubbed, against the same bare server',
    reference: { program: programs.barePost, template: formLead, status: 200 },
    subject: { program: programs.stubbedService, template: formLead, status: 303 },
    goal: { atLeast: 0.62, stretch: 0.72 },
  },
  {
    name: 'aa',
    meaning: 'the bare server against itself: how far from 1 chance alone goes',
    onDemand: true,
    reference: { program: programs.bareFixed, template: health, status: 200 },
    subject: { program: programs.bareFixed, template: health, status: 200 },
  },
]

export const bareCases: readonly Case[] = table.map(({ reference, subject, goal, ...about }) =>
  Object.assign(about, {
    needsLinux: true as const,
    run: async (effort: 1 | 2) => [await againstBare(reference, subject, goal, effort)],
  }),
)

export async function againstBare(
  reference: Contender,
  subject: Contender,
  goal: Goal | undefined,
  effort: 1 | 2,
): Promise<Figure> {
  const { ratio, costUs, rounds } = await compare({
    reference,
    subject,
    cost: 'cpu',
    connections: 32,
    warmUp: 12_000,
    rounds: 100 * effort,
    untimed: 200,
    timed: 1_000,
    budgetMs: 60_000 * effort,
  })
  const remark = `${rounds} rounds`
  return { what: 'CPU, bare / ours', value: ratio, unit: 'x', goal, costUs, remark }
}
