/** Reads the size of a picture from the first bytes of its file: SVG, PNG, JPEG and WebP. */
export type ImageSize = { width: number; height: number }

/** Returns `undefined` if the file is of another kind or damaged. */
export function imageSizeOf(file: Buffer): ImageSize | undefined {
  try {
    return sizeOfPng(file) ?? sizeOfWebp(file) ?? sizeOfJpeg(file) ?? sizeOfSvg(file)
  } catch (error) {
    // The file ends before the bytes that hold the size.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function sizeOfSvg(file: Buffer): ImageSize | undefined {
  const source = file.toString('utf8', 0, 1_000)
  const [, width, height] = /<svg[^>]*viewBox="0 0 (\d+) (\d+)"/.exec(source) ?? []
  return width && height ? { width: Number(width), height: Number(height) } : undefined
}

/** Reads a PNG (RFC 2083, 3.1 and 4.1.1). */
function sizeOfPng(file: Buffer): ImageSize | undefined {
  if (file.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
}

/** Reads a WebP (RFC 9649): simple lossy, simple lossless, or extended. */
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

function sizeOfJpeg(file: Buffer): ImageSize | undefined {
  const { frame, exif } = readJpeg(file)
  if (frame === undefined) return undefined
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)]
  // Exif orientations 5 to 8 swap width and height: phones save a portrait as a landscape on its side.
  return turned.test(exif) ? { width: height, height: width } : { width, height }
}

/** Whether the Exif data of a photo tells where it was taken, such as the home of a client. */
export function tellsPlace(file: Buffer): boolean {
  return place.test(readJpeg(file).exif)
}

// Patterns for Exif entries (TIFF 6.0, section 2): tag, type, count and value, in either byte order.
// oxlint-disable-next-line no-control-regex
const turned = /\x01\x12\0\x03\0\0\0\x01\0[\x05-\x08]|\x12\x01\x03\0\x01\0\0\0[\x05-\x08]\0/
// oxlint-disable-next-line no-control-regex
const place = /\x88\x25\0\x04\0\0\0\x01|\x25\x88\x04\0\x01\0\0\0/

/** Walks from marker to marker (ITU T.81, B.1.1) to the frame header. */
function readJpeg(file: Buffer): { frame: Buffer | undefined; exif: string } {
  let exif = ''
  let at = file[0] === 0xff && file[1] === 0xd8 ? 2 : file.length
  while (file[at] === 0xff && at + 4 <= file.length) {
    const marker = file[at + 1]!
    // Fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    const end = at + 2 + file.readUInt16BE(at + 2)
    const segment = file.subarray(at + 4, end)
    const words = marker === 0xe1 ? segment.toString('latin1') : ''
    if (words.startsWith('Exif\0')) exif += words
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { frame: segment, exif }
    at = end
  }
  return { frame: undefined, exif }
}
