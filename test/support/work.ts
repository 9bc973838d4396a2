/** A copy of content/ with finished jobs, a portrait and the words of a client. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { temporaryFolder, type Cleaner } from './service.ts'

const work = `
portrait:
  photo: sam.png
  alt: Sam with a level in his hand
jobs:
  - title: A deck around a tree
    place: Bangalow
    finished: autumn 2026
    words: The tree stayed & the deck went around it.
    photos:
      - photo: tree.png
        alt: A round hole in a deck, with a tree in it
        caption: Room to grow
      - photo: tree-2.png
        alt: The same deck from the lawn
clients:
  - words: He swept up every evening.
    name: Robin
    place: Lismore
`

export function contentWithWork(t: Cleaner, yaml = work): string {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  mkdirSync(join(folder, 'photos'))
  const photos: readonly [name: string, width: number, height: number][] = [
    ['sam.png', 600, 800],
    ['tree.png', 1600, 1000],
    ['tree-2.png', 900, 600],
  ]
  for (const [name, width, height] of photos) {
    writeFileSync(join(folder, 'photos', name), pngOf(width, height))
  }
  writeFileSync(join(folder, 'work.yaml'), yaml)
  return folder
}

export function pngOf(width: number, height: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits of grey, no interlace.
  head.writeUInt8(8, 8)
  const rows = Buffer.alloc((width + 1) * height, 0x80)
  for (let row = 0; row < height; row += 1) rows[row * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))])
}

/** The head of a photo from a phone. `orientation`: 6 for one on its side. `hasPlace`: with where it was taken. */
export function jpegHeadOf(
  width: number,
  height: number,
  { orientation = 1, hasPlace = false } = {},
): Buffer {
  const tags = `01120003000000010${orientation.toString(16).padStart(3, '0')}0000`
  const place = hasPlace ? '88250004000000010000001a' : ''
  const tiff = Buffer.from(`4d4d002a00000008000${hasPlace ? 2 : 1}${tags}${place}`, 'hex')
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, exif),
    segment(0xdb, Buffer.alloc(65)),
    segment(0xc2, frame),
  ])
}

function segment(marker: number, data: Buffer): Buffer {
  const length = data.length + 2
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 255]), data])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
