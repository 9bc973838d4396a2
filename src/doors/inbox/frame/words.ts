/** Words and times as the pages show them. */
import { dayMs, hourMs, minuteMs } from '../../../durations.ts'
import { html, type Html } from '../../../html.ts'

/** What a stranger typed: inert, and its direction stays inside. */
export function said(text: string): Html {
  return html`<bdi>${inert(text)}</bdi>`
}

/** Characters that turn other text around, and control characters, become visible. */
export function inert(text: string): string {
  return text.replaceAll(turning, '\uFFFD')
}

const turning = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g

/** How long ago something was, short enough for a row: 34 min, 5 h, 3 days, 2 years. */
export function ageInWords(at: number, now: number): string {
  const ms = Math.max(0, now - at)
  if (ms < hourMs) return `${Math.max(1, Math.floor(ms / minuteMs))} min`
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`
  const days = Math.floor(ms / dayMs)
  if (days < 14) return days === 1 ? '1 day' : `${days} days`
  if (days < 100) return `${Math.floor(days / 7)} weeks`
  return days < 730 ? `${Math.floor(days / 30)} months` : `${Math.floor(days / 365)} years`
}

/** A day as people say it: today, yesterday, 12 November 2026. */
export function shownDay(at: number, now: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone })
  const day = format.format(at)
  if (day === format.format(now)) return 'today'
  return day === format.format(now - dayMs) ? 'yesterday' : day
}
