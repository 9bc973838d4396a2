/** Passkeys: every check of an answer is tested by making only that part wrong. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { paths } from '../../src/doors/inbox/paths.ts'
import { baseUrl, openInbox, robin, sam, type TestInbox } from '../support/inbox.ts'

type Flaws = {
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

const challengeCookie = '__Host-inbox-challenge'

const present = 0x01
const verified = 0x04
const hasKey = 0x40

function createAuthenticator(origin: string) {
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

const minute = 60_000

test('a passkey is added, named, used and removed [sign-in.passkey]', async (t) => {
  const inbox = await openInbox(t)
  const { member, browser } = await inbox.member(robin)
  const device = createAuthenticator(baseUrl)
  const options = (await browser.send(paths.passkeyChallenge)).json
  assert.deepEqual(Object.keys(options).sort(), [
    'attestation',
    'authenticatorSelection',
    'challenge',
    'excludeCredentials',
    'pubKeyCredParams',
    'rp',
    'timeout',
    'user',
  ])
  const added = await browser.send(paths.passkeys, device.create(options))
  assert.deepEqual([added.status, added.json], [200, { to: paths.passkeys }])
  await browser.post(paths.namePasskey, { id: device.id, name: 'My phone\u202e' })
  assert.match((await browser.get(paths.passkeys)).text, /value="My phone"/)

  const away = inbox.browser()
  const done = await signInWith(away, device)
  assert.deepEqual([done.status, done.json], [200, { to: paths.list }])
  await browser.post(paths.removePasskey, { id: 'not-mine' })
  assert.equal((await away.get(paths.list)).status, 200, 'removing nothing signs nobody out')
  const [passkey] = await inbox.access.listPasskeys(member.id)
  assert.deepEqual(
    [passkey!.counter, passkey!.usedAt, passkey!.rpId],
    [1, inbox.clock.now, 'decks.example.com'],
  )

  // Removing it ends the sessions elsewhere, and it opens nothing any more.
  await browser.post(paths.removePasskey, { id: device.id })
  assert.equal((await browser.get(paths.list)).status, 200)
  assert.equal((await away.get(paths.list)).status, 303)
  assert.equal((await signInWith(inbox.browser(), device)).status, 403)
})

const flaws: Record<string, Flaws> = {
  'of another kind': { type: 'webauthn.create' },
  'to a challenge that is not ours': { challenge: Buffer.alloc(32).toString('base64url') },
  'made for another site': { origin: 'https://evil.example.com' },
  'made for http': { origin: 'http://decks.example.com' },
  'made inside another site': { crossOrigin: true, topOrigin: 'https://evil.example.com' },
  'of another relying party': { rpId: 'example.com' },
  'with nobody there': { flags: verified },
  'without a check who it was': { flags: present },
  'with a wrong signature': { signature: 'wrong' },
  'of a passkey that nobody has': { id: Buffer.alloc(32, 1).toString('base64url') },
  'for another member': { userHandle: Buffer.from('somebody').toString('base64url') },
}

for (const [words, flaw] of Object.entries(flaws)) {
  test(`an answer ${words} is refused`, async (t) => {
    const { inbox, device } = await openWithPasskey(t)
    const browser = inbox.browser()
    const refused = await signInWith(browser, device, flaw)
    assert.equal(refused.status, 403)
    assert.ok(refused.json.say)
    assert.deepEqual(refused.cookies, [])
    assert.equal((await browser.get(paths.list)).status, 303)
    // The same without the flaw gets in.
    assert.equal((await signInWith(browser, device)).status, 200)
  })
}

test('an answer is good once, in the browser that got the challenge, for five minutes [sign-in.passkey]', async (t) => {
  const { inbox, device } = await openWithPasskey(t)
  const browser = inbox.browser()
  const answer = device.get((await browser.send(paths.signInChallenge)).json)
  const other = inbox.browser()
  await other.send(paths.signInChallenge)
  assert.equal((await other.send(paths.signInPasskey, answer)).status, 403, 'another browser')
  assert.equal((await browser.send(paths.signInPasskey, answer)).status, 200)
  assert.equal((await browser.send(paths.signInPasskey, answer)).status, 403, 'a second time')

  const late = device.get((await other.send(paths.signInChallenge)).json)
  inbox.clock.now += 6 * minute
  assert.equal((await other.send(paths.signInPasskey, late)).status, 403, 'too old')
})

test('an answer that a thief sends again with its challenge opens nothing, where the device does not count', async (t) => {
  const { inbox, device } = await openWithPasskey(t)
  const [browser, thief] = [inbox.browser(), inbox.browser()]
  const answer = device.get((await browser.send(paths.signInChallenge)).json, { counter: 0 })
  thief.jar.set(challengeCookie, browser.jar.get(challengeCookie)!)
  assert.equal((await browser.send(paths.signInPasskey, answer)).status, 200)
  assert.equal((await thief.send(paths.signInPasskey, answer)).status, 403)
})

test('a copy of a passkey, whose counter stands still or falls, opens nothing', async (t) => {
  const { inbox, device } = await openWithPasskey(t)
  assert.equal((await signInWith(inbox.browser(), device)).status, 200)
  for (const counter of [1, 0]) {
    assert.equal((await signInWith(inbox.browser(), device, { counter })).status, 403)
  }
  assert.equal((await signInWith(inbox.browser(), device)).status, 200)
})

test('strangers who ask for challenges, and answer them with anything, have nothing stored [sign-in.stranger]', async (t) => {
  const inbox = await openInbox(t)
  await inbox.member(robin)
  for (let n = 0; n < 5; n += 1) {
    const stranger = inbox.browser({ network: `192.0.2.${n}` })
    const { challenge } = (await stranger.send(paths.signInChallenge)).json
    const clientDataJSON = Buffer.from(JSON.stringify({ challenge })).toString('base64url')
    const answer = { id: 'x', response: { clientDataJSON } }
    assert.equal((await stranger.send(paths.signInPasskey, answer)).status, 403)
    await stranger.send(paths.signInChallenge)
  }
  assert.deepEqual(await inbox.database.execute('select * from ticket'), [])
})

test('a challenge for one purpose is none for another', async (t) => {
  const { inbox, device, browser } = await openWithPasskey(t)
  const add = (await browser.send(paths.passkeyChallenge)).json
  assert.equal((await browser.send(paths.signInPasskey, device.get(add))).status, 403)
  const second = createAuthenticator(baseUrl)
  const wrong = second.create((await browser.send(paths.signInChallenge)).json)
  assert.equal((await browser.send(paths.passkeys, wrong)).status, 403)
  // A challenge that was given to one member adds no passkey to another.
  const { browser: samsBrowser } = await inbox.member(sam)
  const mine = second.create((await browser.send(paths.passkeyChallenge)).json)
  samsBrowser.jar.set(challengeCookie, browser.jar.get(challengeCookie)!)
  assert.equal((await samsBrowser.send(paths.passkeys, mine)).status, 403)
  assert.equal((await browser.send(paths.passkeys, mine)).status, 200)
})

test('signing in again by passkey leads back, and makes nobody fresh but its member [sign-in.again]', async (t) => {
  const { inbox, device, browser, member } = await openWithPasskey(t)
  const { browser: shared } = await inbox.member(sam)
  inbox.clock.now += 11 * minute
  const refused = await browser.send(paths.passkeyChallenge)
  assert.deepEqual([refused.status, refused.json], [401, { to: paths.signIn }])
  assert.match((await browser.get(paths.signIn)).text, /Sign in again.*Sign in with a passkey/s)
  const done = await signInWith(browser, device)
  assert.deepEqual([done.status, done.json], [200, { to: paths.passkeys }])
  assert.equal((await browser.send(paths.passkeyChallenge)).status, 200)

  // In a browser where Sam is signed in, Robin's passkey signs Robin in.
  const samsCookie = shared.jar.get('__Host-inbox')!
  assert.equal((await signInWith(shared, device)).status, 200)
  assert.match((await shared.get(paths.settings)).text, new RegExp(member.email))
  const old = await inbox.browser().get(paths.list, { cookie: `__Host-inbox=${samsCookie}` })
  assert.equal(old.status, 303, 'his session has ended')
})

test('nobody can rename or remove the passkey of another', async (t) => {
  const { inbox, device, member } = await openWithPasskey(t)
  const { browser: samsBrowser } = await inbox.member(sam)
  await samsBrowser.post(paths.namePasskey, { id: device.id, name: 'Mine' })
  await samsBrowser.post(paths.removePasskey, { id: device.id })
  const [passkey] = await inbox.access.listPasskeys(member.id)
  assert.equal(passkey!.name, 'iPhone')
})

async function openWithPasskey(t: Parameters<typeof openInbox>[0]) {
  const inbox = await openInbox(t)
  const { member, browser } = await inbox.member(robin)
  const device = createAuthenticator(baseUrl)
  const options = (await browser.send(paths.passkeyChallenge)).json
  const { status } = await browser.send(paths.passkeys, device.create(options))
  assert.equal(status, 200)
  return { inbox, member, browser, device }
}

async function signInWith(
  browser: ReturnType<TestInbox['browser']>,
  device: ReturnType<typeof createAuthenticator>,
  flaw: Flaws = {},
) {
  const { json } = await browser.send(paths.signInChallenge)
  return browser.send(paths.signInPasskey, device.get(json, flaw))
}
