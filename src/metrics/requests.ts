/** How many requests each route answered, with which status, and how long that took. */
import { histogramSamples } from './family.ts'
import type { Family } from './family.ts'
import { Histogram } from './histogram.ts'

export type RequestCounts = {
  /** On the road of every request. `route`: a name of the route table. */
  note(route: string, status: number, ms: number): void
  families(): Family[]
}

/** Seconds. Most answers take less than the first. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const statuses = 600

export function createRequestCounts(): RequestCounts {
  const routes = new Map<string, { byStatus: Float64Array; seconds: Histogram }>()
  return {
    note(route, status, ms) {
      const { byStatus, seconds } = routes.get(route) ?? add(route)
      byStatus[status]! += 1
      seconds.note(ms / 1000)
    },
    families() {
      const all = [...routes]
      return [
        {
          name: 'http_requests_total',
          type: 'counter',
          help: 'Requests that were answered.',
          samples: all.flatMap(([route, { byStatus }]) =>
            Array.from(byStatus, (value, status) => ({ labels: { route, status }, value })).filter(
              ({ value }) => value > 0,
            ),
          ),
        },
        {
          name: 'http_request_duration_seconds',
          type: 'histogram',
          help: 'From the head of a request to its answer.',
          samples: all.flatMap(([route, { seconds }]) => histogramSamples(seconds, { route })),
        },
      ]
    },
  }

  function add(route: string) {
    const counts = { byStatus: new Float64Array(statuses), seconds: new Histogram(bounds) }
    routes.set(route, counts)
    return counts
  }
}
