import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { headersOf } from './answer.ts'
import type { WholeAnswer } from './message.ts'
import { keepAliveMs } from './head.ts'
import { createSendAnswer } from './send.ts'

const context = {
  id: 'abc-1',
  everyAnswer: Object.freeze(['Strict-Transport-Security', 'max-age=1']),
}
const fixed = Object.freeze(['Content-Type', 'text/plain', 'X-Content-Type-Options', 'nosniff'])

const answers: Record<string, WholeAnswer> = {
  'a text': { status: 200, fixedHeaders: fixed, body: 'Thank you.' },
  'the same headers again': { status: 404, fixedHeaders: fixed, body: 'Nothing here.' },
  'a text beyond ASCII': { status: 200, fixedHeaders: fixed, body: 'Merbau – 4 × 6 m 🌿' },
  'characters that stand for bytes': {
    status: 200,
    fixedHeaders: fixed,
    body: '\xe2\x80\x93',
    bytes: true,
  },
  bytes: { status: 200, fixedHeaders: fixed, body: Buffer.from([0, 1, 254, 255]) },
  'no body': {
    status: 303,
    fixedHeaders: fixed,
    headers: ['Location', '/thanks/', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
    body: '',
  },
  'nothing to be sent': { status: 204, headers: ['Allow', 'GET'], body: '' },
  'nothing new': { status: 304, headers: ['ETag', '"a"'], body: '' },
}

const heads = {
  'HTTP/1.1': 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'HTTP/1.1, closing': 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'HTTP/1.0': 'GET / HTTP/1.0\r\n\r\n',
  'HTTP/1.0, staying': 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  HEAD: 'HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'three at once': 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3),
}

test('an answer goes out byte for byte as node would write it', async () => {
  const sendAnswer = await senderThatComparedHeads()
  for (const [what, answer] of Object.entries(answers)) {
    for (const [how, head] of Object.entries(heads)) {
      const ours = await exchange(head, (response) => sendAnswer(response, answer, context, false))
      const nodes = await exchange(head, (response) => sendAsNodeDoes(response, answer))
      assert.equal(ours, nodes, `${what}, ${how}`)
    }
  }
})

test('a header that would break the head is refused', async () => {
  const sendAnswer = await senderThatComparedHeads()
  for (const broken of ['/thanks/\r\nSet-Cookie: a=1', '/\0', '/ł']) {
    let refused = false
    await exchange(heads['HTTP/1.1'], (response) => {
      const answer = { status: 303, headers: ['Location', broken], body: '' }
      assert.throws(() => sendAnswer(response, answer, context, false), {
        code: 'ERR_INVALID_CHAR',
      })
      refused = true
      response.destroy()
    })
    assert.ok(refused)
  }
})

test('only the first head is made by node, and the next ones are the same', async () => {
  const sent = await sendTwice(CountedResponse)
  assert.deepEqual([sent.differs, sent.writeHeads], [0, 1])
  assert.equal(sent.second, sent.first)
})

test('where node makes another head, node makes all of them, and that is told once', async () => {
  const sent = await sendTwice(LaterResponse)
  assert.deepEqual([sent.differs, sent.writeHeads], [1, 2])
  assert.match(sent.first, /\r\nX-Later: 1\r\n.*\r\n\r\nThank you\.$/s)
  assert.equal(sent.second, sent.first)
})

let writeHeads = 0

class CountedResponse<Asked extends IncomingMessage> extends ServerResponse<Asked> {
  override writeHead(...given: unknown[]): this {
    writeHeads += 1
    return super.writeHead(...(given as [number, string[]]))
  }
}

/** As a later version of node might do it. */
class LaterResponse<Asked extends IncomingMessage> extends CountedResponse<Asked> {
  override writeHead(status: number, headers: string[]): this {
    return super.writeHead(status, [...headers, 'X-Later', '1'])
  }
}

async function sendTwice(Response: typeof CountedResponse) {
  writeHeads = 0
  let differs = 0
  const sendAnswer = createSendAnswer(() => (differs += 1))
  const send = () =>
    exchange(
      heads['HTTP/1.1'],
      (response) => sendAnswer(response, answers['a text']!, context, false),
      Response,
    )
  const [first, second] = [await send(), await send()]
  return { first, second, differs, writeHeads }
}

/** It has made its first answer, and makes the heads itself from now on. */
async function senderThatComparedHeads() {
  const sendAnswer = createSendAnswer(() => assert.fail('the first heads differ'))
  await exchange(heads['HTTP/1.1'], (response) =>
    sendAnswer(response, answers['a text']!, context, false),
  )
  return sendAnswer
}

function sendAsNodeDoes(response: ServerResponse, answer: WholeAnswer): void {
  const { status, body, bytes } = answer
  const sent = typeof body === 'string' ? Buffer.from(body, bytes ? 'latin1' : 'utf8') : body
  const length = status === 204 || status === 304 ? [] : ['Content-Length', String(sent.length)]
  const all = [...headersOf(answer), ...context.everyAnswer, 'X-Request-Id', context.id, ...length]
  response.writeHead(status, all).end(sent)
}

/** Everything that comes back for what is sent, whatever the day. */
async function exchange(
  head: string,
  answer: (response: ServerResponse) => void,
  Response: typeof ServerResponse = ServerResponse,
): Promise<string> {
  const options = { keepAliveTimeout: keepAliveMs, ServerResponse: Response }
  const server = createServer(options, (_request, response) => answer(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.setEncoding('latin1')
  socket.end(head)
  const came = await text(socket)
  server.close()
  return came.replaceAll(/Date: [^\r]+/g, 'Date: …')
}
