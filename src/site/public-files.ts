/** Static files: drawings, icon, script. */
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { filesIn } from './files-in.ts'
import type { ImageSize } from './markdown.ts'

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
  /** Of an SVG, from its viewBox. */
  sizeOf: (path: string) => ImageSize | undefined
}

/** Skips files of an unknown type: they may be a note, a source, a backup. */
export function readPublicFiles(folder: string): PublicFiles {
  const list = filesIn(folder).flatMap((name) => {
    const type = types[extname(name)]
    if (type === undefined) return []
    return [
      { path: `/${name.replaceAll('\\', '/')}`, type, body: readFileSync(join(folder, name)) },
    ]
  })
  const byPath = new Map(list.map((file) => [file.path, file]))
  return {
    list,
    has: (path) => byPath.has(path),
    sizeOf(path) {
      const source = byPath.get(path)?.body.toString('utf8', 0, 1_000) ?? ''
      const [, width, height] = /<svg[^>]*viewBox="0 0 (\d+) (\d+)"/.exec(source) ?? []
      return width && height ? { width: Number(width), height: Number(height) } : undefined
    },
  }
}
