// @ts-check
/**
 * A process that reads one picture from standard input and writes what is kept of it: an upright JPEG, and a
 * small one, without place, time, camera or anything else that is not seen. The only file that knows sharp.
 * It is not TypeScript, because node needs WebAssembly for that, which this process does without.
 */
import { fstatSync, readSync, writeSync } from 'node:fs'
import sharp from 'sharp'

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'],
})

const [asked] = process.argv.slice(2)
if (asked === undefined) writeAll(Buffer.from(`sharp ${sharp.versions.sharp}`))
else writeAll(await read(JSON.parse(asked)))

/**
 * @param {{ mostPixels: number, largeSide: number, smallSide: number }} limits
 * @returns {Promise<Buffer>}
 */
async function read({ mostPixels, largeSide, smallSide }) {
  try {
    // Pictures with transparency get a white ground.
    const bounds = /** @type {const} */ ({ limitInputPixels: mostPixels, failOn: 'error' })
    const picture = sharp(readInput(), { ...bounds, autoOrient: true })
    const large = await toJpeg(picture.flatten({ background: 'white' }), largeSide)
    // Made of the large one, which is read much faster.
    const small = await toJpeg(sharp(large.data), smallSide)
    const { width, height } = large.info
    const head = { width, height, bytes: large.data.length }
    return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), large.data, small.data])
  } catch (error) {
    return Buffer.from(`${JSON.stringify({ refused: refusalOf(/** @type {Error} */ (error)) })}\n`)
  }
}

/**
 * @param {import('sharp').Sharp} picture
 * @param {number} side
 */
function toJpeg(picture, side) {
  const size = /** @type {const} */ ({ width: side, height: side, fit: 'inside' })
  const smaller = picture.resize({ ...size, withoutEnlargement: true })
  return smaller.jpeg({ quality: 80 }).toBuffer({ resolveWithObject: true })
}

/**
 * libvips says only in words what is wrong.
 * @param {Error} error
 */
function refusalOf({ message }) {
  return /pixel limit|memory/i.test(message) ? 'too-large' : 'damaged'
}

/** The input is a file, whose position may be at its end. */
function readInput() {
  const input = Buffer.allocUnsafe(fstatSync(0).size)
  let at = 0
  for (let bytes = -1; at < input.length && bytes !== 0; at += bytes) {
    bytes = readSync(0, input, at, input.length - at, at)
  }
  return input.subarray(0, at)
}

/** @param {Buffer} bytes */
function writeAll(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at)
}
