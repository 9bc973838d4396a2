/**
 * Signs members in by passkeys (WebAuthn), and adds passkeys. Each used challenge is stored, so that
 * one answer signs in only once. The library takes 25 MB of memory, so it is loaded at the first answer.
 */
import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { challengeMs } from '../contract/limits.ts'
import { createSeal, type Seal } from '../http/cookies.ts'
import { type AccessStore, type Member, type Passkey } from '../store/access/store.ts'
import { hashOfSecret } from './sessions.ts'

/** ES256, EdDSA and RS256. */
const algorithms = [-7, -8, -257]

/** `counter`: the passkey's counter did not go up, so the passkey may have been copied. */
export type PasskeyRefusal = 'challenge' | 'unknown' | 'not-verified' | 'counter'

export type CheckedPasskey =
  | { kind: 'in'; member: Member }
  | { kind: 'refused'; why: PasskeyRefusal }

type FoundPasskey = { passkey: Passkey; member: Member; response: AuthenticationResponseJSON }

/** `sealed`: the encrypted challenge, which comes back with the answer. */
export type PasskeyOffer = { options: object; sealed: string }

export type PasskeysParts = {
  store: AccessStore
  secret: Buffer
  baseUrl: string
  businessName: string
  now: () => number
}

export class Passkeys {
  readonly #parts: PasskeysParts
  readonly #seal: Seal
  readonly #rpId: string

  constructor(parts: PasskeysParts) {
    this.#parts = parts
    this.#seal = createSeal(parts.secret, 'inbox challenge')
    this.#rpId = new URL(parts.baseUrl).hostname
  }

  offerToGet(): PasskeyOffer {
    const { challenge, sealed } = this.#newChallenge('get')
    const rest = { rpId: this.#rpId, userVerification: 'required', timeout: challengeMs }
    return { options: { challenge, ...rest }, sealed }
  }

  async offerToAdd(member: Member): Promise<PasskeyOffer> {
    const { store, businessName } = this.#parts
    const { challenge, sealed } = this.#newChallenge(`add ${member.id}`)
    const own = await store.listPasskeys(member.id)
    const here = own.filter(({ rpId }) => rpId === this.#rpId)
    const options = {
      challenge,
      rp: { id: this.#rpId, name: businessName },
      user: { id: userHandleOf(member), name: member.email, displayName: member.name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: here.map(({ id }) => ({ type: 'public-key', id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      timeout: challengeMs,
    }
    return { options, sealed }
  }

  async check(answer: unknown, sealed: string): Promise<CheckedPasskey> {
    const challenge = this.#openChallenge(sealed, 'get')
    if (challenge === undefined) return refused('challenge')
    const found = await this.#find(answer)
    if (found === undefined) return refused('unknown')
    const { passkey, member } = found
    const proof = await this.#verify(found, challenge)
    if (proof === undefined) return refused('not-verified')
    if (passkey.counter > 0 && proof.counter <= passkey.counter) return refused('counter')
    if (!(await this.#spend(challenge, member))) return refused('challenge')
    const { store, now } = this.#parts
    await store.notePasskeyUse({ ...passkey, ...proof, usedAt: now() })
    return { kind: 'in', member }
  }

  /** `undefined`: the passkey is unknown, or was made for another site or another member. */
  async #find(answer: unknown): Promise<FoundPasskey | undefined> {
    const { store } = this.#parts
    const passkey = await store.findPasskey(idOf(answer))
    if (passkey?.rpId !== this.#rpId) return undefined
    const member = await store.findMember(passkey.memberId)
    if (member === undefined) return undefined
    const response = answer as AuthenticationResponseJSON
    const { userHandle } = response.response
    if (userHandle && userHandle !== userHandleOf(member)) return undefined
    return { passkey, member, response }
  }

  async #verify(
    { passkey, response }: FoundPasskey,
    challenge: string,
  ): Promise<Pick<Passkey, 'counter' | 'backedUp'> | undefined> {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
    const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64url'))
    const verified = await verifyAuthenticationResponse({
      ...this.#expected(challenge),
      response,
      // 0 turns off the library's check of the counter, because `check` refuses with `counter`.
      credential: { id: passkey.id, publicKey, counter: 0 },
    }).catch(() => undefined)
    if (!verified?.verified) return undefined
    const { newCounter, credentialBackedUp } = verified.authenticationInfo
    return { counter: newCounter, backedUp: Number(credentialBackedUp) }
  }

  /** False if the challenge was answered before. */
  #spend(challenge: string, { id: memberId }: Member): Promise<boolean> {
    const { store, now } = this.#parts
    const hash = hashOfSecret(challenge)
    const endsAt = now() + challengeMs
    return store.addTicket({ hash, kind: 'answer', memberId, endsAt, data: '' }, now())
  }

  async add(
    answer: unknown,
    sealed: string,
    { member, name }: { member: Member; name: string },
  ): Promise<CheckedPasskey> {
    const challenge = this.#openChallenge(sealed, `add ${member.id}`)
    if (challenge === undefined) return refused('challenge')
    if (idOf(answer) === '') return refused('not-verified')
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
    const verified = await verifyRegistrationResponse({
      ...this.#expected(challenge),
      response: answer as RegistrationResponseJSON,
      supportedAlgorithmIDs: algorithms,
    }).catch(() => undefined)
    if (!verified?.verified) return refused('not-verified')
    const { credential, credentialBackedUp } = verified.registrationInfo
    const isAdded = await this.#parts.store.addPasskey({
      id: credential.id,
      memberId: member.id,
      rpId: this.#rpId,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      backedUp: Number(credentialBackedUp),
      name,
      madeAt: this.#parts.now(),
      usedAt: undefined,
    })
    return isAdded ? { kind: 'in', member } : refused('unknown')
  }

  #expected(expectedChallenge: string) {
    const site = { expectedOrigin: this.#parts.baseUrl, expectedRPID: this.#rpId }
    return { expectedChallenge, ...site, requireUserVerification: true }
  }

  #newChallenge(purpose: string): { challenge: string; sealed: string } {
    const challenge = randomBytes(32).toString('base64url')
    const endsAt = this.#parts.now() + challengeMs
    return { challenge, sealed: this.#seal.close(JSON.stringify([purpose, challenge, endsAt])) }
  }

  #openChallenge(sealed: string, wanted: string): string | undefined {
    const text = this.#seal.open(sealed)
    if (text === undefined) return undefined
    const [purpose, challenge, endsAt] = JSON.parse(text) as [string, string, number]
    return purpose === wanted && endsAt > this.#parts.now() ? challenge : undefined
  }
}

function idOf(answer: unknown): string {
  const { id, response } = (answer ?? {}) as { id?: unknown; response?: unknown }
  const isId = typeof id === 'string' && /^[\w-]+$/.test(id)
  return isId && typeof response === 'object' && response !== null ? id : ''
}

function userHandleOf({ id }: Member): string {
  return Buffer.from(id).toString('base64url')
}

function refused(why: PasskeyRefusal): CheckedPasskey {
  return { kind: 'refused', why }
}
