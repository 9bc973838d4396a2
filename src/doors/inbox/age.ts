/** How long ago something was, short enough for a row: 34 min, 5 h, 3 days, 2 years. */
import { dayMs, hourMs, minuteMs } from '../../durations.ts'

export function ageInWords(at: number, now: number): string {
  const ms = Math.max(0, now - at)
  if (ms < hourMs) return `${Math.max(1, Math.floor(ms / minuteMs))} min`
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`
  const days = Math.floor(ms / dayMs)
  if (days < 14) return days === 1 ? '1 day' : `${days} days`
  if (days < 100) return `${Math.floor(days / 7)} weeks`
  return days < 730 ? `${Math.floor(days / 30)} months` : `${Math.floor(days / 365)} years`
}
