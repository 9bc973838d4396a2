/** Counts values by their size. */
export class Histogram {
  /** Upper limits, ascending. */
  readonly bounds: readonly number[]
  /** One for each bound, and one for what is above all of them. */
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  /** On the road of every request: allocates nothing. */
  note(value: number): void {
    const { bounds, counts } = this
    let index = 0
    while (index < bounds.length && value > bounds[index]!) index += 1
    counts[index]! += 1
    this.sum += value
  }
}
