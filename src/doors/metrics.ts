/**
 * GET /metrics: figures for Prometheus, for a client that sends METRICS_TOKEN; on a site that is not
 * published, for tools on this machine too. All others get 404, as with a wrong token.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { inertHeaders, uncached, type App, type Ask } from '../http/message.ts'
import { metricsType, writeMetrics } from '../metrics/family.ts'
import { readFigures } from './metrics-figures.ts'
import type { FigureParts } from './metrics-figures.ts'

export type MetricsParts = Omit<FigureParts, 'lagSeconds'> & {
  token: string | undefined
  /** There, a stranger behind a bare proxy cannot be told from a tool on this machine. */
  published: boolean
  notFound: App
}

/** Of the clock that finds the lag. */
const resolutionMs = 20

export function createMetricsDoor({ token, published, notFound, ...parts }: MetricsParts): App {
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`)
  // From the first scrape on: where nobody reads it, it costs nothing.
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined

  return async (ask) => {
    const isOpen = !published && ask.address.local
    if (!isOpen && !hasToken(ask)) return notFound(ask)
    const families = await readFigures({ ...parts, lagSeconds: readLag() })
    return { status: 200, headers, body: writeMetrics(families) }
  }

  /** Hashed, so that the time of the comparison tells nothing of the token. */
  function hasToken({ headers: { authorization } }: Ask): boolean {
    if (wanted === undefined || authorization === undefined) return false
    return timingSafeEqual(wanted, digest(authorization))
  }

  /** The worst of the time since the last scrape. */
  function readLag(): number | undefined {
    if (delays === undefined) {
      delays = monitorEventLoopDelay({ resolution: resolutionMs })
      delays.enable()
      return undefined
    }
    const lagMs = delays.count === 0 ? 0 : delays.max / 1e6 - resolutionMs
    delays.reset()
    return Math.max(0, lagMs / 1000)
  }
}

const headers = ['Content-Type', metricsType, ...inertHeaders(), ...uncached]

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
