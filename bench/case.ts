/** The cases of the benchmark, the figures they give, and the floors that judge these. */

/** A case is one name for the command line. Cases of one group are measured together. */
export type Group = {
  /** The meaning of each case by its name. */
  cases: Readonly<Record<string, string>>
  measure(run: Run): Promise<Figure[]>
}

export type Run = {
  /** The cases of the group that were asked for. */
  names: readonly string[]
  /** A count of rounds, requests or leads: all of it, or a small part with --short. */
  scaled(count: number): number
}

export type Figure = {
  case: string
  what: string
  value: number
  unit: 'x' | 'ms' | 'MB'
  /** A figure without a floor is told, not judged. */
  floor?: Floor | undefined
  remark?: string
}

export type Floor = { readonly atLeast: number } | { readonly atMost: number }

export const floors = {
  /** CPU time of a bare node:http server for the same answer, divided by ours. */
  health: { atLeast: 0.7 },
  page: { atLeast: 0.75 },
  json: { atLeast: 0.48 },
  form: { atLeast: 0.45 },
  /** Leads per second, divided by those with one transaction for each lead. */
  durable: { atLeast: 2 },
  slowCommitGetMs: { atMost: 2 },
  /** Time at 100,000 leads, divided by time at 1,000. */
  keepGrowth: { atMost: 1.5 },
  readGrowth: { atMost: 1.3 },
  /** 99th percentile at 100,000 leads. */
  searchMs: { atMost: 50 },
  startMs: { atMost: 1_000 },
  idleMb: { atMost: 110 },
  afterLeadsMb: { atMost: 180 },
} as const satisfies Record<string, Floor>

export type Verdict = 'ok' | 'near' | 'MISSED' | ''

/** A floor missed by less than a tenth is near. */
const tolerance = 0.1

export function judge({ value, floor }: Pick<Figure, 'value' | 'floor'>): Verdict {
  if (floor === undefined) return ''
  const missedBy = 'atLeast' in floor ? 1 - value / floor.atLeast : value / floor.atMost - 1
  if (missedBy <= 0) return 'ok'
  return missedBy < tolerance ? 'near' : 'MISSED'
}
