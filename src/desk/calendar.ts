/** Writes visits as a calendar (RFC 5545). */
import { visitMs } from '../contract/visit.ts'

export type CalendarVisit = {
  /** What the calendar calls it: "Visit", or what the customer asked for. */
  what: string
  reference: string
  at: number
  changedAt: number
  version: number
  place: string
  name: string
  phone: string
  url: string
}

export function writeCalendar(visits: readonly CalendarVisit[], calendarName: string): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//lead-intake//visits//EN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escape(calendarName)}`,
    ...visits.flatMap(toEvent),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

function toEvent({
  what,
  reference,
  at,
  changedAt,
  version,
  place,
  name,
  phone,
  url,
}: CalendarVisit): string[] {
  const summary = [what, name, reference].filter(Boolean).join(' ')
  return [
    'BEGIN:VEVENT',
    `UID:${reference}@lead-intake`,
    `DTSTAMP:${toUtc(changedAt)}`,
    `SEQUENCE:${version}`,
    `DTSTART:${toUtc(at)}`,
    `DTEND:${toUtc(at + visitMs)}`,
    `SUMMARY:${escape(summary)}`,
    ...(place === '' ? [] : [`LOCATION:${escape(place)}`]),
    ...(phone === '' ? [] : [`DESCRIPTION:${escape(phone)}`]),
    `URL:${url}`,
    'END:VEVENT',
  ]
}

function toUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** Escapes line breaks, so that no text can begin a new property (RFC 5545, 3.3.11). */
function escape(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, (sign) => `\\${sign}`)
    .replaceAll(/\r\n|[\n\r\u0085\u2028\u2029]/g, '\\n')
    .replaceAll(controls, '')
}

// oxlint-disable-next-line no-control-regex
const controls = /[\0-\x1f\x7f]/g

/** A line has at most 75 bytes. A blank begins each line that continues another (RFC 5545, 3.1). */
function fold(line: string): string {
  const parts: string[] = ['']
  let bytes = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (bytes + size > 74) {
      parts.push('')
      bytes = 1
    }
    parts[parts.length - 1] += character
    bytes += size
  }
  return parts.join('\r\n ')
}
