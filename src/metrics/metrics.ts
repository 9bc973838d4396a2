/**
 * What this process counts while it works, and how Prometheus reads it: the text format, version 0.0.4.
 * No label comes from outside: from the route table, the settings and this code only.
 */
type Labels = Readonly<Record<string, string | number>>
/** What follows the name, and the value. */
type Sample = readonly [end: string, value: number]

class Counter {
  readonly #name: string
  readonly #help: string
  readonly #values = new Map<string, number>()

  constructor(name: string, help: string) {
    this.#name = name
    this.#help = help
  }

  add(labels: Labels = {}): void {
    const key = writeLabels(labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + 1)
  }

  write(): string {
    return writeFamily(this.#name, 'counter', this.#help, [...this.#values])
  }
}

/** Upper limits in seconds, ascending. */
const bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity]

class Histogram {
  readonly #name: string
  readonly #help: string
  readonly #series = new Map<string, { labels: Labels; counts: number[]; sum: number }>()

  constructor(name: string, help: string) {
    this.#name = name
    this.#help = help
  }

  note(seconds: number, labels: Labels = {}): void {
    const key = writeLabels(labels)
    const series = this.#series.get(key) ?? { labels, counts: bounds.map(() => 0), sum: 0 }
    series.counts[bounds.findIndex((bound) => seconds <= bound)]! += 1
    series.sum += seconds
    this.#series.set(key, series)
  }

  write(): string {
    const samples = [...this.#series].flatMap(([end, { labels, counts, sum }]) => {
      let total = 0
      // Buckets are cumulative: each counts all values up to its bound.
      const buckets = counts.map((count, index): Sample => {
        const le = bounds[index] === Infinity ? '+Inf' : bounds[index]!
        return [`_bucket${writeLabels({ ...labels, le })}`, (total += count)]
      })
      return [...buckets, [`_sum${end}`, sum] as const, [`_count${end}`, total] as const]
    })
    return writeFamily(this.#name, 'histogram', this.#help, samples)
  }
}

export const requests = new Counter('http_requests_total', 'Requests that were answered.')
export const requestSeconds = new Histogram(
  'http_request_duration_seconds',
  'From the head of a request to its answer.',
)
export const leads = new Counter('leads_total', 'Leads that were sent, and what came of them.')
export const commitSeconds = new Histogram('commit_duration_seconds', 'Until the disk has it.')
export const lostLogLines = new Counter('log_lost_lines_total', 'Lines that nobody read in time.')

/** A value that is read when it is asked for, or several by their labels; not known: left out. */
export type Figure = readonly [
  name: string,
  help: string,
  value: number | undefined | readonly (readonly [Labels, number])[],
]

export function writeMetrics(figures: readonly Figure[]): string {
  const gauges = figures.map(([name, help, value = []]) => {
    const samples = typeof value === 'number' ? ([[{}, value]] as const) : value
    const written = samples.map(([labels, each]): Sample => [writeLabels(labels), each])
    const type = name.endsWith('_total') ? 'counter' : 'gauge'
    return writeFamily(name, type, help, written)
  })
  const counted = [requests, requestSeconds, leads, commitSeconds, lostLogLines]
  return [...gauges, ...counted.map((each) => each.write())].join('')
}

function writeFamily(name: string, type: string, help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return ''
  // The process itself has names that are the same for all programs.
  const whole = name.startsWith('process_') ? name : `lead_intake_${name}`
  const lines = samples.map(([end, value]) => `${whole}${end} ${value}\n`)
  return `# HELP ${whole} ${help}\n# TYPE ${whole} ${type}\n${lines.join('')}`
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
