/**
 * Detects the same long text from many clients. A table of fixed size has a row for each text: a hash
 * and the first few clients. A new text may overwrite an older one, and the table is cleared once a
 * day. A check allocates nothing.
 */
import { dayMs } from '../durations.ts'

const rows = 4096
const clientsKept = 4
const shortestText = 40

const forgottenAfterMs = dayMs

/** `client` is any number but 0 that stands for one client. */
export type SpreadCheck = {
  /** True from the fourth client on. */
  hasSpread(text: string, client: number, nowMs: number): boolean
  /** The client's lead was not kept: it may come again from another address. */
  forget(text: string, client: number): void
}

export function createSpreadCheck(): SpreadCheck {
  const samples = new Int32Array(rows)
  const clients = new Int32Array(rows * clientsKept)
  let since = 0
  return { hasSpread, forget }

  function hasSpread(text: string, client: number, nowMs: number): boolean {
    if (text.length < shortestText) return false
    if (nowMs - since > forgottenAfterMs) {
      since = nowMs
      samples.fill(0)
      clients.fill(0)
    }
    const sample = sampleOf(text)
    const row = sample & (rows - 1)
    const first = row * clientsKept
    if (samples[row] !== sample) {
      samples[row] = sample
      // Not fill, whose call takes longer than four steps.
      for (let at = first; at < first + clientsKept; at += 1) clients[at] = 0
    }
    let at = first
    while (at < first + clientsKept && clients[at] !== 0 && clients[at] !== client) at += 1
    if (at < first + clientsKept) clients[at] = client
    return clients[first + clientsKept - 1] !== 0
  }

  function forget(text: string, client: number): void {
    const sample = sampleOf(text)
    const row = sample & (rows - 1)
    if (samples[row] !== sample) return
    const ofText = clients.subarray(row * clientsKept, (row + 1) * clientsKept)
    const at = ofText.indexOf(client)
    if (at !== -1) ofText.copyWithin(at, at + 1).fill(0, -1)
  }
}

/** Hashes all of a short text, and every nth character of a long one. */
function sampleOf(text: string): number {
  const step = 1 + (text.length >> 9)
  let sample = text.length
  for (let at = 0; at < text.length; at += step) {
    sample = (Math.imul(sample, 31) + text.charCodeAt(at)) | 0
  }
  return sample ^ (sample >>> 15)
}
