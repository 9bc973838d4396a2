/** What a call of a tool costs in CPU, compared with a bare node:http server that reads the body. */
import { againstBare } from './bare-cases.ts'
import type { Case, Figure, Goal } from './case.ts'
import { compare } from './compare.ts'
import { quantile } from './median.ts'
import { programs } from './programs.ts'
import { jsonLead, toolCall } from './requests.ts'
import type { Template, ToolCall } from './requests.ts'
import { startServer } from './server-process.ts'

type McpCase = ToolCall & { name: string; meaning: string; goal?: Goal }

const goal2025: Goal = { atLeast: 0.12, stretch: 0.2 }
const goal2026: Goal = { atLeast: 0.05, stretch: 0.1 }

const table: readonly McpCase[] = [
  {
    name: 'mcp-lead',
    meaning:
      'a lead by MCP of 2025-11-25, store stubbed, against a bare server that reads the body',
    tool: 'lead',
    era: 2025,
    goal: goal2025,
  },
  {
    name: 'mcp-lead-2026',
    meaning: 'the same by MCP of 2026-07-28',
    tool: 'lead',
    era: 2026,
    goal: goal2026,
  },
  {
    name: 'mcp-fresh',
    meaning: 'as mcp-lead, but each unlike every one before, so that the library has to answer',
    tool: 'lead',
    era: 2025,
    fresh: true,
    goal: goal2025,
  },
  {
    name: 'mcp-fresh-2026',
    meaning: 'as mcp-lead-2026, but each unlike every one before',
    tool: 'lead',
    era: 2026,
    fresh: true,
    goal: goal2026,
  },
  {
    name: 'mcp-info',
    meaning: 'get_business_info by MCP of 2025-11-25, against the same bare server',
    tool: 'info',
    era: 2025,
  },
  {
    name: 'mcp-info-2026',
    meaning: 'the same by MCP of 2026-07-28',
    tool: 'info',
    era: 2026,
  },
]

const stubbed: readonly Case[] = table.map(({ name, meaning, goal, ...call }) => ({
  name,
  meaning,
  needsLinux: true,
  run: async (effort) => {
    await settleSite()
    const template = toolCall(call)
    const reference = { program: programs.barePost, template, status: 200 }
    const subject = { program: programs.stubbedService, template, status: 200 }
    return [await againstBare(reference, subject, goal, effort)]
  },
}))

const durable: readonly Case[] = ([2025, 2026] as const).map((era) => ({
  name: era === 2025 ? 'mcp-durable-64' : 'mcp-durable-2026',
  meaning: `a lead by MCP of ${era}, committed and synced, 64 at a time`,
  needsLinux: true,
  run: async (effort) => {
    await settleSite()
    const template = toolCall({ tool: 'lead', era })
    return [await durableCpu(template, effort), await durableSpeed(template, effort)]
  },
}))

export const mcpCases: readonly Case[] = [...stubbed, ...durable]

/**
 * Compressed pages are made after the start and remembered for the next one. Once the last of them
 * is there, none of that work falls into a measurement.
 */
async function settleSite(): Promise<void> {
  const server = await startServer(programs.service)
  const last = `http://127.0.0.1:${server.port}/missing`
  const headers = { accept: 'text/markdown', 'accept-encoding': 'gzip' }
  try {
    for (;;) {
      const answer = await fetch(last, { headers })
      await answer.arrayBuffer()
      if (answer.headers.has('content-encoding')) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    await server.stop()
  }
}

const at64 = { connections: 64, untimed: 192, timed: 1_000 } as const

async function durableCpu(template: Template, effort: 1 | 2): Promise<Figure> {
  const { ratio, costUs, rounds } = await compare({
    ...at64,
    reference: { program: programs.barePost, template, status: 200 },
    subject: { program: programs.service, template, status: 200 },
    cost: 'cpu',
    warmUp: 12_000,
    rounds: 100 * effort,
    budgetMs: 20_000 * effort,
  })
  return { what: 'CPU, bare / ours', value: ratio, unit: 'x', costUs, remark: `${rounds} rounds` }
}

/** Against the same lead sent as JSON, which is the same work but for the protocol. */
async function durableSpeed(template: Template, effort: 1 | 2): Promise<Figure> {
  const { ratio, costUs, rounds, latenciesMs } = await compare({
    ...at64,
    reference: { program: programs.service, template: jsonLead, status: 200 },
    subject: { program: programs.service, template, status: 200 },
    cost: 'wall',
    warmUp: 3_000,
    rounds: 50 * effort,
    budgetMs: 15_000 * effort,
  })
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(latenciesMs, share).toFixed(2))
  const perSecond = Math.round(1e6 / costUs.subject)
  const remark = `${perSecond} leads/s, p50 ${p50}, p99 ${p99} ms, ${rounds} rounds`
  return { what: 'leads/s, MCP / JSON', value: ratio, unit: 'x', costUs, remark }
}
