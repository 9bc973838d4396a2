/** CPU time of an MCP tool call, compared with a bare node:http server that reads the body. */
import type { Case } from './case.ts'
import { cpuMethod, durableCpuMethod, durableWallMethod } from './methods.ts'
import { programs } from './programs.ts'
import { cpuRatio, throughputRatio } from './ratios.ts'
import { jsonLead, toolCall } from './requests.ts'
import type { ToolCall } from './requests.ts'
import { fillSiteCache } from './site.ts'

type McpCase = ToolCall & { name: string; meaning: string }

const table: readonly McpCase[] = [
  {
    name: 'mcp-lead',
    meaning: 'a lead by MCP 2025-11-25, store stubbed, against a bare server that reads the body',
    tool: 'lead',
    era: 2025,
  },
  {
    name: 'mcp-lead-2026',
    meaning: 'the same by MCP 2026-07-28',
    tool: 'lead',
    era: 2026,
  },
  {
    name: 'mcp-info',
    meaning: 'get_business_info by MCP 2025-11-25, against the same bare server',
    tool: 'info',
    era: 2025,
  },
  {
    name: 'mcp-info-2026',
    meaning: 'the same by MCP 2026-07-28',
    tool: 'info',
    era: 2026,
  },
]

const stubbed: readonly Case[] = table.map(({ name, meaning, ...call }) => ({
  name,
  meaning,
  needsLinux: true,
  run: async (effort) => {
    await fillSiteCache(programs.service)
    const load = { template: toolCall(call), status: 200 }
    const contenders = {
      reference: { program: programs.barePost, ...load },
      subject: { program: programs.stubbedService, ...load },
    }
    return [await cpuRatio(contenders, cpuMethod(effort))]
  },
}))

/** Leads per second are compared with the same lead sent as JSON. */
const durable: readonly Case[] = ([2025, 2026] as const).map((era) => ({
  name: era === 2025 ? 'mcp-durable-64' : 'mcp-durable-2026',
  meaning: `a lead by MCP of ${era}, committed and synced, 64 at a time`,
  needsLinux: true,
  run: async (effort) => {
    await fillSiteCache(programs.service)
    const load = { template: toolCall({ tool: 'lead', era }), status: 200 }
    const subject = { program: programs.service, ...load }
    return [
      await cpuRatio(
        { reference: { program: programs.barePost, ...load }, subject },
        durableCpuMethod(64, effort),
      ),
      await throughputRatio(
        'leads/s, MCP / JSON',
        { reference: { ...subject, template: jsonLead }, subject },
        durableWallMethod(64, effort),
      ),
    ]
  },
}))

export const mcpCases: readonly Case[] = [...stubbed, ...durable]
