/**
 * The head of an answer as text. node checks and joins every header of every answer, which is a
 * twentieth of what a lead costs; here that is done once for headers that never change.
 */
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http'

const remembered = new WeakMap<readonly string[], string>()

/** `headers`: name, value, name, value. Those of a frozen list are checked and joined once. */
export function toLines(headers: readonly string[]): string {
  return headers.length === 0 ? '' : (remembered.get(headers) ?? joinLines(headers))
}

function joinLines(headers: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    validateHeaderName(name)
    validateHeaderValue(name, value)
    lines += `${name}: ${value}\r\n`
  }
  if (Object.isFrozen(headers)) remembered.set(headers, lines)
  return lines
}

const statusLines: Record<number, string> = {}

export function statusLine(status: number): string {
  return (statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`)
}

/** How long a connection may lie idle. */
export const keepAliveMs = 72_000

let ending = ''

/** The last lines of a head on a connection that stays open, with the Date. Made once a second. */
export function endOfHead(): string {
  if (ending === '') {
    const now = new Date()
    const staysOpen = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1_000}\r\n\r\n`
    ending = `Date: ${now.toUTCString()}\r\n${staysOpen}`
    setTimeout(() => (ending = ''), 1_000 - now.getMilliseconds()).unref()
  }
  return ending
}
