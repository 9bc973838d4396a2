/**
 * `npm run pictures` takes the pictures whose pages have changed, and writes down what they show;
 * `npm run pictures -- --all` takes all of them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { readPictureSources, recordFile } from '../../test/support/picture-sources.ts'
import { withCleaner } from './support.ts'

/** Each takes these pictures when it is loaded. */
const scripts: Readonly<Record<string, readonly string[]>> = {
  './make.ts': ['docs/pictures/contact.png', 'docs/pictures/mail.png'],
  './make-inbox.ts': ['inbox-list', 'inbox-lead', 'inbox-desk'].map(
    (name) => `docs/pictures/${name}.png`,
  ),
  './make-own.ts': ['docs/pictures/own-colours.png'],
  './make-moving.ts': ['docs/pictures/arrives.webp', 'docs/pictures/undo.webp'],
  './make-site.ts': ['public/share.png', 'public/apple-touch-icon.png', 'public/favicon.ico'],
}

const known = existsSync(recordFile)
  ? (JSON.parse(readFileSync(recordFile, 'utf8')) as Record<string, string>)
  : {}

await withCleaner(async (cleaner) => {
  const sources = await readPictureSources(cleaner)
  const isAged = (picture: string) =>
    process.argv.includes('--all') || known[picture] !== sources[picture]
  for (const [script, pictures] of Object.entries(scripts)) {
    const aged = pictures.filter(isAged)
    if (aged.length === 0) continue
    process.stdout.write(`${aged.join(', ')}\n`)
    await import(script)
  }
  writeFileSync(recordFile, `${JSON.stringify(sources, undefined, 2)}\n`)
})
