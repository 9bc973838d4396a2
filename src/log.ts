/**
 * The log: one JSON line per event, on standard output. Lines are buffered and written together,
 * because one write per request costs more than the request. No personal details: callers pass ids
 * and counts, and errors are logged without their message, which may repeat what was sent.
 */
import { write, writeSync } from 'node:fs'
import { logLines } from './metrics/counted.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

export type LogFacts = Record<string, string | number | boolean | undefined>

/** Writes a line to the log. No personal data. */
export type Report = (event: string, facts: LogFacts) => void

export type Log = {
  debug(event: string, facts?: LogFacts): void
  info(event: string, facts?: LogFacts): void
  warn(event: string, facts?: LogFacts): void
  error(event: string, facts?: LogFacts): void
  /**
   * A line whose members are JSON already, in ASCII: for events that happen thousands of times a
   * second. `at`: a `performance.now()` that the caller has read anyway.
   */
  line(members: string, at: number): void
  /** Writes the rest synchronously, before the process ends. */
  flush(): void
}

const flushBytes = 64 * 1024
const flushMs = 100
/** Bounds the memory when the reader hangs: lines that do not fit are counted as lost. */
const pageBytes = 1024 * 1024

/** `show`: what becomes of a line before it is written. */
export function openLog(level: Level, fd = 1, show?: (line: string) => string): Log {
  // Double buffering: one page fills while the other is written.
  let page = Buffer.allocUnsafe(pageBytes)
  let spare = Buffer.allocUnsafe(pageBytes)
  let used = 0
  let origin = 0
  let writing = false
  let lost = 0
  let timer: NodeJS.Timeout | undefined

  const logAt = (at: Level) => {
    if (levels.indexOf(at) < levels.indexOf(level)) return () => {}
    return (event: string, facts?: LogFacts) => {
      add(`${JSON.stringify({ time: Date.now(), level: at, event, ...facts })}\n`)
      // Not in this turn, so that a flush before the process ends can still write it.
      if (at !== 'debug' && at !== 'info') setImmediate(writeOut)
    }
  }
  const line = (members: string, at: number) => {
    // Once per page: the clock may have been set since the last one.
    if (used === 0) origin = originOfNow()
    add(`{"time":${Math.round(origin + at)},"level":"info",${members}}\n`, 'latin1')
  }

  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    line: levels.indexOf(level) <= levels.indexOf('info') ? line : () => {},
    flush,
  }

  function add(json: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    const text = show === undefined ? json : show(json)
    // A UTF-16 unit takes at most three bytes.
    if (used + text.length * 3 > pageBytes) {
      lost += 1
      logLines.lost += 1
      return
    }
    used += page.write(text, used, encoding)
    if (used >= flushBytes) writeOut()
    else timer ??= setTimeout(writeOut, flushMs).unref()
  }

  function writeOut(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing || used === 0) return
    writing = true
    const full = page.subarray(0, used)
    ;[page, spare] = [spare, page]
    used = 0
    writeFrom(full, 0)
  }

  function writeFrom(bytes: Buffer, start: number): void {
    write(fd, bytes, start, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(writeFrom, 10, bytes, start)
      else if (!error && start + written < bytes.length) writeFrom(bytes, start + written)
      else {
        writing = false
        reportLost()
        if (used > 0) timer ??= setTimeout(writeOut, flushMs).unref()
      }
    })
  }

  function reportLost(): void {
    if (lost === 0) return
    const lines = lost
    lost = 0
    add(`${JSON.stringify({ time: Date.now(), level: 'warn', event: 'log.lost', lines })}\n`)
  }

  function flush(): void {
    try {
      if (used > 0) writeSync(fd, page, 0, used)
      used = 0
    } catch {
      // The reader is gone.
    }
  }
}

/** The time at which `performance.now()` was 0, by the current clock. */
function originOfNow(): number {
  return Date.now() - performance.now()
}

/** Name, code, stack frames and why storage is unavailable, in our own words; not the message. */
export function errorFacts(error: unknown): LogFacts {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = error.stack?.split('\n').filter((text) => /^\s+at /.test(text)) ?? []
  return {
    error: error.name,
    code: (error as NodeJS.ErrnoException).code,
    reason:
      error.name === 'StorageUnavailable'
        ? (error as Error & { reason?: string }).reason
        : undefined,
    at: frames
      .slice(0, 6)
      .map((text) => text.trim())
      .join(' | '),
  }
}
