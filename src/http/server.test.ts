import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Proxies } from './client-address.ts'
import type { App, StreamSource } from './message.ts'
import { HttpServer } from './server.ts'
import { until } from '../../test/support/until.ts'

test('a stream comes in chunks, and the connection is used again', async (t) => {
  const { port, lines } = await serve(t, {
    '/stream': async function* () {
      yield 'spotted gum, '
      yield 'Merbau – 4 × 6 m'
    },
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(get('/stream') + lastGet('/text'))
  const came = await text(socket)
  assert.match(came, /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\n/)
  assert.match(came, /\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nspotted gum, \r\n/)
  assert.match(came, /\r\nMerbau – 4 × 6 m\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  assert.match(came, /\r\n\r\nA text\.$/)
  assert.deepEqual(lines.toSorted(), ['GET /stream 200,"rows":2,"stream":"whole"', 'GET /text 200'])
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

test('a crash, and an answer that cannot be sent, are logged; the client is told of the first', async (t) => {
  const { port, failures } = await serve(t, {})
  const crashed = connect(port, '127.0.0.1')
  crashed.write(lastGet('/crash'))
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

test('an upload that comes too slowly is told so', async (t) => {
  const held = holdAnswers()
  const { port } = await serve(t, {}, { held })
  const slow = connect(port, '127.0.0.1')
  slow.write('POST /file HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\nhel')
  assert.match(await text(slow), /^HTTP\/1\.1 400 .*REQUEST_TIMEOUT$/s)
})

test('a body of single bytes in chunks ends its connection and idle ones of its address; others are served', async (t) => {
  const held = holdAnswers()
  const { port } = await serve(t, {}, { held })
  const waiting = connect(port, '127.0.0.1')
  waiting.write(lastGet('/held'))
  await until(() => held.begun === 1, 'a request waits for its answer')
  const idle = connect(port, '127.0.0.1')
  idle.on('error', () => {}).write(get('/text'))
  await once(idle, 'data')
  const flood = connect(port, '127.0.0.1')
  flood.on('error', () => {})
  flood.write('POST /text HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  flood.write(`${'1\r\nx\r\n'.repeat(1_001)}0\r\n\r\n`)
  assert.equal(await text(flood).catch(() => ''), '')
  await until(() => idle.closed, 'the idle connection of its address is closed')
  held.release()
  assert.match(await text(waiting), /^HTTP\/1\.1 200 /)
  const ask = (localAddress: string) => {
    const next = connect({ port, host: '127.0.0.1', localAddress })
    next.write(lastGet('/text'))
    return text(next).catch(() => '')
  }
  assert.match(await ask('127.0.0.2'), /^HTTP\/1\.1 200 /)
  await until(async () => (await ask('127.0.0.1')) !== '', 'its address is served again')
})

test('a client has 64 requests under way on all its connections, and is cut off with the next', async (t) => {
  const held = holdAnswers()
  const { port } = await serve(t, {}, { held })
  const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'))
  const [fifth, ...four] = sockets.toReversed()
  for (const socket of four) socket.write(get('/held').repeat(16))
  await until(() => held.begun === 64, 'all have begun')
  fifth!.write(lastGet('/text'))
  assert.equal(await text(fifth!).catch(() => ''), '')
  held.release()
  for (const socket of four) {
    socket.write(lastGet('/text'))
    assert.equal((await text(socket)).match(/HTTP\/1\.1 200 /g)?.length, 17)
  }
})

test('an address that has 64 connections open gets no further one, however late', async (t) => {
  const held = holdAnswers()
  const { port } = await serve(t, {}, { held })
  const open = Array.from({ length: 64 }, () => connect(port, '127.0.0.1'))
  for (const socket of open) socket.write(get('/held'))
  await until(() => held.begun === open.length, 'all have begun')
  // The second is over in which it may open no further one either.
  await sleep(1_001)
  const oneMore = connect(port, '127.0.0.1')
  assert.equal(await text(oneMore).catch(() => ''), '')
  for (const socket of open) socket.destroy()
})

test('while so many pages as there may be are asked for, no further one is served, and what may be a lead is', async (t) => {
  const held = holdAnswers()
  const { port } = await serve(t, {}, { held, reads: 2 })
  const waiting = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const socket of waiting) socket.write(get('/held'))
  await until(() => held.begun === 2, 'both have begun')
  const ask = (head: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    return text(socket).catch(() => '')
  }
  assert.equal(await ask('GET /text'), '')
  assert.match(await ask('POST /text'), /^HTTP\/1\.1 200 /)
  held.release()
  await until(async () => (await ask('GET /text')) !== '', 'pages are served again')
  for (const socket of waiting) socket.destroy()
})

test('bodies that come slowly keep no page from anybody, however many they are', async (t) => {
  const held = holdAnswers()
  const { port } = await serve(t, {}, { held, reads: 2 })
  const slow = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'))
  for (const socket of slow) {
    socket.write('POST /file HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhel')
  }
  await until(() => held.begun === slow.length, 'all have begun')
  const reader = connect(port, '127.0.0.1')
  reader.write(lastGet('/text'))
  assert.match(await text(reader), /^HTTP\/1\.1 200 /)
  for (const socket of slow) socket.destroy()
})

/** Answers to `/held` that wait until they are released. */
function holdAnswers() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { begun: 0, released: promise, release: resolve }
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
}

function lastGet(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
}

async function serve(
  t: TestContext,
  sources: Record<string, StreamSource>,
  { requestTimeoutMs = 60_000, reads = 1_000, held = holdAnswers() } = {},
) {
  const lines: string[] = []
  const failures: string[] = []
  const headers = { 'Content-Type': 'text/plain' }
  const app: App = async ({ path }) => {
    if (path === '/held' || path === '/file') {
      held.begun += 1
      await held.released
    }
    if (path === '/crash') throw new Error('crash')
    if (path === '/line-break') return { status: 200, headers: { A: 'a\r\nB: b' }, body: '' }
    const body = sources[path]
    if (body === undefined) return { status: 200, headers, body: 'A text.' }
    return { status: 200, headers, body, logFacts: { rows: 2 } }
  }
  const server = new HttpServer({
    app,
    refuse: (reason) => ({ status: 400, headers: {}, body: reason }),
    answered: ({ method, path }, { status, logFacts }) => {
      // The port may have been that of another test's server, whose clients still ask.
      const isOurs = path === '/text' || path in sources
      if (isOurs) lines.push(`${method} ${path} ${status}${toLogText(logFacts)}`)
    },
    failed: (_id, error) => failures.push((error as Error).message),
    proxies: new Proxies([]),
    published: false,
    untrustedProxy() {},
    maxBodyBytes: 2_000,
    requestTimeoutMs,
    takesFile: ({ path }) => path === '/file',
    uploadLimits: { maxBytes: 100_000, leastBytesPerS: 20_000, graceMs: 0, longestMs: 300_000 },
    readTimeoutMs: 60_000,
    clientLimits: { perAddress: 64, reads },
    everyAnswer: {},
  })
  const place = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.stop(0))
  return { port: place!.port, lines, failures }
}

function toLogText(facts: object = {}): string {
  return Object.entries(facts)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('')
}
