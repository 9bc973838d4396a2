/**
 * Counters and histograms of this process, written in the text format of Prometheus, version 0.0.4.
 * Labels come from the route table, the settings and this code only, never from a request.
 */
type Labels = Readonly<Record<string, string | number>>

/** A metric that is read at each scrape: one value, or several with labels. `undefined`: the metric is left out. */
export type Figure = readonly [
  name: string,
  help: string,
  value: number | undefined | readonly (readonly [Labels, number])[],
]

/** The key by which a series is found. Its label text is written only at a scrape. */
const keyOf = (labels: Labels) => Object.values(labels).join(' ')

class Counter {
  readonly #name: string
  readonly #help: string
  readonly #series = new Map<string, [Labels, number]>()

  constructor(name: string, help: string) {
    this.#name = name
    this.#help = help
  }

  add(labels: Labels = {}): void {
    const key = keyOf(labels)
    const series = this.#series.get(key)
    if (series === undefined) this.#series.set(key, [labels, 1])
    else series[1] += 1
  }

  read(): Figure {
    return [this.#name, this.#help, [...this.#series.values()]]
  }
}

/** Upper bounds of the buckets, in seconds, ascending. */
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
    const key = keyOf(labels)
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels, counts: bounds.map(() => 0), sum: 0 }
      this.#series.set(key, series)
    }
    let index = 0
    while (seconds > bounds[index]!) index += 1
    series.counts[index]! += 1
    series.sum += seconds
  }

  write(): string {
    const lines = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0
      // Buckets are cumulative: each counts all values up to its bound.
      const buckets = counts.map((count, index) => {
        const le = bounds[index] === Infinity ? '+Inf' : bounds[index]!
        return line('_bucket', { ...labels, le }, (total += count))
      })
      return [...buckets, line('_sum', labels, sum), line('_count', labels, total)]
    })
    return writeFamily(this.#name, 'histogram', this.#help, lines)
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

export function writeMetrics(figures: readonly Figure[]): string {
  const counted = [requests, leads, lostLogLines].map((counter) => counter.read())
  const written = [...figures, ...counted].map(([name, help, value = []]) => {
    const samples = typeof value === 'number' ? ([[{}, value]] as const) : value
    const lines = samples.map(([labels, each]) => line('', labels, each))
    return writeFamily(name, name.endsWith('_total') ? 'counter' : 'gauge', help, lines)
  })
  return [...written, requestSeconds.write(), commitSeconds.write()].join('')
}

/** `end`: the end of the metric's name, such as `_sum`. */
function line(end: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${text}"`)
  return `${end}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
}

function writeFamily(name: string, type: string, help: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  // Metrics about the process have the same names in all programs.
  const whole = name.startsWith('process_') ? name : `lead_intake_${name}`
  const named = lines.map((each) => whole + each)
  return `# HELP ${whole} ${help}\n# TYPE ${whole} ${type}\n${named.join('')}`
}
