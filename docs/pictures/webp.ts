/** Puts pictures in WebP one after the other, as a moving one. */
export type Frame = {
  /** A still, as a browser writes it. */
  webp: Buffer
  /** Where it lies on the whole; both even. */
  x: number
  y: number
  width: number
  height: number
  ms: number
}

/** https://developers.google.com/speed/webp/docs/riff_container: it goes round for ever. */
export function toMovingWebp(width: number, height: number, frames: readonly Frame[]): Buffer {
  const animated = 0x02
  const chunks = [
    chunk(
      'VP8X',
      Buffer.concat([Buffer.from([animated, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]),
    ),
    chunk('ANIM', Buffer.alloc(6)),
    ...frames.map((frame) => chunk('ANMF', toMember(frame))),
  ]
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  return chunk('RIFF', body)
}

function toMember({ webp, x, y, width, height, ms }: Frame): Buffer {
  // It replaces what was there, and stays.
  const notBlended = 0x02
  const numbers = [x / 2, y / 2, width - 1, height - 1, ms].map(uint24)
  return Buffer.concat([...numbers, Buffer.from([notBlended]), bitsOf(webp)])
}

/** Without the head of the file, and without what only a file may have. */
function bitsOf(webp: Buffer): Buffer {
  const found: Buffer[] = []
  for (let at = 12; at < webp.length;) {
    const end = at + 8 + webp.readUInt32LE(at + 4)
    const padded = end + (end % 2)
    if (/VP8[ L]|ALPH/.test(webp.toString('latin1', at, at + 4)))
      found.push(webp.subarray(at, padded))
    at = padded
  }
  return Buffer.concat(found)
}

function chunk(name: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  return Buffer.concat([Buffer.from(name), size, data, Buffer.alloc(data.length % 2)])
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}
