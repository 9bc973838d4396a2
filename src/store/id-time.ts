/** The time at the start of an id (UUID version 7, RFC 9562, 5.7), which sorts leads by it. */
export function timeOf(leadId: string): number {
  return Number.parseInt(leadId.slice(0, 8) + leadId.slice(9, 13), 16)
}

export function toIdStart(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Ids from one to before the other. */
export type IdSpan = { from: string; before: string }

/** The ids of a time of which only the remainder by `cycleMs` is known: one span for each cycle from 2023 to 2066. */
export function spansOfCycles(cycleMs: number, offsetMs: number, lengthMs: number): IdSpan[] {
  const spans: IdSpan[] = []
  const first = Math.floor(years.from / cycleMs)
  for (let startMs = first * cycleMs + offsetMs; startMs < years.before; startMs += cycleMs) {
    spans.push({ from: toIdStart(startMs), before: toIdStart(startMs + lengthMs) })
  }
  return spans
}

const years = { from: Date.UTC(2023, 0), before: Date.UTC(2067, 0) }
