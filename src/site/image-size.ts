/** The size of a picture, from the first bytes of its file: SVG, PNG, JPEG and WebP. */
export type ImageSize = { width: number; height: number }

/** `undefined`: it is no such picture, or it is damaged. */
export function imageSizeOf(file: Buffer): ImageSize | undefined {
  try {
    return sizeOfPng(file) ?? sizeOfWebp(file) ?? sizeOfJpeg(file) ?? sizeOfSvg(file)
  } catch (error) {
    // The file ends too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function sizeOfSvg(file: Buffer): ImageSize | undefined {
  const source = file.toString('utf8', 0, 1_000)
  const [, width, height] = /<svg[^>]*viewBox="0 0 (\d+) (\d+)"/.exec(source) ?? []
  return width && height ? { width: Number(width), height: Number(height) } : undefined
}

/** RFC 2083, 3.1 and 4.1.1. */
function sizeOfPng(file: Buffer): ImageSize | undefined {
  if (file.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
}

/** RFC 9649: simple lossy, simple lossless, and extended. */
function sizeOfWebp(file: Buffer): ImageSize | undefined {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP')
    return undefined
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = file.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Walks from marker to marker (ITU T.81, B.1.1) to the frame header, and heeds how it is turned. */
function sizeOfJpeg(file: Buffer): ImageSize | undefined {
  if (file.readUInt16BE(0) !== 0xff_d8) return undefined
  let isTurned = false
  for (let at = 2; ;) {
    if (file[at] !== 0xff) return undefined
    const marker = file[at + 1]!
    // Fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    const length = file.readUInt16BE(at + 2)
    if (marker === 0xe1) isTurned ||= isTurnedBy(file.subarray(at + 4, at + 2 + length))
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) {
      const [height, width] = [file.readUInt16BE(at + 5), file.readUInt16BE(at + 7)]
      return isTurned ? { width: height, height: width } : { width, height }
    }
    at += 2 + length
  }
}

/** Exif's Orientation, 5 to 8: phones save a portrait as a landscape on its side. */
function isTurnedBy(exif: Buffer): boolean {
  if (exif.toString('latin1', 0, 6) !== 'Exif\0\0') return false
  const tiff = exif.subarray(6)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  for (let entry = 0; entry < short(start); entry += 1) {
    const at = start + 2 + entry * 12
    if (short(at) === 0x01_12) return short(at + 8) >= 5
  }
  return false
}
