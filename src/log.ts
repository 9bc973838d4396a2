/**
 * The log: one JSON line per event, on standard output. Lines are gathered and written together,
 * because one write per request costs more than the request. Never a person's details: callers
 * pass ids and counts, and errors are logged without their message, which may repeat what was sent.
 */
import { write, writeSync } from 'node:fs'

const levels = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

export type Fact = string | number | boolean | undefined

export type Log = {
  debug(event: string, facts?: Record<string, Fact>): void
  info(event: string, facts?: Record<string, Fact>): void
  warn(event: string, facts?: Record<string, Fact>): void
  error(event: string, facts?: Record<string, Fact>): void
  /**
   * A line whose members are JSON already, in ASCII: for what happens thousands of times a second.
   * `at` is by `performance.now()`, which whoever measures has asked already.
   */
  line(members: string, at: number): void
  /** Writes what is left, before the process ends. */
  flush(): void
}

const flushBytes = 64 * 1024
const flushMs = 100
/** A reader that hangs must not fill our memory: past this, lines are counted as lost. */
const pageBytes = 1024 * 1024

export function openLog(level: Level, fd = 1): Log {
  // Lines are put into one of two pages as they come; while one is being written, the other fills.
  let page = Buffer.allocUnsafe(pageBytes)
  let spare = Buffer.allocUnsafe(pageBytes)
  let used = 0
  let origin = 0
  let writing = false
  let lost = 0
  let timer: NodeJS.Timeout | undefined

  const tell = (at: Level) => {
    if (levels.indexOf(at) < levels.indexOf(level)) return () => {}
    return (event: string, facts?: Record<string, Fact>) => {
      add(`${JSON.stringify({ time: Date.now(), level: at, event, ...facts })}\n`)
      // Not in this turn, so that a flush before the process ends can still write it.
      if (at !== 'debug' && at !== 'info') setImmediate(writeOut)
    }
  }
  const line = (members: string, at: number) => {
    // The last page may have been written days ago, and the clock set since.
    if (used === 0) origin = originOfNow()
    add(`{"time":${Math.round(origin + at)},"level":"info",${members}}\n`, 'latin1')
  }

  return {
    debug: tell('debug'),
    info: tell('info'),
    warn: tell('warn'),
    error: tell('error'),
    line: levels.indexOf(level) <= levels.indexOf('info') ? line : () => {},
    flush,
  }

  function add(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    // Three bytes are the most that one unit of a string can take.
    if (used + text.length * 3 > pageBytes) {
      lost += 1
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
        tellLost()
        if (used > 0) timer ??= setTimeout(writeOut, flushMs).unref()
      }
    })
  }

  function tellLost(): void {
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
      // The reader is gone; there is nobody left to tell.
    }
  }
}

/** When `performance.now()` was 0, by the clock as it is set now. */
function originOfNow(): number {
  return Date.now() - performance.now()
}

/** What an error may say in a log: its kind and where it came from, without its message. */
export function errorFacts(error: unknown): Record<string, Fact> {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = error.stack?.split('\n').filter((text) => /^\s+at /.test(text)) ?? []
  return {
    error: error.name,
    code: (error as NodeJS.ErrnoException).code,
    at: frames
      .slice(0, 6)
      .map((text) => text.trim())
      .join(' | '),
  }
}
