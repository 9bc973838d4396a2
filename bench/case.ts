/** A case of the benchmark, and the figures it ends in. */
export type Goal =
  | { readonly atLeast: number; readonly stretch?: number }
  | { readonly atMost: number; readonly stretch?: number }

export type Figure = {
  what: string
  value: number
  unit: 'x' | 'ms' | 'MB'
  /** Without one the figure is shown, not judged. */
  goal?: Goal | undefined
  /** Per request, where two servers were compared. */
  costUs?: { reference: number; subject: number }
  remark?: string
}

export type Case = {
  name: string
  meaning: string
  /** Runs only when named. */
  onDemand?: true
  needsLinux?: true
  /** 1 at first; 2 for a longer look after a goal was missed. */
  run: (effort: 1 | 2) => Promise<Figure[]>
}

export function isMet({ value, goal }: Figure): boolean {
  if (goal === undefined) return true
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}
