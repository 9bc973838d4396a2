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

function sizeOfJpeg(file: Buffer): ImageSize | undefined {
  const { frame, exif } = readJpeg(file)
  if (frame === undefined) return undefined
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)]
  // 5 to 8 are turned: phones save a portrait as a landscape on its side.
  const isTurned = (exif.get(exifTags.orientation) ?? 1) >= 5
  return isTurned ? { width: height, height: width } : { width, height }
}

/** Whether a photo holds the place where it was taken, such as the home of a client. */
export function tellsPlace(file: Buffer): boolean {
  try {
    return readJpeg(file).exif.has(exifTags.place)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

const exifTags = { orientation: 0x01_12, place: 0x88_25 }

/** Each tag of the first directory, with a number of 16 bits if it is one. */
type Exif = ReadonlyMap<number, number>

/** Walks from marker to marker (ITU T.81, B.1.1) to the frame header. */
function readJpeg(file: Buffer): { frame: Buffer | undefined; exif: Exif } {
  let exif: Exif = new Map()
  let at = 2
  if (file.readUInt16BE(0) !== 0xff_d8) return { frame: undefined, exif }
  while (file[at] === 0xff) {
    const marker = file[at + 1]!
    // Fill bytes may stand before a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    const end = at + 2 + file.readUInt16BE(at + 2)
    const segment = file.subarray(at + 4, end)
    if (marker === 0xe1) exif = new Map([...exif, ...readExif(segment)])
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { frame: segment, exif }
    at = end
  }
  return { frame: undefined, exif }
}

/** TIFF 6.0, section 2. */
function readExif(segment: Buffer): Exif {
  const tags = new Map<number, number>()
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0') return tags
  const tiff = segment.subarray(6)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  for (let entry = 0; entry < short(start); entry += 1) {
    const at = start + 2 + entry * 12
    tags.set(short(at), short(at + 8))
  }
  return tags
}
