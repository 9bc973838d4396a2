/** Metrics as Prometheus reads them: the text format, version 0.0.4. */
import type { Histogram } from './histogram.ts'

/** Samples of one name. The name gets the prefix of the service when it is written. */
export type Family = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: readonly Sample[]
}

export type Sample = { value: number; labels?: Labels; suffix?: '_bucket' | '_sum' | '_count' }

/** No value comes from outside: from the route table, the settings and this code only. */
type Labels = Readonly<Record<string, string | number>>

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

export function writeMetrics(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(writeFamily)
    .join('')
}

/** One value, or nothing where it is not known. */
export function gauge(name: string, help: string, value: number | undefined): Family {
  return { name, type: 'gauge', help, samples: value === undefined ? [] : [{ value }] }
}

/** Buckets are cumulative: each counts all values up to its bound. */
export function histogramSamples(histogram: Histogram, labels: Labels = {}): Sample[] {
  const { bounds, counts, sum } = histogram
  let total = 0
  const buckets = Array.from(counts, (count, index): Sample => {
    total += count
    return { suffix: '_bucket', labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: total }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: total },
  ]
}

function writeFamily({ name, type, help, samples }: Family): string {
  const whole = `lead_intake_${name}`
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${whole}${suffix}${writeLabels(labels)} ${value}\n`,
  )
  return `# HELP ${whole} ${help}\n# TYPE ${whole} ${type}\n${lines.join('')}`
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escape(text: string): string {
  return text.replaceAll(/[\\"\n]/g, (sign) => (sign === '\n' ? String.raw`\n` : `\\${sign}`))
}
