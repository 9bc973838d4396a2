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
  /** A line whose members are JSON already, in ASCII: for what happens thousands of times a second. */
  line(members: string): void
  /** Writes what is left, before the process ends. */
  flush(): void
}

const flushLength = 64 * 1024
const flushMs = 100
/** A reader that hangs must not fill our memory: past this, lines are counted as lost. */
const mostWaiting = 1024 * 1024

export function openLog(level: Level, fd = 1): Log {
  let waiting = ''
  let writing = false
  let lost = 0
  let timer: NodeJS.Timeout | undefined

  const tell = (at: Level) => {
    if (levels.indexOf(at) < levels.indexOf(level)) return () => {}
    return (event: string, facts?: Record<string, Fact>) => {
      add(toAscii(JSON.stringify({ time: Date.now(), level: at, event, ...facts })))
      if (at !== 'debug' && at !== 'info') writeOut()
    }
  }
  const line = (members: string) => add(`{"time":${Date.now()},"level":"info",${members}}`)

  return {
    debug: tell('debug'),
    info: tell('info'),
    warn: tell('warn'),
    error: tell('error'),
    line: levels.indexOf(level) <= levels.indexOf('info') ? line : () => {},
    flush,
  }

  function add(text: string): void {
    if (waiting.length > mostWaiting) {
      lost += 1
      return
    }
    waiting += `${text}\n`
    if (waiting.length >= flushLength) writeOut()
    else timer ??= setTimeout(writeOut, flushMs).unref()
  }

  function writeOut(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing || waiting === '') return
    writing = true
    const bytes = Buffer.from(waiting, 'latin1')
    waiting = ''
    writeFrom(bytes, 0)
  }

  function writeFrom(bytes: Buffer, start: number): void {
    write(fd, bytes, start, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(writeFrom, 10, bytes, start)
      else if (!error && start + written < bytes.length) writeFrom(bytes, start + written)
      else {
        writing = false
        tellLost()
        if (waiting !== '') timer ??= setTimeout(writeOut, flushMs).unref()
      }
    })
  }

  function tellLost(): void {
    if (lost === 0) return
    const lines = lost
    lost = 0
    add(JSON.stringify({ time: Date.now(), level: 'warn', event: 'log.lost', lines }))
  }

  function flush(): void {
    try {
      if (waiting !== '') writeSync(fd, waiting)
      waiting = ''
    } catch {
      // The reader is gone; there is nobody left to tell.
    }
  }
}

/** JSON may spell any character by its number; then one byte stands for each, which is cheaper to write. */
function toAscii(json: string): string {
  return json.replaceAll(
    /[^\0-~]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
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
