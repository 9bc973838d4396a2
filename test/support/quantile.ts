/** Quantiles of measured times. */
export function median(numbers: ArrayLike<number>): number {
  return quantile(numbers, 0.5)
}

/** `share` from 0 to 1. */
export function quantile(numbers: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(numbers).sort()
  if (sorted.length === 0) return Number.NaN
  const at = share * (sorted.length - 1)
  const low = sorted[Math.floor(at)]!
  const high = sorted[Math.ceil(at)]!
  return low + (high - low) * (at - Math.floor(at))
}
