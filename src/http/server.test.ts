import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { patienceMs } from '../../test/support/patience.ts'
import { until } from '../../test/support/until.ts'
import { Proxies } from './client-address.ts'
import type { App, StreamSource } from './message.ts'
import { HttpServer } from './server.ts'

test('a stream comes in chunks, and the connection is used again', async (t) => {
  const { port, lines } = await serve(t, {
    '/stream': async function* () {
      yield 'spotted gum, '
      yield 'Merbau – 4 × 6 m'
    },
  })
  const socket = connect(port, '127.0.0.1')
  const last = 'GET /text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  socket.write(get('/stream') + last)
  const came = await text(socket)
  assert.match(came, /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\n/)
  assert.match(came, /\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nspotted gum, \r\n/)
  assert.match(came, /\r\nMerbau – 4 × 6 m\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  assert.match(came, /\r\n\r\nA text\.$/)
  assert.deepEqual(lines.toSorted(), ['GET /stream 200,"rows":2,"stream":"whole"', 'GET /text 200'])
})

test('a client of HTTP/1.0 gets the stream whole, and then the end of the connection', async (t) => {
  const { port } = await serve(t, {
    '/stream': async function* () {
      yield 'spotted '
      yield 'gum'
    },
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /stream HTTP/1.0\r\n\r\n')
  const came = await text(socket)
  assert.doesNotMatch(came, /Transfer-Encoding/)
  assert.match(came, /\r\n\r\nspotted gum$/)
})

test('the source is not read ahead of a client that does not read', async (t) => {
  const pieceBytes = 256 * 1024
  let made = 0
  let ended = false
  const { port, lines } = await serve(t, {
    '/endless': async function* () {
      try {
        for (;;) {
          made += 1
          yield 'x'.repeat(pieceBytes)
        }
      } finally {
        ended = true
      }
    },
    '/none': async function* () {
      yield ''
    },
  })
  const socket = open(port, '/endless')
  socket.pause()
  await untilStill(() => made)
  const madeUnread = made
  // What the systems of both sides hold, and one piece.
  assert.ok(madeUnread * pieceBytes < 64_000_000, `${madeUnread} pieces`)
  let read = 0
  socket.on('data', (chunk: Buffer) => (read += chunk.length)).resume()
  await until(() => made > madeUnread + 20, 'more is made for a client that reads')
  assert.ok(made * pieceBytes - read < 64_000_000 + 2 * pieceBytes)
  // Others are served beside a stream whose client takes all that comes.
  const other = open(port, '/text')
  await once(other, 'data')
  other.destroy()
  socket.destroy()
  await until(() => ended, 'the source is ended when the client is gone')
  await until(() => lines.length === 2, 'both are in the log')
  assert.deepEqual(lines, ['GET /text 200', 'GET /endless 200,"rows":2,"stream":"gone"'])
})

test('a source that waits is told that the client is gone', async (t) => {
  let waits = false
  let told = false
  const { port } = await serve(t, {
    '/live': async function* (ended) {
      yield 'hello'
      waits = true
      await once(ended, 'abort')
      told = true
    },
  })
  const socket = open(port, '/live')
  await until(() => waits, 'the source waits')
  socket.destroy()
  await until(() => told, 'the source was told')
})

test('a source that fails resets the connection, so that a part is not taken for the whole', async (t) => {
  const { port, failures } = await serve(t, {
    '/failing': async function* () {
      yield 'spotted '
      throw new Error('no database')
    },
  })
  for (const version of ['1.1', '1.0']) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /failing HTTP/${version}\r\nHost: a\r\n\r\n`)
    await assert.rejects(text(socket), { code: 'ECONNRESET' })
  }
  assert.deepEqual(failures, ['no database', 'no database'])
})

test('stopping the server ends streams at once, even one whose source does not answer', async (t) => {
  const { port, lines, failures, stop } = await serve(t, {
    '/stuck': async function* () {
      yield 'hello'
      await new Promise(() => {})
    },
    '/live': async function* (ended) {
      yield 'hello'
      await once(ended, 'abort')
    },
  })
  const sockets = [open(port, '/stuck'), open(port, '/live')]
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  const resets = sockets.map((socket) => once(socket, 'error'))
  // Far more than a test may take: it would not end if the streams were waited for.
  await stop(10 * patienceMs)
  for (const [error] of await Promise.all(resets)) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET')
  }
  await until(() => lines.length === 1, 'the source that was told has ended')
  assert.deepEqual([lines, failures], [['GET /live 200,"rows":2,"stream":"gone"'], []])
})

test('a client that reads slowly gets all of it, one that waits for more stays, one that reads nothing is shed', async (t) => {
  const pieces = 40
  const pieceBytes = 512 * 1024
  const readTimeoutMs = 600
  const { promise: said, resolve: sayAgain } = Promise.withResolvers<void>()
  const { port, lines } = await serve(
    t,
    {
      '/long': async function* () {
        for (let piece = 0; piece < pieces; piece += 1) yield 'x'.repeat(pieceBytes)
      },
      '/live': async function* () {
        yield 'hello'
        await said
        yield 'again'
      },
    },
    { readTimeoutMs },
  )
  const live = open(port, '/live')
  await once(live, 'data')
  const idle = open(port, '/long')
  idle.pause()
  const slow = open(port, '/long')
  const started = performance.now()
  let bytes = 0
  slow.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    slow.pause()
    // In all longer than nothing at all may be read.
    const due = (bytes / (pieces * pieceBytes)) * 2 * readTimeoutMs
    setTimeout(() => slow.resume(), Math.max(0, due - (performance.now() - started)))
  })
  await until(() => bytes > pieces * pieceBytes, 'the slow one has all of it')
  await until(() => lines.length === 2, 'the other was shed')
  assert.deepEqual(lines.toSorted(), [
    'GET /long 200,"rows":2,"stream":"gone"',
    'GET /long 200,"rows":2,"stream":"whole"',
  ])
  sayAgain()
  assert.match(String(await once(live, 'data')), /again/)
})

test('a crash, and an answer that cannot be sent, are logged; the client is told of the first', async (t) => {
  const { port, failures } = await serve(t, {})
  const crashed = connect(port, '127.0.0.1')
  crashed.write(get('/crash').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  assert.match(await text(crashed), /^HTTP\/1\.1 400 .*\r\n\r\nINTERNAL_ERROR$/s)
  const broken = connect(port, '127.0.0.1')
  broken.write(get('/line-break'))
  assert.equal(await text(broken), '')
  assert.equal(failures[0], 'crash')
  assert.match(failures[1]!, /Invalid character in header/)
})

test('a request that comes too slowly is told so, and one whose client is gone is forgotten', async (t) => {
  const { port, lines } = await serve(t, {}, { requestTimeoutMs: 5_000 })
  const half = 'POST /text HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel'
  const gone = connect(port, '127.0.0.1')
  gone.write(half, () => gone.destroy())
  const answers = ['GET /text HTTP/1.1\r\nHo', half].map((sent) => {
    const slow = connect(port, '127.0.0.1')
    slow.write(sent)
    return text(slow)
  })
  for (const answer of await Promise.all(answers)) {
    assert.match(answer, /^HTTP\/1\.1 400 .*\r\nConnection: close\r\n.*\r\n\r\nREQUEST_TIMEOUT$/s)
  }
  assert.deepEqual(lines, [])
})

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
}

function open(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(get(path))
  return socket
}

/** Until a number does not grow any more: what fills buffers takes no longer than this. */
async function untilStill(count: () => number): Promise<void> {
  let before = -1
  await until(async () => {
    const now = count()
    const isStill = now === before
    before = now
    if (!isStill) await new Promise((resolve) => setTimeout(resolve, 100))
    return isStill
  }, 'nothing more is made')
}

async function serve(
  t: TestContext,
  sources: Record<string, StreamSource>,
  { readTimeoutMs = 60_000, requestTimeoutMs = 60_000 } = {},
) {
  const lines: string[] = []
  const failures: string[] = []
  const headers = ['Content-Type', 'text/plain']
  const app: App = ({ path }) => {
    if (path === '/crash') throw new Error('crash')
    if (path === '/line-break') return { status: 200, headers: ['A', 'a\r\nB: b'], body: '' }
    const body = sources[path]
    if (body === undefined) return { status: 200, headers, body: 'A text.' }
    return { status: 200, headers, body, logFacts: { rows: 2 } }
  }
  const server = new HttpServer({
    app,
    refuse: (reason) => ({ status: 400, headers: [], body: reason }),
    answered: ({ method, path }, { status, logFacts }) => {
      // The port may have been that of another test's server, whose clients still ask.
      const isOurs = path === '/text' || path in sources
      if (isOurs) lines.push(`${method} ${path} ${status}${toLogText(logFacts)}`)
    },
    failed: (_id, error) => failures.push((error as Error).message),
    proxies: new Proxies([]),
    published: false,
    untrustedProxy() {},
    maxBodyBytes: 1_000,
    requestTimeoutMs,
    readTimeoutMs,
    maxConnectionsPerAddress: 100,
    everyAnswer: [],
  })
  const place = await server.listen({ host: '127.0.0.1', port: 0 })
  let stopped: Promise<void> | undefined
  const stop = (deadlineMs: number) => (stopped ??= server.stop(deadlineMs))
  t.after(() => stop(0))
  return { port: place.port, lines, failures, stop }
}

/** As JSON members, each after a comma. */
function toLogText(facts: object = {}): string {
  return Object.entries(facts)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('')
}
