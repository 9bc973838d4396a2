/** A device with one passkey, made with node:crypto. Each part of its answer can be made wrong. */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

export type Flaws = {
  type?: string
  challenge?: string
  origin?: string
  rpId?: string
  /** 0x01: somebody was there; 0x04: it was checked who. 0x08 and 0x10 tell of backups. */
  flags?: number
  counter?: number
  signature?: 'wrong'
  id?: string
  userHandle?: string
  crossOrigin?: boolean
  topOrigin?: string
}

type Options = { challenge?: string }

const present = 0x01
const verified = 0x04
const hasKey = 0x40

export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  const clientData = (type: string, options: Options, flaws: Flaws) =>
    Buffer.from(
      JSON.stringify({
        type: flaws.type ?? type,
        challenge: flaws.challenge ?? options.challenge,
        origin: flaws.origin ?? origin,
        crossOrigin: flaws.crossOrigin ?? false,
        ...(flaws.topOrigin && { topOrigin: flaws.topOrigin }),
      }),
    )
  const head = (flaws: Flaws, more: number) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(flaws.counter ?? counter)
    const rpId = flaws.rpId ?? new URL(origin).hostname
    return Buffer.concat([
      createHash('sha256').update(rpId).digest(),
      Buffer.from([(flaws.flags ?? present | verified) | more]),
      count,
    ])
  }
  return {
    id: id.toString('base64url'),
    /** The answer to `navigator.credentials.create`. */
    create(options: Options, flaws: Flaws = {}) {
      const size = Buffer.alloc(2)
      size.writeUInt16BE(id.length)
      const credential = Buffer.concat([
        Buffer.alloc(16),
        size,
        id,
        coseKey(publicKey.export({ format: 'jwk' })),
      ])
      const authData = Buffer.concat([head(flaws, hasKey), credential])
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        bytes(authData),
      ])
      return toJson(id, {
        clientDataJSON: clientData('webauthn.create', options, flaws),
        attestationObject: attestation,
      })
    },
    /** The answer to `navigator.credentials.get`. */
    get(options: Options, flaws: Flaws = {}) {
      counter += 1
      const data = clientData('webauthn.get', options, flaws)
      const authenticatorData = head(flaws, 0)
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(data).digest()])
      const signature = createSign('sha256')
        .update(flaws.signature === 'wrong' ? Buffer.concat([signed, Buffer.from('x')]) : signed)
        .sign(privateKey)
      const made = toJson(id, { clientDataJSON: data, authenticatorData, signature })
      const userHandle = flaws.userHandle ? { userHandle: flaws.userHandle } : {}
      return {
        ...made,
        ...(flaws.id && { id: flaws.id, rawId: flaws.id }),
        response: { ...made.response, ...userHandle },
      }
    },
  }
}

function toJson(id: Buffer, response: Record<string, Buffer>) {
  const own = id.toString('base64url')
  const shown = Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, value.toString('base64url')]),
  )
  return { id: own, rawId: own, type: 'public-key', clientExtensionResults: {}, response: shown }
}

/** ES256 as COSE: kty EC2, alg -7, crv P-256, x, y. */
function coseKey(jwk: { x?: string; y?: string }): Buffer {
  const x = Buffer.from(jwk.x!, 'base64url')
  const y = Buffer.from(jwk.y!, 'base64url')
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(x),
    Buffer.from([0x22]),
    bytes(y),
  ])
}

/** CBOR (RFC 8949): texts below 24 bytes, byte strings below 256 or 65,536. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}

function bytes(value: Buffer): Buffer {
  const size =
    value.length < 256
      ? Buffer.from([0x58, value.length])
      : Buffer.from([0x59, value.length >> 8, value.length & 0xff])
  return Buffer.concat([size, value])
}
