/** A real push service over TLS, and phones that decrypt what it takes (RFC 8291), with node:crypto alone. */
import assert from 'node:assert/strict'
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setDefaultCACertificates } from 'node:tls'
import type { Cleaner } from './service.ts'

export type Pushed = { path: string; headers: IncomingHttpHeaders; body: Buffer }

export type PushService = {
  origin: string
  received: Pushed[]
  /** The answer to messages for a path; 201 where none is chosen. */
  status: Map<string, number>
}

export type Phone = {
  path: string
  /** As PushSubscription.toJSON() of a browser. */
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } }
  messages(): unknown[]
}

const tlsFile = (name: string) => readFileSync(new URL(`../data/tls/${name}`, import.meta.url))

/** No test calls a server of somebody else. */
setDefaultCACertificates([tlsFile('authority.crt')])

export async function openPushService(t: Cleaner): Promise<PushService> {
  const service: PushService = { origin: '', received: [], status: new Map() }
  const keys = { key: tlsFile('server.key'), cert: tlsFile('server.crt') }
  const server = createServer(keys, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      const status = service.status.get(path) ?? 201
      if (status === 201) service.received.push({ path, headers, body: Buffer.concat(chunks) })
      response.writeHead(status, { location: 'https://127.0.0.1:9/' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  service.origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return service
}

export function newPhone(service: PushService, name: string): Phone {
  const pair = createECDH('prime256v1')
  const p256dh = pair.generateKeys()
  const auth = randomBytes(16)
  const path = `/send/${name}`
  return {
    path,
    subscription: {
      endpoint: service.origin + path,
      expirationTime: null,
      keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
    },
    messages: () =>
      service.received
        .filter((each) => each.path === path)
        .map(({ body }) => JSON.parse(decrypt(body, { pair, p256dh, auth })) as unknown),
  }
}

type PhoneKeys = { pair: ReturnType<typeof createECDH>; p256dh: Buffer; auth: Buffer }

function decrypt(body: Buffer, { pair, p256dh, auth }: PhoneKeys): string {
  const [salt, keyEnd] = [body.subarray(0, 16), 21 + body[20]!]
  const sender = body.subarray(21, keyEnd)
  const derive = (key: Buffer, seed: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, seed, info, length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender])
  const key = derive(pair.computeSecret(sender), auth, info, 32)
  const decipher = createDecipheriv(
    'aes-128-gcm',
    derive(key, salt, 'Content-Encoding: aes128gcm\0', 16),
    derive(key, salt, 'Content-Encoding: nonce\0', 12),
  )
  decipher.setAuthTag(body.subarray(-16))
  const padded = Buffer.concat([decipher.update(body.subarray(keyEnd, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** Verifies who signed a message (RFC 8292). Answers the claims, and the key that verified them. */
export function verifySender({ headers }: Pushed): {
  claims: Record<string, unknown>
  key: string
} {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization!)!
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) =>
    half.toString('base64url'),
  )
  const publicKey = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: x!, y: y! },
  })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  assert.ok(isSigned, 'the signature holds')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), key }
}
