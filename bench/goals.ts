/**
 * All goals of the benchmark. A ratio to a bare server is CPU time there divided by CPU time here,
 * so higher is better; the other ratios are named in their case.
 */
import type { Goal } from './case.ts'

export const goals = {
  health: { atLeast: 0.86 },
  page: { atLeast: 0.9 },
  jsonStubbed: { atLeast: 0.69 },
  formStubbed: { atLeast: 0.58 },
  sqliteDurableCpu: { atLeast: 0.37 },
  sqliteDurableThroughput: { atLeast: 3 },
  postgresDurableCpu: { atLeast: 0.42 },
  postgresDurableThroughput: { atLeast: 2 },
  slowCommitGetMs: { atMost: 2 },
  growth: { atMost: 1.5 },
  /** Medians at a million leads. */
  deskPageSqliteMs: { atMost: 2 },
  deskPagePostgresMs: { atMost: 5 },
  deskSearchMs: { atMost: 5 },
  /** The 99th of 100. */
  deskSearchWorstMs: { atMost: 50 },
  coldStart: { atMost: 2.2 },
  memoryIdleMb: { atMost: 100 },
  memoryAfterLoadMb: { atMost: 160 },
  /** At its peak, while a million leads are exported. */
  memoryOfExportMb: { atMost: 200 },
  /** With --against: CPU time here divided by CPU time there. */
  against: { atMost: 1.08 },
} as const satisfies Record<string, Goal>
