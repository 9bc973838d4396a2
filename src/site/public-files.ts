/** The files that are served as they are: the program's, the owner's, and photos. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { html, type Html } from '../html.ts'
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

export const sitePhotosFolder = 'photos'
const photoName = /^\/photos\/(.+)\.(?:jpe?g|png|webp)$/i
/** The mark beside the name of the business. */
export const markPath = '/drawings/mark.svg'
const drawingName = /^\/drawings\/(.+)\.svg$/

export class PublicFiles {
  readonly list: readonly PublicFile[]
  /** Probably photos, but not served, because their ending is not in `types`. */
  readonly skippedPhotos: readonly string[]
  readonly #byPath: ReadonlyMap<string, PublicFile>
  readonly #ofProgram: ReadonlySet<PublicFile>
  /** The paths of the owner's photos, by the name of the file without its ending. */
  readonly #photos: ReadonlyMap<string, string>

  constructor(ownFolder: string, contentDir: string) {
    const photos = join(contentDir, sitePhotosFolder)
    const ofProgram = readFolder(ownFolder, '/')
    const all = [
      ...ofProgram,
      // The owner's files replace files of the program with the same path.
      ...readFolder(join(contentDir, 'public'), '/'),
      ...readFolder(photos, `/${sitePhotosFolder}/`),
    ]
    this.#byPath = new Map(all.map((file) => [file.path, file]))
    this.list = [...this.#byPath.values()]
    this.#ofProgram = new Set(ofProgram)
    const own = this.list.filter(({ path }) => photoName.test(path))
    this.#photos = new Map(own.map(({ path }) => [photoName.exec(path)![1]!, path]))
    this.skippedPhotos = filesIn(photos).filter((name) => !/^\.|\.md$/.test(name) && !typeOf(name))
  }

  /** A drawing of the program belongs to its example; another site has only those that a page shows. */
  isSpare(path: string): boolean {
    const file = this.#byPath.get(path)
    if (file === undefined || path === markPath || !drawingName.test(path)) return false
    return this.#ofProgram.has(file)
  }

  has(path: string): boolean {
    return this.#byPath.has(path)
  }

  /** `undefined` if the file is missing or no picture. */
  sizeOf(path: string): ImageSize | undefined {
    const file = this.#byPath.get(path)
    return file?.type.startsWith('image/') ? imageSizeOf(file.body) : undefined
  }

  /** A photo replaces the drawing of its name: photos/sam.jpg is shown for drawings/sam.svg. */
  shownFor(path: string): string {
    const [, name = ''] = drawingName.exec(path) ?? []
    return this.#photos.get(name) ?? path
  }

  /** The tag has the size of the picture, so that the page does not jump while the picture loads. */
  picture(named: string, options: { alt?: string | undefined; isLazy?: boolean } = {}): Html {
    const { alt = '', isLazy = true } = options
    const path = this.shownFor(named)
    const size = this.sizeOf(path)
    const room = size ? html` width="${size.width}" height="${size.height}"` : ''
    const lazy = isLazy ? html` loading="lazy"` : ''
    return html`<img src="${path}" alt="${alt}"${room}${lazy}>`
  }
}

/** Skips files of an unknown type, because they may be notes or backups. */
function readFolder(folder: string, under: string): PublicFile[] {
  return filesIn(folder).flatMap((name) => {
    const type = typeOf(name)
    if (type === undefined) return []
    const path = `${under}${name.replaceAll('\\', '/')}`
    return [{ path, type, body: readFileSync(join(folder, name)) }]
  })
}

/** Ignores the case of the file's ending, because cameras write JPG. */
function typeOf(name: string): string | undefined {
  return types[extname(name).toLowerCase()]
}

/** Sorted; [] if there is no such folder. A glob would take several times as long. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort()
}
