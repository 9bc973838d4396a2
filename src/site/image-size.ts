/** Reads the size of a picture, and whether it says where it was taken. */
import { JPG } from 'image-size/types/jpg'
import { PNG } from 'image-size/types/png'
import { SVG } from 'image-size/types/svg'
import { WEBP } from 'image-size/types/webp'

export type ImageSize = { width: number; height: number }

/** A page shows these four. The whole library would load every other kind at each start. */
const shownKinds = [JPG, PNG, WEBP, SVG]

export function imageSizeOf(file: Buffer): ImageSize | undefined {
  try {
    const found = shownKinds.find((kind) => kind.validate(file))?.calculate(file)
    if (found === undefined) return undefined
    const { width, height, orientation = 1 } = found
    // Exif orientations 5 to 8, which phones use, turn the picture by 90 degrees.
    return orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    return undefined
  }
}

/** The Exif data of a photo may tell where it was taken, such as the home of a client. */
export function tellsPlace(file: Buffer): boolean {
  const head = file.toString('latin1', 0, 65_536)
  return head.includes('Exif\0') && place.test(head)
}

/** The Exif entry for GPS data in either byte order: tag 0x8825, type 4, count 1 (TIFF 6.0, section 2). */
// oxlint-disable-next-line no-control-regex
const place = /\x88\x25\0\x04\0\0\0\x01|\x25\x88\x04\0\x01\0\0\0/
