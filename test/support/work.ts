/** A copy of content/ with finished jobs, a portrait and the words of a client. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleaner } from './cleaner.ts'
import { pngOf } from './picture.ts'
import { temporaryFolder } from './service.ts'

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
