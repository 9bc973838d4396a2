/**
 * The end of a bundle is the SHA-256 of all before it. It lies in a skippable frame (RFC 8878, section
 * 3.1.2), which zstd passes over. So a flipped byte is found wherever it is: the checksum of zstd
 * itself does not cover the head of its frame.
 */
import { createHash } from 'node:crypto'
import { BundleRefused } from './refused.ts'

const hashBytes = 32
const head = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, hashBytes, 0, 0, 0])
const sealBytes = head.length + hashBytes

export async function* seal(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
  yield Buffer.concat([head, hash.update(head).digest()])
}

/** Yields what is before the seal. Throws at the end if that is not what was sealed. */
export async function* unseal(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const known = Buffer.concat([rest, chunk])
    const end = Math.max(0, known.length - sealBytes)
    rest = known.subarray(end)
    if (end === 0) continue
    hash.update(known.subarray(0, end))
    yield known.subarray(0, end)
  }
  const isWhole = rest.length === sealBytes && rest.subarray(0, head.length).equals(head)
  if (!isWhole) throw new BundleRefused('its end is missing')
  if (!hash.update(head).digest().equals(rest.subarray(head.length))) {
    throw new BundleRefused('it was changed since it was made')
  }
}
