/** Reads content/work.yaml: the owner's portrait, finished jobs with their photos, words of clients. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ContentFault, lineAt } from './fault.ts'
import type { PublicFiles } from './public-files.ts'
import { photosFolder } from './public-files.ts'
import { listOf, optional, readShaped, shape, text } from './shape.ts'
import type { ShapeCheck } from './shape.ts'

/** `photo`: the name of a file in content/photos. Without `alt` the start warns. */
export type Photo = { readonly photo: string; readonly alt?: string; readonly caption?: string }

export type Job = {
  readonly title: string
  readonly place?: string
  /** When it was finished, as the owner would say it. */
  readonly finished?: string
  readonly words?: string
  readonly photos: readonly Photo[]
}

export type Client = { readonly words: string; readonly name: string; readonly place?: string }

export type Work = {
  readonly portrait?: Photo
  readonly jobs?: readonly Job[]
  readonly clients?: readonly Client[]
}

const photo = shape({ photo: text, alt: optional(text), caption: optional(text) })

const work = shape({
  portrait: optional(photo),
  jobs: optional(
    listOf(
      shape({
        title: text,
        place: optional(text),
        finished: optional(text),
        words: optional(text),
        photos: listOf(photo),
      }),
    ),
  ),
  clients: optional(listOf(shape({ words: text, name: text, place: optional(text) }))),
} satisfies Record<keyof Work, ShapeCheck>)

/** A file with nothing but notes in it is no work. */
export function readWork(contentDir: string, files: PublicFiles): Work {
  const file = join(contentDir, 'work.yaml')
  if (!existsSync(file)) return {}
  const found = readShaped(file, (value, at) => (value === null ? [] : work(value, at)))
  const read = (found ?? {}) as Work
  for (const { photo: name } of photosOf(read)) {
    if (files.sizeOf(photoPath(name)) !== undefined) continue
    const line = lineAt(...placeOf(file, name))
    throw new ContentFault(file, line, `there is no picture ${name} in ${photosFolder}/`)
  }
  return read
}

export function photosOf({ portrait, jobs = [] }: Work): Photo[] {
  return [...(portrait ? [portrait] : []), ...jobs.flatMap(({ photos }) => photos)]
}

export function photoPath(name: string): string {
  return `/${photosFolder}/${name}`
}

/** Whether there is anything for a page of its own. */
export function hasWork({ jobs = [], clients = [] }: Work): boolean {
  return jobs.length > 0 || clients.length > 0
}

function placeOf(file: string, name: string): [text: string, index: number] {
  const source = readFileSync(file, 'utf8')
  return [source, source.indexOf(name)]
}
