/** The pictures of the documents show the pages as they are. */
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import test from 'node:test'
import { imageSizeOf } from '../src/site/image-size.ts'
import { readPictureSources, recordFile } from './support/picture-sources.ts'

const record = JSON.parse(readFileSync(recordFile, 'utf8')) as Record<string, string>

test('no page has changed since its picture was taken; npm run pictures takes them', async (t) => {
  const sources = await readPictureSources(t)
  assert.deepEqual(await readPictureSources(t), sources, 'the same pages give the same hashes')
  const aged = Object.keys(sources).filter((picture) => sources[picture] !== record[picture])
  assert.deepEqual(
    aged,
    [],
    `${aged.join(', ')} shows a page that has changed: run npm run pictures`,
  )
})

test('every picture of the documents is one that the scripts take, and small', () => {
  const pictures = globSync('docs/pictures/*.{png,webp}').sort()
  assert.deepEqual(
    pictures.filter((picture) => !(picture in record)),
    [],
  )
  for (const picture of pictures) {
    assert.ok(statSync(picture).size < 400_000, picture)
    assert.ok(imageSizeOf(readFileSync(picture))!.width > 300, picture)
  }
})
