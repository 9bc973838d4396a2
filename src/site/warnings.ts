/** What an owner should look at in his content, although the site can be shown as it is. */
import { fileURLToPath } from 'node:url'
import type { Business } from '../contract/business.ts'
import { readBusiness } from './business.ts'
import { tellsPlace } from './image-size.ts'
import type { Page } from './page.ts'
import type { PublicFiles } from './public-files.ts'
import { dialled } from './ring.ts'
import { photosOf, type Work } from './work.ts'

/** A phone on a slow line waits for it longer than anybody does. */
const heavyBytes = 400_000
/** From here on a phone wants a smaller copy. */
const widePx = 1_200

const mapPath = '/drawings/area.svg'

type WarningParts = {
  business: Business
  work: Work
  files: PublicFiles
  pages: readonly Page[]
}

/** Each a sentence that names the file and says what to do. */
export function contentWarnings({ business, work, files, pages }: WarningParts): string[] {
  const untitled = photosOf(work)
    .filter(({ alt }) => alt === undefined)
    .map(({ photo }) => `work.yaml: ${photo} has no alt: say in a sentence what the picture shows`)
  const skipped = files.skippedPhotos.map(
    (name) => `photos/${name} is of a kind that browsers do not show: save it as JPEG or WebP`,
  )
  const map = files.list.find(({ path }) => path === mapPath)
  const isShown = pages.some(({ main }) => main.text.includes(mapPath))
  // The map is a drawing, so it cannot follow business.yaml by itself.
  const drawn = map && isShown ? map.body.toString('utf8').replaceAll(/<[^>]*>/g, '') : undefined
  const undrawn = business.areas
    .filter(({ name }) => drawn !== undefined && !drawn.includes(name))
    .map(
      ({ name }) => `the map (public${mapPath}) does not name ${name}: draw it in, or replace it`,
    )
  return [...untitled, ...photoWarnings(files), ...skipped, ...undrawn]
}

function photoWarnings(files: PublicFiles): string[] {
  const photos = files.list.filter(({ path }) => path.startsWith('/photos/'))
  return photos.flatMap(({ path, body }) => {
    const name = path.slice(1)
    const width = files.sizeOf(path)?.width
    const isAlone = files.widthsOf(path).length < 2
    const found: [isSo: boolean, words: string][] = [
      [width === undefined, 'cannot be read as a picture: save it anew'],
      [
        body.length > heavyBytes,
        `is heavy (${Math.round(body.length / 1000)} kB): save it with ${heavyBytes / 1000} kB or less`,
      ],
      [
        width !== undefined && width > widePx && isAlone,
        `has no smaller copy for phones: add one such as ${name.replace(/(?:-\d+)?(\.\w+)$/, '-800$1')}`,
      ],
      [tellsPlace(body), 'tells where it was taken: save it without its location'],
    ]
    return found.filter(([isSo]) => isSo).map(([, words]) => `${name} ${words}`)
  })
}

const exampleFile = fileURLToPath(new URL('../../content/business.yaml', import.meta.url))

/** The facts that are still those of the example, with which every new site begins. Not told by the start: everybody's first start is with the example. */
export function exampleWarnings({ name, contact, privacy, security }: Business): string[] {
  const example = readBusiness(exampleFile)
  const emails = [contact, privacy, security].map(({ email }) => email)
  const left = [
    ...(name === example.name ? ['name'] : []),
    ...(dialled(contact.phone) === dialled(example.contact.phone) ? ['phone'] : []),
    ...(emails.some((email) => email.endsWith('@example.com')) ? ['email'] : []),
  ]
  if (left.length === 0) return []
  return [
    `business.yaml still has the example's ${left.join(', ')}: write your own before the site is public`,
  ]
}
