/** Reads content/work.yaml: the owner's portrait, finished jobs with their photos, words of clients. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
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

/** A file with nothing but notes in it is no work. */
export function readWork(contentDir: string, files: PublicFiles): Work {
  const file = join(contentDir, 'work.yaml')
  if (!existsSync(file)) return {}
  const work = workWith(files)
  const found = readShaped(file, (value, at) => (value === null ? [] : work(value, at)))
  return found ?? {}
}

function workWith(files: PublicFiles): ShapeCheck {
  const photo = shape({ photo: nameIn(files), alt: optional(text), caption: optional(text) })
  return shape({
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
}

function nameIn(files: PublicFiles): ShapeCheck {
  return (value, at) => {
    const problems = text(value, at)
    if (problems.length > 0) return problems
    if (files.sizeOf(photoPath(String(value))) !== undefined) return []
    return [
      { at, what: `names ${String(value)}, but there is no such picture in ${photosFolder}/` },
    ]
  }
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
