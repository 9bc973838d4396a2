/**
 * The log: one JSON line for each event, without personal data. Errors lose their message, because it
 * may repeat the content of a request.
 */
import { type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { minuteMs } from './time.ts'

export const levels = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

export type LogFacts = Record<string, string | number | boolean | undefined>

export type ReportEvent = (event: string, facts: LogFacts) => void

export type Log = Record<Level, (event: string, facts?: LogFacts) => void> & {
  flush(): void
  drain(): Promise<void>
}

/** If nobody reads the output, lines beyond this many characters are dropped and counted. */
const mostWaiting = 1024 * 1024
const flushMs = 20
const drainDeadlineMs = 1_000

/** On Linux and macOS node writes to pipes asynchronously, so an unread pipe does not block the service. */
export function openLog(least: Level, out: Writable & { isTTY?: boolean } = process.stdout): Log {
  let waiting = ''
  let dropped = 0
  // The service goes on if the output has no reader or its disk is full.
  out.on('error', () => {})

  const logAt = (level: Level) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return () => {}
    return (event: string, facts: LogFacts = {}) => {
      if (!hasRoom()) {
        dropped += 1
        return
      }
      // Lines are written together, because a write takes more time than making a line.
      if (waiting === '') setTimeout(flush, flushMs)
      const line = { time: Date.now(), level, event, ...facts }
      waiting += out.isTTY ? forPeople(level, event, facts) : `${JSON.stringify(line)}\n`
    }
  }
  const warn = logAt('warn')
  return { debug: logAt('debug'), info: logAt('info'), warn, error: logAt('error'), flush, drain }

  function hasRoom(): boolean {
    return waiting.length + out.writableLength < mostWaiting
  }

  function flush(): void {
    if (waiting === '') return
    const lines = waiting
    waiting = ''
    out.write(lines, (error) => {
      if (error) dropped += lines.split('\n').length - 1
      else tellDropped()
    })
  }

  function tellDropped(): void {
    if (dropped === 0 || !hasRoom()) return
    warn('log.lost', { lines: dropped })
    dropped = 0
  }

  async function drain(): Promise<void> {
    flush()
    const written = new Promise<void>((resolve) => out.write('', () => resolve()))
    await Promise.race([written, sleep(drainDeadlineMs)])
  }
}

/** At a terminal, facts that are whole sentences are shown without their name. */
const sentences = ['note', 'words']

function forPeople(level: Level, event: string, facts: LogFacts): string {
  const time = new Date().toTimeString().slice(0, 8)
  const words = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${sentences.includes(name) ? '- ' : `${name}=`}${value}`)
  const shown = [time, ...(level === 'info' ? [] : [level.toUpperCase()]), event, ...words]
  return `${toPlainText(shown.join(' '))}\n`
}

/** Replaces control and formatting characters with dots, because they could control the terminal. */
export function toPlainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, '·')
}

export function errorFacts(error: unknown): LogFacts {
  if (!(error instanceof Error)) return { error: typeof error }
  const { name, stack = '' } = error
  const { code, reason } = error as { code?: string; reason?: string }
  const frames = stack.match(/(?<=^ +)at .*/gm) ?? []
  return {
    error: name,
    code,
    reason: name === 'StorageUnavailable' ? reason : undefined,
    at: frames.slice(0, 6).join(' | '),
  }
}

export type ReportFailure = (event: string, error: unknown) => void

/** Logs a kind of failure at most once a minute. `times`: the failures since its last line. */
export function reportOnceAMinute(write: ReportEvent, now: () => number): ReportFailure {
  const kinds = new Map<string, { writtenAt: number; times: number }>()
  return (event, error) => {
    const facts = errorFacts(error)
    const kind = `${event} ${facts['error']} ${facts['code']} ${facts['reason']}`
    const before = kinds.get(kind)
    const times = (before?.times ?? 0) + 1
    // Without `abs`, nothing would be logged for hours after the clock was set back by hours.
    const isDue = before === undefined || Math.abs(now() - before.writtenAt) >= minuteMs
    kinds.set(kind, isDue ? { writtenAt: now(), times: 0 } : { ...before, times })
    if (isDue) write(event, { ...facts, times })
  }
}
