/** Bytes that no honest client sends, each with the one status it gets; and clients still sending, who can read theirs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect as connectTo } from 'node:net'
import test from 'node:test'
import { keepAliveMs } from '../../src/http/server.ts'
import { receivedReference } from '../support/load.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import {
  askOnce,
  askUntilServed,
  getRequest,
  jsonRequest,
  openWire,
  type WireAnswer,
} from '../support/wire.ts'
import { until } from '../support/until.ts'

const lead = '{"name_1":"Sam","email_1":"sam@example.com"}'
const length = `Content-Length: ${lead.length}`
const json = 'Content-Type: application/json'
const chunked = 'Transfer-Encoding: chunked'
const chunkedLead = `${lead.length.toString(16)}\r\n${lead}\r\n0\r\n\r\n`

type Probe = {
  sends: string
  status: number
  code?: string
  headers?: Record<string, string>
}

/** A POST with these header lines after Host. */
function post(lines: string[], body = lead): string {
  return ['POST /api/lead HTTP/1.1', 'Host: localhost', ...lines, '', body].join('\r\n')
}

function get(line: string, lines = ['Host: localhost']): string {
  return [line, ...lines, '', ''].join('\r\n')
}

const bad = { status: 400, code: 'BAD_REQUEST' }
const methods = { allow: 'GET, POST, HEAD, OPTIONS' }

const probes: Record<string, Probe> = {
  'both Transfer-Encoding and Content-Length': {
    sends: post([json, length, chunked], chunkedLead),
    ...bad,
  },
  'Content-Length twice, differing': { sends: post([json, length, 'Content-Length: 3']), ...bad },
  'Content-Length twice, in one line': { sends: post([json, 'Content-Length: 44, 3']), ...bad },
  'a signed Content-Length': { sends: post([json, 'Content-Length: +44']), ...bad },
  'a negative Content-Length': { sends: post([json, 'Content-Length: -1']), ...bad },
  'a Content-Length past all numbers': {
    sends: post([json, 'Content-Length: 99999999999999999999999']),
    ...bad,
  },
  'a chunk size that is no number': {
    sends: post([json, chunked], `zz\r\n${lead}\r\n0\r\n\r\n`),
    ...bad,
  },
  'a chunk longer than it says': {
    sends: post([json, chunked], `3\r\n${lead}\r\n0\r\n\r\n`),
    ...bad,
  },
  'a chunk size past all numbers': {
    sends: post([json, chunked], `fffffffffffffffff\r\n${lead}`),
    ...bad,
  },
  'an unknown Transfer-Encoding': {
    sends: post([json, 'Transfer-Encoding: xchunked'], chunkedLead),
    ...bad,
  },
  'Transfer-Encoding with chunked not last': {
    sends: post([json, 'Transfer-Encoding: chunked, identity'], chunkedLead),
    ...bad,
  },
  'Transfer-Encoding twice': {
    sends: post([json, chunked, 'Transfer-Encoding: identity'], chunkedLead),
    ...bad,
  },
  'Transfer-Encoding behind a vertical tab': {
    sends: post([json, 'Transfer-Encoding: \vchunked'], chunkedLead),
    ...bad,
  },
  'bare line feeds': {
    sends: `POST /api/lead HTTP/1.1\nHost: localhost\n${json}\n${length}\n\n${lead}`,
    ...bad,
  },
  'a bare carriage return in a header': { sends: post([json, length, 'X-A: a\rX-B: b']), ...bad },
  'a folded header': { sends: post([json, length, 'X-Folded: one\r\n two']), ...bad },
  'a space before the colon': { sends: post([json, 'Content-Length : 44']), ...bad },
  'a space before the first header': {
    sends: get('GET /api/lead HTTP/1.1', [' Host: localhost']),
    ...bad,
  },
  'a header without a name': { sends: post([json, length, ': empty']), ...bad },
  'a NUL in a header': { sends: post([json, length, 'X-Nul: a\0b']), ...bad },
  'two Host headers': { sends: get('GET /api/lead HTTP/1.1', ['Host: a', 'Host: b']), ...bad },
  'no Host header': { sends: get('GET /api/lead HTTP/1.1', ['X-Other: here']), ...bad },
  'an HTTP/2.0 request line': { sends: get('GET /api/lead HTTP/2.0'), ...bad },
  'an HTTP/3.0 request line': { sends: get('GET /api/lead HTTP/3.0'), ...bad },
  'an HTTP/0.9 request line': { sends: 'GET /api/lead\r\n\r\n', ...bad },
  'the preface of HTTP/2': { sends: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...bad },
  'a TLS greeting': { sends: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', ...bad },
  'an unknown method': { sends: get('BREW /api/lead HTTP/1.1'), ...bad },
  'a method in small letters': { sends: get('get /api/lead HTTP/1.1'), ...bad },
  'an authority as target': { sends: get('GET localhost:80 HTTP/1.1'), ...bad },
  'a relative target': { sends: get('GET api/lead HTTP/1.1'), ...bad },
  'a target of another scheme': { sends: get('GET ftp://localhost/api/lead HTTP/1.1'), ...bad },
  'a whole address as target': {
    sends: get('GET http://localhost/api/lead HTTP/1.1'),
    status: 200,
  },
  'a whole address with a path that is not there': {
    sends: get('GET http://localhost/api/nowhere HTTP/1.1'),
    status: 404,
    code: 'NOT_FOUND',
  },
  'HTTP/1.0': { sends: get('GET /api/lead HTTP/1.0', []), status: 200 },
  'OPTIONS of everything': {
    sends: get('OPTIONS * HTTP/1.1'),
    status: 204,
    headers: { allow: 'GET, HEAD, POST, OPTIONS' },
  },
  'OPTIONS of the lead endpoint': {
    sends: get('OPTIONS /api/lead HTTP/1.1'),
    status: 204,
    headers: methods,
  },
  'a header named __proto__': {
    sends: post([json, length, '__proto__: polluted', 'constructor: x']),
    status: 200,
  },
  'a body with __proto__ in it': {
    sends: jsonRequest(
      JSON.parse('{"name_1":"Sam","email_1":"s@example.com","__proto__":{"a":1}}'),
    ),
    status: 200,
  },
  'headers of twenty kilobytes': {
    sends: get('GET /api/lead HTTP/1.1', ['Host: localhost', `X-Long: ${'a'.repeat(20_480)}`]),
    status: 431,
    code: 'HEADERS_TOO_LARGE',
  },
  'a body that is announced': {
    sends: post([json, length, 'Expect: 100-continue']),
    status: 200,
  },
  'an expectation nobody can meet': {
    sends: post([json, length, 'Expect: miracles']),
    status: 200,
  },
  'a compressed body': {
    sends: post([json, length, 'Content-Encoding: gzip']),
    status: 400,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    headers: { 'accept-encoding': 'identity' },
  },
  'a type nobody reads': {
    sends: post(['Accept: application/json', 'Content-Type: text/plain', length]),
    status: 400,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  'JSON that is none': {
    sends: post([json, 'Content-Length: 1'], '{'),
    status: 400,
    code: 'PARSE_ERROR',
  },
  'JSON that is not UTF-8': {
    sends: post([json, 'Content-Length: 10'], '{"a":"\xff\xfe"}'),
    status: 400,
    code: 'PARSE_ERROR',
  },
  'no body at all': {
    sends: post([json, 'Content-Length: 0'], ''),
    status: 400,
    code: 'PARSE_ERROR',
  },
  'a lead in chunks': { sends: post([json, chunked], chunkedLead), status: 200 },
  'a lead in chunks with extensions and trailers': {
    sends: post(
      [json, chunked],
      `${lead.length.toString(16)};a=b\r\n${lead}\r\n0\r\nX-After: 1\r\n\r\n`,
    ),
    status: 200,
  },
  'a browser form that is too large': {
    sends: post(
      ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 70000'],
      'x'.repeat(70_000),
    ),
    status: 303,
    headers: { location: '/contact/' },
  },
  PUT: {
    sends: get('PUT /api/lead HTTP/1.1', ['Host: localhost', 'Content-Length: 0']),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    headers: methods,
  },
  DELETE: {
    sends: get('DELETE /api/lead HTTP/1.1'),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    headers: methods,
  },
  TRACE: {
    sends: get('TRACE /api/lead HTTP/1.1'),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    headers: methods,
  },
  PROPFIND: {
    sends: get('PROPFIND /api/lead HTTP/1.1'),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    headers: methods,
  },
  'a path with dots in it': {
    sends: get('GET /api/../../etc/passwd HTTP/1.1'),
    status: 404,
    code: 'NOT_FOUND',
  },
  'a path with a NUL in it': {
    sends: get('GET /api/%00 HTTP/1.1'),
    status: 404,
    code: 'NOT_FOUND',
  },
  'a path that cannot be decoded': {
    sends: get('GET /api/%zz%ff HTTP/1.1'),
    status: 404,
    code: 'NOT_FOUND',
  },
}

test('every odd request gets the one answer it deserves, and the service goes on', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const wrong: string[] = []
  const statuses: Record<string, number> = {}
  for (const [name, probe] of Object.entries(probes)) {
    const bytes = Buffer.from(probe.sends, 'latin1')
    const answer = await askUntilServed(() => askOnce(service.port, bytes)).catch(
      (error: Error) => error,
    )
    const found = answer instanceof Error ? [answer.message] : findFaults(answer, probe)
    wrong.push(...found.map((fault) => `${name}: ${fault}`))
    if (!(answer instanceof Error)) statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
  }
  const askHead = () => askOnce(service.port, get('HEAD /api/lead HTTP/1.1'), { bodiless: true })
  const head = await askUntilServed(askHead)
  const health = await askUntilServed(() => askOnce(service.port, getRequest('/api/lead')))

  t.diagnostic(
    JSON.stringify({
      story: 'raw HTTP',
      probes: Object.keys(probes).length,
      statuses,
      wrong: wrong.length,
    }),
  )
  assert.deepEqual(wrong, [])
  assert.equal(head.status, 200)
  assert.equal(head.headers['content-length'], String(health.body.length))
  assert.equal(health.status, 200)
  assert.equal(service.process.exitCode, null)
})

test('CONNECT closes its connection, and an upgrade changes nothing', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const connect = get('CONNECT localhost:80 HTTP/1.1')
  await assert.rejects(askOnce(service.port, connect), /closed before the answer/)
  for (let resets = 0; resets < 20; resets += 1) await sendAndReset(service.port, connect)
  const upgraded = await askOnce(
    service.port,
    get('GET /no-such-page/ HTTP/1.1', ['Host: localhost', 'Connection: Upgrade', 'Upgrade: h2c']),
  )
  assert.equal(upgraded.status, 404)
})

test('two requests sent together get two answers in order', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const wire = await openWire(service.port)
  const first = await wire.ask(jsonRequest({ name_1: 'Sam' }) + getRequest('/no-such-page/'))
  const second = await wire.ask('')
  wire.close()
  assert.deepEqual([first.status, second.status], [400, 404])
  const ids = [first, second].map(({ headers }) => headers['x-request-id']!)
  assert.notEqual(ids[0]!.slice(0, 8), ids[1]!.slice(0, 8), 'ids do not count requests')
})

/** An idle connection is closed after 72 s, which must not pass for the close at once. */
const beforeIdleCloseMs = keepAliveMs - 12_000

test('a malformed request without a body is answered, and its connection closed', async (t) => {
  const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
  t.after(() => service.stop('SIGKILL'))
  const wire = await openWire(service.port, { silenceMs: beforeIdleCloseMs })
  const closed = once(wire.socket, 'close')
  const answer = await wire.ask(get('GET /api/lead HTTP/1.1', ['Host: a', 'Host: b']))
  const [failed] = (await closed) as [boolean]
  assert.equal(answer.status, 400)
  assert.equal(failed, false, 'it was the server that closed it')
})

test('what follows a body that is too large on the same connection is answered, too', async (t) => {
  const dataDir = temporaryFolder(t)
  const service = await startServiceProcess({ dataDir })
  t.after(() => service.stop('SIGKILL'))
  const wire = await openWire(service.port)
  const large = jsonRequest({ name_1: 'Sam', email_1: 'large@example.com', x: 'x'.repeat(70_000) })
  const small = jsonRequest({ name_1: 'Sam', email_1: 'small@example.com' })
  assert.equal((await wire.ask(large + small)).status, 413)
  assert.ok(receivedReference(await wire.ask('')))
  wire.close()
  const db = new DatabaseSync(join(dataDir, 'leads.sqlite'), { readOnly: true })
  t.after(() => db.close())
  assert.equal(db.prepare('select count(*) as n from lead').get()?.['n'], 1)
})

const senders = Number(process.env['STORY_LARGE_BODIES'] ?? 20)
const tenMegabytes = 10 * 1024 * 1024

for (const framing of ['Content-Length', 'chunks'] as const) {
  test(`a client that sends ten megabytes by ${framing} reads why they are not taken`, async (t) => {
    const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
    t.after(() => service.stop('SIGKILL'))
    const answers: (number | string)[] = []
    for (let sent = 0; sent < senders; sent += 1) {
      answers.push(await sendInTime(service.port, framing))
    }
    const read = answers.filter((answer) => answer === 413).length
    t.diagnostic(JSON.stringify({ story: `ten megabytes by ${framing}`, senders, read413: read }))
    assert.deepEqual(new Set(answers), new Set([413]))
    assert.equal(service.process.exitCode, null)
  })
}

/** The service ends a request that takes longer than this, which is another story. */
const requestTimeoutMs = 10_000

/** On a slow machine it may take several tries to send ten megabytes within the timeout. */
async function sendInTime(port: number, framing: 'Content-Length' | 'chunks') {
  let answer: number | string = ''
  await until(async () => {
    const startedAt = performance.now()
    answer = await sendLarge(port, framing)
    return answer === 413 || performance.now() - startedAt < requestTimeoutMs
  }, 'ten megabytes are sent in time')
  return answer
}

/** Sends all of it, whatever comes back meanwhile, and only then looks at the answer: as simple clients do. */
async function sendLarge(port: number, framing: 'Content-Length' | 'chunks') {
  const wire = await openWire(port)
  const body = Buffer.alloc(64 * 1024, 'x')
  const chunk =
    framing === 'chunks'
      ? Buffer.concat([Buffer.from('10000\r\n'), body, Buffer.from('\r\n')])
      : body
  const head = framing === 'chunks' ? chunked : `Content-Length: ${tenMegabytes}`
  try {
    const answer = wire.ask(post([json, head], ''))
    answer.catch(() => {})
    for (let sent = 0; sent < tenMegabytes; sent += body.length) {
      await new Promise<void>((resolve, reject) => {
        wire.socket.write(chunk, (error) => (error ? reject(error) : resolve()))
      })
    }
    if (framing === 'chunks') wire.socket.write('0\r\n\r\n')
    return (await answer).status
  } catch (error) {
    return String(error)
  } finally {
    wire.close()
  }
}

function findFaults(answer: WireAnswer, probe: Probe): string[] {
  const faults: string[] = []
  if (answer.status !== probe.status) faults.push(`${answer.status} in place of ${probe.status}`)
  if (answer.headers['x-content-type-options'] !== 'nosniff') faults.push('no nosniff')
  for (const [name, value] of Object.entries(probe.headers ?? {})) {
    if (answer.headers[name] !== value) faults.push(`${name} is ${answer.headers[name]}`)
  }
  const code = codeOf(answer)
  if (code !== probe.code) faults.push(`${code} in place of ${probe.code}`)
  return faults
}

function codeOf({ headers, body }: WireAnswer): string | undefined {
  if (headers['content-type'] !== 'application/json') return undefined
  const { error } = JSON.parse(body) as { error?: Record<string, string> }
  if (error === undefined) return undefined
  return error['message'] && error['resolution'] ? error['code'] : 'an envelope with gaps'
}

function sendAndReset(port: number, request: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectTo(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(request, () => socket.resetAndDestroy())
  })
}
