/** Static files: drawings, icons, script; the owner's own files and photos; and a picture in a page. */
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { html, type Html } from '../html.ts'
import { filesIn } from './files-in.ts'
import { imageSizeOf, type ImageSize } from './image-size.ts'

const types: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain; charset=utf-8',
}

export type PublicFile = { path: string; type: string; body: Buffer }

export type PublicFiles = {
  list: readonly PublicFile[]
  has: (path: string) => boolean
  /** Of a picture. */
  sizeOf: (path: string) => ImageSize | undefined
  /** A picture and its copies in other widths, the smallest first. */
  widthsOf: (path: string) => { path: string; width: number }[]
  /** Files in content/photos of another type. */
  skippedPhotos: readonly string[]
}

/** Below content/: its files replace those of the program with the same path. */
export const ownFolder = 'public'
export const photosFolder = 'photos'

/** Skips files of an unknown type: they may be a note, a source, a backup. */
export function readPublicFiles(folder: string, contentDir: string): PublicFiles {
  const byPath = new Map<string, PublicFile>()
  const sources: readonly [folder: string, under: string][] = [
    [folder, '/'],
    [join(contentDir, ownFolder), '/'],
    [join(contentDir, photosFolder), `/${photosFolder}/`],
  ]
  for (const [source, under] of sources) {
    for (const file of existsSync(source) ? readFolder(source, under) : []) {
      byPath.set(file.path, file)
    }
  }
  const list = [...byPath.values()]
  const sizeOf = (path: string) => {
    const file = byPath.get(path)
    return file?.type.startsWith('image/') ? imageSizeOf(file.body) : undefined
  }
  // Only photos have copies.
  const photos = list.filter(({ path }) => path.startsWith(`/${photosFolder}/`))
  return {
    list,
    has: (path) => byPath.has(path),
    sizeOf,
    widthsOf: (path) => {
      const wanted = stemOf(path, sizeOf(path)?.width)
      return photos
        .map((file) => ({ path: file.path, width: sizeOf(file.path)?.width ?? 0 }))
        .filter((file) => stemOf(file.path, file.width) === wanted)
        .sort((a, b) => a.width - b.width)
    },
    skippedPhotos: namesIn(join(contentDir, photosFolder)).filter((name) => !typeOf(name)),
  }
}

/**
 * `deck-800.jpg` is the copy of `deck.jpg` that is 800 pixels wide. The number must be its width:
 * `deck-1.jpg` and `deck-2.jpg` are two pictures.
 */
function stemOf(path: string, width: number | undefined): string {
  return path.replace(/-(\d+)(?=\.\w+$)/, (end, digits) => (digits === String(width) ? '' : end))
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? filesIn(folder).filter((name) => !/^\.|\.md$/.test(name)) : []
}

/** Cameras write JPG as well. */
function typeOf(name: string): string | undefined {
  return types[extname(name).toLowerCase()]
}

function readFolder(folder: string, under: string): PublicFile[] {
  return filesIn(folder).flatMap((name) => {
    const type = typeOf(name)
    if (type === undefined) return []
    const path = `${under}${name.replaceAll('\\', '/')}`
    return [{ path, type, body: readFileSync(join(folder, name)) }]
  })
}

export type PictureFiles = Pick<PublicFiles, 'sizeOf' | 'widthsOf'>

/** With its size, so that nothing jumps, and its smaller copies. `sizes`: how wide it is shown, as in CSS. */
export function picture(
  { sizeOf, widthsOf }: PictureFiles,
  path: string,
  { alt = '', sizes, isLazy = true }: { alt?: string | undefined; sizes: string; isLazy?: boolean },
): Html {
  const size = sizeOf(path)
  const room = size ? html` width="${size.width}" height="${size.height}"` : ''
  const widths = widthsOf(path).map((each) => `${each.path} ${each.width}w`)
  const copies = widths.length > 1 ? html` srcset="${widths.join(', ')}" sizes="${sizes}"` : ''
  const lazy = isLazy ? html` loading="lazy"` : ''
  return html`<img src="${path}" alt="${alt}"${room}${copies}${lazy}>`
}
