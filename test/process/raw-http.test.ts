import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { askOnce, askUntilServed, getRequest, openWire, type WireAnswer } from '../support/wire.ts'
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
  'a negative Content-Length': { sends: post([json, 'Content-Length: -1']), ...bad },
  'a chunk size that is no number': {
    sends: post([json, chunked], `zz\r\n${lead}\r\n0\r\n\r\n`),
    ...bad,
  },
  'an unknown Transfer-Encoding': {
    sends: post([json, 'Transfer-Encoding: xchunked'], chunkedLead),
    ...bad,
  },
  'Transfer-Encoding twice': {
    sends: post([json, chunked, 'Transfer-Encoding: identity'], chunkedLead),
    ...bad,
  },
  'bare line feeds': {
    sends: `POST /api/lead HTTP/1.1\nHost: localhost\n${json}\n${length}\n\n${lead}`,
    ...bad,
  },
  'a folded header': { sends: post([json, length, 'X-Folded: one\r\n two']), ...bad },
  'a space before the colon': { sends: post([json, 'Content-Length : 44']), ...bad },
  'a NUL in a header': { sends: post([json, length, 'X-Nul: a\0b']), ...bad },
  'two Host headers': { sends: get('GET /api/lead HTTP/1.1', ['Host: a', 'Host: b']), ...bad },
  'no Host header': { sends: get('GET /api/lead HTTP/1.1', ['X-Other: here']), ...bad },
  'an HTTP/2.0 request line': { sends: get('GET /api/lead HTTP/2.0'), ...bad },
  'a TLS greeting': { sends: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', ...bad },
  'an unknown method': { sends: get('BREW /api/lead HTTP/1.1'), ...bad },
  'a relative target': { sends: get('GET api/lead HTTP/1.1'), ...bad },
  'a whole address as target': {
    sends: get('GET http://localhost/api/lead HTTP/1.1'),
    status: 200,
  },
  'HTTP/1.0': { sends: get('GET /api/lead HTTP/1.0', []), status: 200 },
  'OPTIONS of the lead endpoint': {
    sends: get('OPTIONS /api/lead HTTP/1.1'),
    status: 204,
    headers: methods,
  },
  'a header named __proto__': {
    sends: post([json, length, '__proto__: polluted', 'constructor: x']),
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
  'a compressed body': {
    sends: post([json, length, 'Content-Encoding: gzip']),
    status: 400,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    headers: { 'accept-encoding': 'identity' },
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
  DELETE: {
    sends: get('DELETE /api/lead HTTP/1.1'),
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    headers: methods,
  },
  'a path with dots in it': {
    sends: get('GET /api/../../etc/passwd HTTP/1.1'),
    status: 404,
    code: 'NOT_FOUND',
  },
  'a path that cannot be decoded': {
    sends: get('GET /api/%zz%ff HTTP/1.1'),
    status: 404,
    code: 'NOT_FOUND',
  },
}

const service = await startServiceHere({ after }, { dataDir: temporaryFolder({ after }) })

test('every odd request gets the one answer it deserves, and the service goes on', async (t) => {
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

  t.diagnostic(JSON.stringify({ story: 'raw HTTP', statuses }))
  assert.deepEqual(wrong, [])
  assert.equal(head.status, 200)
  assert.equal(head.headers['content-length'], String(health.body.length))
  assert.equal(health.status, 200)
})

const senders = Number(process.env['STORY_LARGE_BODIES'] ?? 4)
const tenMegabytes = 10 * 1024 * 1024

for (const framing of ['Content-Length', 'chunks'] as const) {
  test(`a client that sends ten megabytes by ${framing} reads why they are not taken`, async () => {
    const answers: (number | string)[] = []
    for (let sent = 0; sent < senders; sent += 1) {
      answers.push(await sendInTime(service.port, framing))
    }
    assert.deepEqual(new Set(answers), new Set([413]))
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
