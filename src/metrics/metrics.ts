/**
 * Counts events, and writes metrics in the text format 0.0.4 of Prometheus. Labels never come from a
 * request, so they need no escapes.
 */
type Labels = Readonly<Record<string, string | number>>

/** Without a value, the metric is left out. */
export type Figure = readonly [
  name: string,
  help: string,
  value: number | undefined | readonly (readonly [Labels, number])[],
]

class Counter {
  readonly #name: string
  readonly #help: string
  readonly #series = new Map<string, [Labels, number]>()

  constructor(name: string, help: string) {
    this.#name = name
    this.#help = help
  }

  add(labels: Labels = {}): void {
    const key = Object.values(labels).join(' ')
    const series = this.#series.get(key)
    if (series === undefined) this.#series.set(key, [labels, 1])
    else series[1] += 1
  }

  read(): Figure {
    return [this.#name, this.#help, [...this.#series.values()]]
  }
}

export const requests = new Counter('http_requests_total', 'Requests that were answered.')
export const leads = new Counter('leads_total', 'Leads that were sent, by outcome.')

export const commits = new Counter('commits_total', 'Transactions that were committed to disk.')

export function writeMetrics(figures: readonly Figure[]): string {
  return [...figures, requests.read(), leads.read(), commits.read()].map(writeFigure).join('')
}

function writeFigure([name, help, value = []]: Figure): string {
  const samples = typeof value === 'number' ? ([[{}, value]] as const) : value
  if (samples.length === 0) return ''
  // Metrics of the process have the same names in all programs, so they get no prefix.
  const whole = name.startsWith('process_') ? name : `lead_intake_${name}`
  const lines = samples.map(([labels, each]) => `${whole}${writeLabels(labels)} ${each}\n`)
  const type = name.endsWith('_total') ? 'counter' : 'gauge'
  return `# HELP ${whole} ${help}\n# TYPE ${whole} ${type}\n${lines.join('')}`
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${text}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
