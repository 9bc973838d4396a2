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
  /** A figure without a floor is printed, but not judged. */
  floor?: Floor | undefined
  remark?: string
}

export type Floor = { readonly atLeast: number } | { readonly atMost: number }

export const floors = {
  /** Leads per second at 1, 16 and 60 connections, divided by those of Express with one insert. */
  leads1: { atLeast: 0.5 },
  leads16: { atLeast: 1.1 },
  leads60: { atLeast: 1.2 },
  /** 99th percentile of a lead at one connection. */
  leadMs: { atMost: 4 },
  slowCommitGetMs: { atMost: 2 },
  /** Time at 100,000 leads, divided by time at 1,000. */
  keepGrowth: { atMost: 1.5 },
  readGrowth: { atMost: 1.3 },
  /** 99th percentile at 20,000 leads. */
  searchMs: { atMost: 50 },
  startMs: { atMost: 1_000 },
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
