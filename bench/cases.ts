/** All cases, in the order they run. */
import { bareCases } from './bare-cases.ts'
import type { Case } from './case.ts'
import { coldStart } from './cold-start.ts'
import { deskGrowth } from './desk-growth.ts'
import { durableCases } from './durable-cases.ts'
import { exportMemory } from './export-memory.ts'
import { growth } from './growth.ts'
import { mcpCases } from './mcp-cases.ts'
import { memory } from './memory.ts'
import { pageCases } from './page-cases.ts'
import { postgresCases } from './postgres-cases.ts'
import { slowCommit } from './slow-commit.ts'

export const cases: readonly Case[] = [
  ...bareCases,
  ...pageCases,
  ...durableCases,
  ...mcpCases,
  ...postgresCases,
  slowCommit,
  growth,
  ...deskGrowth,
  ...exportMemory,
  coldStart,
  memory,
]
