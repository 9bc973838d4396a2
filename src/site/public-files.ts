/** Static files: drawings, icons, script; and the owner's own files and photos. */
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { filesIn } from './files-in.ts'
import { imageSizeOf } from './image-size.ts'
import type { ImageSize } from './image-size.ts'

const types: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
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
  return {
    list,
    has: (path) => byPath.has(path),
    sizeOf(path) {
      const file = byPath.get(path)
      return file?.type.startsWith('image/') ? imageSizeOf(file.body) : undefined
    },
  }
}

function readFolder(folder: string, under: string): PublicFile[] {
  return filesIn(folder).flatMap((name) => {
    const type = types[extname(name)]
    if (type === undefined) return []
    const path = `${under}${name.replaceAll('\\', '/')}`
    return [{ path, type, body: readFileSync(join(folder, name)) }]
  })
}
