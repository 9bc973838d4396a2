/** Ids of requests that say nothing about how many there were. */
import { randomBytes } from 'node:crypto'

const digits = 16
/** Drawn together: asking the system for each id would cost as much as a small request. */
const idsPerDraw = 512

export function createRequestIds(): () => string {
  let drawn = ''
  let at = 0
  return () => {
    if (at === drawn.length) {
      drawn = randomBytes((idsPerDraw * digits) / 2).toString('hex')
      at = 0
    }
    return drawn.slice(at, (at += digits))
  }
}
