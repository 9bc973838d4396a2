/** A case of the benchmark and the figures it produces. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

export type Figure = {
  what: string
  value: number
  unit: 'x' | 'ms' | 'MB'
  /** A figure without a goal is shown but not judged. */
  goal?: Goal | undefined
  /** Per request, where two servers were compared. */
  costUs?: { reference: number; subject: number }
  remark?: string
}

/** 1 at first; 2 for the longer second run after a missed goal. */
export type Effort = 1 | 2

export type Case = {
  name: string
  meaning: string
  /** Runs only when named. */
  onDemand?: true
  needsLinux?: true
  run: (effort: Effort) => Promise<Figure[]>
}

export function isMet({ value, goal }: Pick<Figure, 'value' | 'goal'>): boolean {
  if (goal === undefined) return true
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
