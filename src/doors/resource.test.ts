import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { inert } from '../http/answers.ts'
import type { Answer, Ask, WholeAnswer } from '../http/message.ts'
import { createResource } from './resource.ts'

const words = 'A deck of spotted gum – four by six metres. '.repeat(40)
const about = {
  type: 'text/plain; charset=utf-8',
  policy: { ...inert(), Vary: 'Accept-Encoding' },
}

test('every encoding carries the same words, under an ETag of its own', async () => {
  const resource = createResource({ body: words, ...about })
  const answers: WholeAnswer[] = []
  for (const encoding of ['identity', 'br', 'zstd', 'gzip']) {
    answers.push(await resource(asking({ 'accept-encoding': encoding })))
  }
  const [plain, br, zstd, gzip] = answers.map(({ body }) => Buffer.from(body))
  assert.equal(plain!.toString(), words)
  assert.equal(brotliDecompressSync(br!).toString(), words)
  assert.equal(zstdDecompressSync(zstd!).toString(), words)
  assert.equal(gunzipSync(gzip!).toString(), words)
  assert.equal(new Set(answers.map((answer) => header(answer, 'ETag'))).size, 4)
})

test('a photo is sent as it is: it is compressed already', async () => {
  const photo = randomBytes(2_000)
  const resource = createResource({ body: photo, ...about })
  const answer = await resource(asking({ 'accept-encoding': 'br, gzip' }))
  assert.deepEqual([header(answer, 'Content-Encoding'), answer.body], [undefined, photo])
})

test('a client that has it already gets 304, with the headers that count', async () => {
  const resource = createResource({ body: words, ...about })
  const etag = header(await resource(asking({})), 'ETag')!
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await resource(asking({ 'if-none-match': known }))
    assert.deepEqual(
      [answer.status, answer.body, answer.headers],
      [304, '', { Vary: 'Accept-Encoding', ETag: etag }],
    )
  }
  assert.equal((await resource(asking({ 'if-none-match': '"other"' }))).status, 200)
})

test('the ETag of one encoding does not stand for another', async () => {
  const resource = createResource({ body: words, ...about })
  const etag = header(await resource(asking({ 'accept-encoding': 'br' })), 'ETag')!
  const asGzip = await resource(asking({ 'accept-encoding': 'gzip', 'if-none-match': etag }))
  assert.equal(asGzip.status, 200)
})

function asking(headersOfIt: Record<string, string>): Ask {
  return {
    id: '1',
    method: 'GET',
    path: '/',
    query: '',
    headers: headersOfIt,
    body: Buffer.alloc(0),
    address: { network: '127.0.0.1', local: true },
  }
}

function header(answer: Answer, name: string): string | undefined {
  return answer.headers[name]
}
