import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { after } from 'node:test'
import { crc32 } from 'node:zlib'
import type { Receipt } from '../../src/contract/receipt.ts'
import { photosFolder } from '../../src/store/photos/pictures.ts'
import { executeInFile } from '../support/engines.ts'
import { startServiceHere } from '../support/service-here.ts'
import { postLead, temporaryFolder } from '../support/service.ts'
import { aboutPhotos, sharp } from '../support/sharp.ts'
import { until } from '../support/until.ts'

const dataDir = temporaryFolder({ after })
const service = await startServiceHere({ after }, { dataDir, photos: true })
const wendy = {
  name_1: 'Wendy Example',
  email_1: 'wendy@example.com',
  textarea_1: 'A deck beside the lemon tree.',
}

/** A lawn of this shade, taken with the phone turned, and with the place where it was taken. */
async function phonePhoto(shade: number): Promise<Buffer> {
  const lawn = {
    width: 80,
    height: 60,
    channels: 3,
    background: { r: shade, g: 150, b: 40 },
  } as const
  const place = { GPSLatitudeRef: 'S', GPSLatitude: '33/1 52/1 0/1' }
  const taken = await sharp({ create: lawn })
    .withExif({ IFD0: { Make: 'Quux' }, IFD3: place })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  assert.ok(taken.includes('Quux'))
  return taken
}

/** A PNG whose head names another size than its picture has. */
function sayingSize(png: Buffer, { width, height }: { width: number; height: number }): Buffer {
  const changed = Buffer.from(png)
  changed.writeUInt32BE(width, 16)
  changed.writeUInt32BE(height, 20)
  changed.writeUInt32BE(crc32(changed.subarray(12, 29)), 29)
  return changed
}

/** The same of a progressive JPEG, which is refused before its reader looks further than the head. */
function sayingSizeInFrame(jpeg: Buffer, { width, height }: { width: number; height: number }) {
  const changed = Buffer.from(jpeg)
  const frame = changed.indexOf(Buffer.from([0xff, 0xc2]))
  changed.writeUInt16BE(height, frame + 5)
  changed.writeUInt16BE(width, frame + 7)
  return changed
}

test(
  'an agent follows photos_url from the receipt, adds a photo, and removes it; the place is gone',
  aboutPhotos,
  async () => {
    const { status_url: receipt } = await request(1)
    const { photos_url: photosUrl = '' } = await readReceipt(receipt)
    const photo = await phonePhoto(10)
    const added = await send(photosUrl, photo)
    assert.equal(added.status, 200)
    const [kept] = ((await added.json()) as Receipt).photos!

    const picture = await fetch(here(kept!.url))
    const expected = {
      'content-type': 'image/jpeg',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    }
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(picture.headers.get(name), value)
    }
    assert.match(picture.headers.get('content-security-policy')!, /default-src 'none'; sandbox/)
    const bytes = Buffer.from(await picture.arrayBuffer())
    const { width, height, exif, format } = await sharp(bytes).metadata()
    assert.deepEqual([width, height, exif, format], [60, 80, undefined, 'jpeg'])

    const { status_url: other } = await request(2)
    const elsewhere = kept!.url.replace(new URL(receipt).pathname, new URL(other).pathname)
    assert.equal((await fetch(here(elsewhere))).status, 404)

    const more = await send(photosUrl, await phonePhoto(15))
    const [, second] = ((await more.json()) as Receipt).photos!
    const repeated = (await (await send(photosUrl, photo)).json()) as Receipt
    assert.equal(repeated.photos!.length, 2, 'the same photo is kept once')
    assert.equal(repeated.photos!.at(-1)!.url, kept!.url, 'the photo of the answer is the last one')
    await fetch(here(second!.remove_url), { method: 'POST', headers: asJson })

    const removed = await fetch(here(kept!.remove_url), { method: 'POST', headers: asJson })
    assert.equal(((await removed.json()) as Receipt).photos, undefined)
    const gone = await fetch(here(kept!.url))
    const removedAgain = await fetch(here(kept!.remove_url), { method: 'POST', headers: asJson })
    for (const answer of [gone, removedAgain]) {
      assert.equal(answer.status, 404)
      assert.match(await answer.text(), /The request has no such photo/)
    }
    assert.deepEqual(readdirSync(photosFolder(dataDir)), [])
  },
)

test(
  'what is no photo gets a sentence of its own, and the service stays well',
  aboutPhotos,
  async () => {
    const { status_url: receipt } = await request(3)
    const url = `${receipt}/photos`
    const jpeg = await phonePhoto(20)
    const wide = sayingSize(readFileSync('public/share.png'), { width: 50_000, height: 700 })
    const progressive = await sharp(jpeg)
      .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
      .toBuffer()
    const deep = sayingSizeInFrame(progressive, { width: 6_000, height: 5_000 })
    const tries: [string, Buffer, number, string][] = [
      ['a page', Buffer.from('<script>alert(1)</script>'), 415, 'PHOTO_TYPE'],
      ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'PHOTO_TYPE'],
      ['an iPhone file', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0'), 415, 'PHOTO_HEIC'],
      ['nothing', Buffer.alloc(0), 415, 'PHOTO_TYPE'],
      ['cut off', jpeg.subarray(0, jpeg.length - 100), 422, 'PHOTO_UNREADABLE'],
      [
        'a JPEG in its first bytes only',
        Buffer.concat([jpeg.subarray(0, 12), wide]),
        422,
        'PHOTO_UNREADABLE',
      ],
      ['more than 30 megapixels', wide, 413, 'PHOTO_TOO_LARGE'],
      ['more than the memory of its reader', deep, 413, 'PHOTO_TOO_LARGE'],
      ['too large', Buffer.alloc(12_000_001), 413, 'PHOTO_TOO_LARGE'],
    ]
    for (const [name, body, status, code] of tries) {
      const answer = await send(url, body)
      const { error } = (await answer.json()) as { error: { code: string } }
      assert.deepEqual([answer.status, error.code], [status, code], name)
    }
    assert.equal((await readReceipt(receipt)).photos, undefined)
  },
)

test('two files in one form are refused with words, and none is kept', aboutPhotos, async () => {
  const { status_url: receipt } = await request(6)
  const body = new FormData()
  for (const shade of [60, 70]) {
    const file = new Uint8Array(await phonePhoto(shade))
    body.append('photo', new File([file], 'lawn.jpg', { type: 'image/jpeg' }))
  }
  const url = here(`${receipt}/photos`)
  const answer = await fetch(url, { method: 'POST', body, headers: asJson })
  assert.equal(answer.status, 422)
  assert.match(await answer.text(), /SEVERAL_PHOTOS.*Send each photo in a request of its own/)
  assert.equal((await readReceipt(receipt)).photos, undefined)
})

test('a form that breaks off, or is no form, is refused at once', aboutPhotos, async () => {
  const { status_url: receipt } = await request(8)
  const head = 'Content-Disposition: form-data; name="photo"; filename="lawn.jpg"'
  // busboy by itself never ends the last one.
  const bodies = [
    `--end\r\n${head}\r\n\r\nHalf a lawn`,
    `--end\r\n${head}\r\n--end--`,
    `\r\n--end--\r\n--end\r\n--end\r\n${head}\r\nX:\r\n\r\n\n`,
  ]
  for (const body of bodies) {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=end', ...asJson }
    const answer = await fetch(here(`${receipt}/photos`), { method: 'POST', headers, body })
    assert.equal(answer.status, 415)
    assert.match(await answer.text(), /PHOTO_TYPE/)
  }
  assert.equal((await readReceipt(receipt)).status, 'received')
})

test(
  'a third photo at a time is told to wait some seconds, in words about photos',
  aboutPhotos,
  async (t) => {
    const { status_url: receipt } = await request(7)
    const headers = { 'Content-Type': 'image/jpeg', 'Content-Length': 1_000_000, ...asJson }
    const slow = [1, 2, 3].map(() => {
      const upload = httpRequest(here(`${receipt}/photos`), { method: 'POST', headers })
      upload.on('error', () => {})
      upload.write('the first bytes')
      t.after(() => upload.destroy())
      return upload
    })
    const answers = slow.map(
      async (upload) => (await once(upload, 'response')) as [IncomingMessage],
    )
    const [refused] = await Promise.any(answers)
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '5'])
    assert.match(await text(refused), /PHOTOS_BUSY.*Many photos are coming in/)
    for (const upload of slow) upload.destroy()
    const isLookedAt = async () =>
      (await send(`${receipt}/photos`, Buffer.from('no photo'))).status === 415
    await until(isLookedAt, 'a place is free')
  },
)

test(
  'without scripts a form sends one photo at a time, and shows what was wrong with one',
  aboutPhotos,
  async () => {
    const { status_url: receipt } = await request(4)
    const page = { Accept: 'text/html' }
    const form = (file: Buffer) => {
      const body = new FormData()
      body.set('photo', new File([new Uint8Array(file)], 'lawn.jpg', { type: 'image/jpeg' }))
      return fetch(here(`${receipt}/photos`), {
        method: 'POST',
        body,
        headers: page,
        redirect: 'manual',
      })
    }
    const sent = await form(await phonePhoto(30))
    assert.equal(sent.status, 303)
    assert.match(sent.headers.get('location')!, /^\/receipt\/[0-9a-f]+#photos$/)
    const shown = await (await fetch(here(receipt), { headers: page })).text()
    assert.match(shown, /alt="Photo 1 of 1, from you"/)
    const [kept] = (await readReceipt(receipt)).photos!
    const options = { method: 'POST', headers: page, redirect: 'manual' } as const
    const removed = await fetch(here(kept!.remove_url), options)
    assert.match(removed.headers.get('location')!, /#photos$/)
    const refused = await form(Buffer.from('no photo'))
    assert.equal(refused.status, 415)
    assert.match(await refused.text(), /role="alert"[^>]*>That is no photo that can be read here\./)
  },
)

test('a request has six photos of its sender, and a seventh is told so', aboutPhotos, async () => {
  const { status_url: receipt } = await request(5)
  assert.equal((await send(`${receipt}/photos`, await phonePhoto(35))).status, 200)
  // Four more, without the process that reads each.
  await executeInFile(
    join(dataDir, 'leads.sqlite'),
    `insert into photo select photo.id || n, lead_id, origin, member_id, at, hash || n, small_hash, bytes, width,
      height, removed_at from photo, (select 2 as n union select 3 union select 4 union select 5)
      where lead_id = (select id from lead where email = 'wendy5@example.com')`,
  )
  assert.equal((await send(`${receipt}/photos`, await phonePhoto(70))).status, 200)
  assert.equal((await readReceipt(receipt)).photos_url, undefined)
  const page = await (await fetch(here(receipt), { headers: { Accept: 'text/html' } })).text()
  assert.doesNotMatch(page, /photos\.js/, 'no form, no script')
  const seventh = await send(`${receipt}/photos`, await phonePhoto(250))
  assert.equal(seventh.status, 409)
  assert.match(await seventh.text(), /ENOUGH_PHOTOS/)
})

const asJson = { Accept: 'application/json' }

async function request(number: number) {
  const email = `wendy${number}@example.com`
  const answer = await postLead(service.url, { ...wendy, email_1: email })
  return (await answer.json()) as { status_url: string }
}

async function readReceipt(url: string): Promise<Receipt> {
  return (await (await fetch(here(url), { headers: asJson })).json()) as Receipt
}

function send(url: string, body: Buffer) {
  return sendTo(here(url), body)
}

function sendTo(url: string, body: Buffer) {
  const headers = { 'Content-Type': 'image/jpeg', ...asJson }
  return fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
}

/** BASE_URL is not the address on which the service listens. */
function here(url: string): string {
  return service.url + new URL(url).pathname
}

test(
  'where the room for photos is used up, one is refused with a sentence, and leads go on',
  aboutPhotos,
  async (t) => {
    const place = { dataDir: temporaryFolder(t) }
    const full = await startServiceHere(t, { ...place, env: { PHOTO_SPACE: '1' } })
    const url = `${full.url}${await receiptPath(full.url)}/photos`
    assert.equal((await sendTo(url, await phonePhoto(100))).status, 200)
    const database = join(place.dataDir, 'leads.sqlite')
    await executeInFile(database, 'update photo set bytes = 1000000')
    const refused = await sendTo(url, await phonePhoto(90))
    assert.equal(refused.status, 503)
    assert.match(await refused.text(), /NO_ROOM_FOR_PHOTOS.*by email/)
    assert.equal((await postLead(full.url, wendy)).status, 200)

    const without = await startServiceHere(t, {
      dataDir: temporaryFolder(t),
      env: { PHOTO_SPACE: '0' },
    })
    const receipt = await fetch(without.url + (await receiptPath(without.url)), { headers: asJson })
    assert.equal(((await receipt.json()) as Receipt).photos_url, undefined)
  },
)

async function receiptPath(url: string): Promise<string> {
  const answer = (await (await postLead(url, wendy)).json()) as { status_url: string }
  return new URL(answer.status_url).pathname
}
