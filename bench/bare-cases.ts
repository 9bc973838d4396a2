/** CPU time of a request, compared with a bare node:http server that sends a fixed answer. */
import type { Case, Goal } from './case.ts'
import type { Contenders } from './compare.ts'
import { goals } from './goals.ts'
import { cpuMethod } from './methods.ts'
import { programs } from './programs.ts'
import { cpuRatio } from './ratios.ts'
import { formLead, health, jsonLead } from './requests.ts'

type BareCase = Pick<Case, 'name' | 'meaning' | 'onDemand'> & Contenders & { goal?: Goal }

const table: readonly BareCase[] = [
  {
    name: 'health',
    meaning: 'GET /api/lead, against a bare server with the same 15 bytes',
    reference: { program: programs.bareFixed, template: health, status: 200 },
    subject: { program: programs.service, template: health, status: 200 },
    goal: goals.health,
  },
  {
    name: 'json-stubbed',
    meaning: 'a lead as JSON, store stubbed, against a bare server that reads the body',
    reference: { program: programs.barePost, template: jsonLead, status: 200 },
    subject: { program: programs.stubbedService, template: jsonLead, status: 200 },
    goal: goals.jsonStubbed,
  },
  {
    name: 'form-stubbed',
    meaning: 'a lead as a form, store stubbed, against the same bare server',
    reference: { program: programs.barePost, template: formLead, status: 200 },
    subject: { program: programs.stubbedService, template: formLead, status: 303 },
    goal: goals.formStubbed,
  },
  {
    name: 'aa',
    meaning: 'the bare server against itself: shows the error of the method',
    onDemand: true,
    reference: { program: programs.bareFixed, template: health, status: 200 },
    subject: { program: programs.bareFixed, template: health, status: 200 },
  },
]

export const bareCases: readonly Case[] = table.map(({ reference, subject, goal, ...about }) =>
  Object.assign(about, {
    needsLinux: true as const,
    run: async (effort: 1 | 2) => [await cpuRatio({ reference, subject }, cpuMethod(effort), goal)],
  }),
)
