/**
 * What this process counts while it works, and how Prometheus reads it: the text format, version 0.0.4.
 * No label comes from outside: from the route table, the settings and this code only.
 */
type LabelValue = string | number
type Labels = Readonly<Record<string, LabelValue>>
/** What follows the name, and the value. */
type Sample = readonly [end: string, value: number]

class Counter {
  readonly #name: string
  readonly #help: string
  readonly #labels: readonly string[]
  readonly #counts = new Map<string, number>()

  constructor(name: string, help: string, ...labels: string[]) {
    this.#name = name
    this.#help = help
    this.#labels = labels
  }

  /** `values` of the labels, in their order and without blanks. */
  add(...values: LabelValue[]): void {
    const key = values.join(' ')
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  write(): string {
    const samples = [...this.#counts].map(([key, count]): Sample => {
      return [writeLabels(toLabels(this.#labels, key)), count]
    })
    return writeFamily(this.#name, 'counter', this.#help, samples)
  }
}

/** Upper limits in seconds, ascending. */
const bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity]

class Histogram {
  readonly #name: string
  readonly #help: string
  readonly #labels: readonly string[]
  readonly #series = new Map<string, { counts: number[]; sum: number }>()

  constructor(name: string, help: string, ...labels: string[]) {
    this.#name = name
    this.#help = help
    this.#labels = labels
  }

  note(seconds: number, ...values: LabelValue[]): void {
    const key = values.join(' ')
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { counts: bounds.map(() => 0), sum: 0 }
      this.#series.set(key, series)
    }
    series.counts[bounds.findIndex((bound) => seconds <= bound)]! += 1
    series.sum += seconds
  }

  write(): string {
    const samples = [...this.#series].flatMap(([key, { counts, sum }]) => {
      const labels = toLabels(this.#labels, key)
      let total = 0
      // Buckets are cumulative: each counts all values up to its bound.
      const buckets = counts.map((count, index): Sample => {
        const le = bounds[index] === Infinity ? '+Inf' : bounds[index]!
        return [`_bucket${writeLabels({ ...labels, le })}`, (total += count)]
      })
      const end = writeLabels(labels)
      return [...buckets, [`_sum${end}`, sum] as const, [`_count${end}`, total] as const]
    })
    return writeFamily(this.#name, 'histogram', this.#help, samples)
  }
}

export const requests = new Counter(
  'http_requests_total',
  'Requests that were answered.',
  'route',
  'status',
)
export const requestSeconds = new Histogram(
  'http_request_duration_seconds',
  'From the head of a request to its answer.',
  'route',
)
export const leads = new Counter(
  'leads_total',
  'Leads that were sent, and what came of them.',
  'door',
  'outcome',
)
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

function toLabels(names: readonly string[], key: string): Labels {
  const values = key.split(' ')
  return Object.fromEntries(names.map((name, at) => [name, values[at]!]))
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
