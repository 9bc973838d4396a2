/** content/work.yaml: the owner's portrait, finished jobs with photos, and words of clients. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { html, type Html } from '../html.ts'
import { markdownList, toSlug, type PageBlock } from './markdown.ts'
import { sitePhotosFolder, type PublicFiles } from './public-files.ts'
import {
  andThen,
  listOf,
  matching,
  optional,
  readShaped,
  shape,
  prose,
  type ShapeCheck,
} from './yaml.ts'

/** `photo` is the name of a file in content/photos, or of a drawing of the program. */
export type WorkPhoto = { readonly photo: string; readonly alt?: string; readonly caption?: string }

export type Job = {
  readonly title: string
  readonly place?: string
  /** When the job was finished, in the owner's words. */
  readonly finished?: string
  readonly words?: string
  readonly photos: readonly WorkPhoto[]
}

export type Client = { readonly words: string; readonly name: string; readonly place?: string }

export type OwnWork = {
  readonly portrait?: WorkPhoto
  readonly jobs?: readonly Job[]
  readonly clients?: readonly Client[]
}

/** Returns `{}` if the file is missing or holds only YAML comments. */
export function readOwnWork(contentDir: string, files: PublicFiles): OwnWork {
  const file = join(contentDir, 'work.yaml')
  if (!existsSync(file)) return {}
  const work = workWith(files)
  const found = readShaped(file, (value, at) => (value === null ? [] : work(value, at)))
  return found ?? {}
}

function workWith(files: PublicFiles): ShapeCheck {
  const photo = shape({
    photo: pictureName(files),
    alt: optional(prose),
    caption: optional(prose),
  })
  return shape({
    portrait: optional(photo),
    jobs: optional(
      listOf(
        shape({
          title: prose,
          place: optional(prose),
          finished: optional(prose),
          words: optional(prose),
          photos: listOf(photo),
        }),
      ),
    ),
    clients: optional(listOf(shape({ words: prose, name: prose, place: optional(prose) }))),
  } satisfies Record<keyof OwnWork, ShapeCheck>)
}

const fileName = matching(
  /^[\w./-]+$/,
  'must be the name of a file without spaces, such as tree-deck.jpg',
)

function pictureName(files: PublicFiles): ShapeCheck {
  return andThen(fileName, (name: string, at) => {
    if (files.sizeOf(pathIn(files, name)) !== undefined) return []
    return [{ at, what: `names ${name}, but there is no such picture in ${sitePhotosFolder}/` }]
  })
}

export function photosOf({ portrait, jobs = [] }: OwnWork): WorkPhoto[] {
  return [...(portrait ? [portrait] : []), ...jobs.flatMap(({ photos }) => photos)]
}

function pathIn(files: PublicFiles, name: string): string {
  const photo = `/${sitePhotosFolder}/${name}`
  return files.has(photo) ? photo : files.shownFor(`/drawings/${name}`)
}

export function hasWork({ jobs = [], clients = [] }: OwnWork): boolean {
  return jobs.length > 0 || clients.length > 0
}

export const workPath = '/work/'
const mostOnHome = 3

export function workBlocks(work: OwnWork, files: PublicFiles): Record<string, PageBlock> {
  const { portrait, jobs = [], clients = [] } = work
  const latest = jobs.slice(0, mostOnHome)
  return {
    work: {
      markdown: [
        ...jobs.map((job) => jobInMarkdown(job, files)),
        ...clientsInMarkdown(clients),
      ].join('\n\n'),
    },
    'client-words': { markdown: clients.slice(0, 1).map(clientInMarkdown).join('') },
    'latest-work': latest.length === 0 ? { markdown: '' } : latestBlock(latest, files),
    portrait: { markdown: portrait === undefined ? '' : photoInMarkdown(portrait, files) },
  }
}

function latestBlock(latest: readonly Job[], files: PublicFiles): PageBlock {
  const cards = latest.map((job) => cardOf(job, files))
  const lines = cards.map(({ title, text }) => `[${title}](${workPath}): ${text}`)
  return {
    markdown: `### ${latestTitle}\n\n${markdownList(lines)}`,
    html: html`<h3>${latestTitle}</h3>
${cardList(cards)}`.text,
  }
}

const latestTitle = 'Finished lately'

function jobInMarkdown(job: Job, files: PublicFiles): string {
  const parts = [`## ${job.title}`, whereAndWhen(job), job.words?.trim() ?? '']
  const photos = job.photos.map((photo) => photoInMarkdown(photo, files))
  return [...parts, ...photos].filter(Boolean).join('\n\n')
}

function whereAndWhen({ place, finished }: Job): string {
  return [place, finished].filter(Boolean).join(', ')
}

function photoInMarkdown({ photo, alt = '', caption = '' }: WorkPhoto, files: PublicFiles): string {
  const image = `![${alt.replaceAll(/[[\]]/g, String.raw`\$&`)}](${pathIn(files, photo)})`
  return `${image}\n${caption.replaceAll(/\s+/g, ' ')}`.trim()
}

function clientsInMarkdown(clients: readonly Client[]): string[] {
  return clients.length === 0 ? [] : ['## In their words', ...clients.map(clientInMarkdown)]
}

function clientInMarkdown({ words, name, place }: Client): string {
  const lines = words.trim().split('\n')
  return [...lines, '', [name, place].filter(Boolean).join(', ')]
    .map((line) => `> ${line}`.trim())
    .join('\n')
}

export type Card = { path: string; image: Html; title: string; text: string }

function cardOf(job: Job, files: PublicFiles): Card {
  const { photo, alt } = job.photos[0]!
  const path = `${workPath}#${toSlug(job.title)}`
  const image = files.picture(pathIn(files, photo), { alt })
  return { path, image, title: job.title, text: whereAndWhen(job) }
}

export function cardList(cards: readonly Card[]): Html {
  const items = cards.map(
    ({ path, image, title, text }) => html`<li><a href="${path}">${image}
<h3 class="card-title">${title}</h3>
<p class="card-text">${text}</p></a></li>`,
  )
  return html`<ul class="cards">${items}</ul>`
}
