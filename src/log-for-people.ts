/** A line of the log as a person at a terminal reads it. Programs read JSON. */

type Line = { time: number; level: string; event: string } & Record<string, unknown>

/** `line`: JSON, with its line break. */
export function forPeople(line: string): string {
  const { time, level, event, ...facts } = JSON.parse(line) as Line
  const begin = `${new Date(time).toTimeString().slice(0, 8)} ${level === 'info' ? '' : `${level.toUpperCase()} `}`
  if (event !== 'request') return `${begin}${event}${inWords(facts)}\n`
  const { method, route, status, us, ...rest } = facts
  return `${begin}${String(method)} ${String(route)} ${String(status)}${inWords({ ms: Number(us) / 1000, ...rest })}\n`
}

function inWords(facts: Record<string, unknown>): string {
  return Object.entries(facts)
    .map(([name, value]) =>
      isSentence(name) ? ` - ${toPlain(value)}` : ` ${name}=${toPlain(value)}`,
    )
    .join('')
}

/** Written by this program, for people. */
function isSentence(name: string): boolean {
  return name === 'note' || name === 'words'
}

/** What could control the terminal stays as JSON has it. */
function toPlain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /[\p{Cc}\p{Cf}]/u.test(text) ? JSON.stringify(text) : text
}
