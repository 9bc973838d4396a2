import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { jpegHeadOf, pngOf } from '../../test/support/work.ts'
import { imageSizeOf, tellsPlace } from './image-size.ts'

/** Pictures of 3 x 2 pixels, as Chromium's encoder writes them: lossy, lossless, and with a head of its own. */
const lossyWebp = 'UklGRjIAAABXRUJQVlA4ICYAAACQAQCdASoDAAIAAsBMJaACdLoAA5gA/uZp3xW+oGcg8WxSGpAAAA=='
const losslessWebp = 'UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQyyKXrP+BiOh/AAA='
const extendedWebp =
  'UklGRkQAAABXRUJQVlA4WAoAAAAQAAAAAgAAAQAAVlA4ICYAAACQAQCdASoDAAIAAsBMJaACdLoAA5gA/uZp3xW+oGcg8WxSGpAAAA=='

test('the size of a picture is read from its head, whatever its kind', () => {
  assert.deepEqual(imageSizeOf(pngOf(4, 3)), { width: 4, height: 3 })
  assert.deepEqual(imageSizeOf(jpegHeadOf(1600, 900)), { width: 1600, height: 900 })
  for (const webp of [lossyWebp, losslessWebp, extendedWebp]) {
    assert.deepEqual(imageSizeOf(Buffer.from(webp, 'base64')), { width: 3, height: 2 })
  }
  const drawing = readFileSync('public/drawings/decks.svg')
  assert.deepEqual(imageSizeOf(drawing), { width: 480, height: 300 })
})

test('a photo that a phone saved on its side has the size it is shown in', () => {
  assert.deepEqual(imageSizeOf(jpegHeadOf(1600, 900, { orientation: 6 })), {
    width: 900,
    height: 1600,
  })
})

test('a photo that tells where it was taken is found out', () => {
  assert.equal(tellsPlace(jpegHeadOf(1600, 900, { hasPlace: true })), true)
  assert.equal(tellsPlace(jpegHeadOf(1600, 900)), false)
  assert.equal(tellsPlace(pngOf(4, 3)), false)
})
