/**
 * Passkeys (WebAuthn). A challenge is spent before an answer is verified, so a wrong answer spends
 * it, too. The only file that knows the library, which takes 25 MB and is loaded with the first
 * answer: most services never see one.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Member } from '../store/access/members.ts'
import type { AccessStore } from '../store/access/store.ts'
import { challengeMs } from './challenges.ts'
import type { ChallengeHolder, Challenges } from './challenges.ts'

/** ES256, EdDSA and RS256: what devices make. */
const algorithms = [-7, -8, -257]

/** `counter`: it counts backwards, so it may have been copied. */
export type PasskeyRefusal = 'challenge' | 'unknown' | 'not-verified' | 'counter'

export type CheckedPasskey =
  | { kind: 'in'; member: Member }
  | { kind: 'refused'; why: PasskeyRefusal }

export type MemberPasskeys = {
  /** Options for `navigator.credentials.get`. With a member: only his passkeys. */
  optionsToGet(holder: ChallengeHolder, member?: Member): Promise<object>
  /** With a member: only a passkey of his counts. */
  check(answer: unknown, holder: ChallengeHolder, member?: Member): Promise<CheckedPasskey>
  /** Options for `navigator.credentials.create`. */
  optionsToAdd(holder: ChallengeHolder, member: Member): Promise<object>
  add(answer: unknown, holder: ChallengeHolder, owner: PasskeyOwner): Promise<CheckedPasskey>
}

/** Whose it is to be, and under which name. */
export type PasskeyOwner = { member: Member; name: string }

export type PasskeyParts = {
  store: Pick<
    AccessStore,
    'findMember' | 'findPasskey' | 'listPasskeys' | 'addPasskey' | 'notePasskeyUse'
  >
  challenges: Challenges
  /** Without a slash at its end. */
  baseUrl: string
  businessName: string
  now: () => number
}

export function createMemberPasskeys(parts: PasskeyParts): MemberPasskeys {
  const { store, challenges, baseUrl, businessName, now } = parts
  const rpId = new URL(baseUrl).hostname
  const expected = { expectedOrigin: baseUrl, expectedRPID: rpId, requireUserVerification: true }
  return {
    async optionsToGet(holder, member) {
      const own = member === undefined ? [] : await ownIds(member)
      return {
        challenge: challenges.give(holder),
        rpId,
        allowCredentials: own,
        userVerification: 'required',
        timeout: challengeMs,
      }
    },

    async check(answer, holder, member) {
      const challenge = challengeOf(answer, holder)
      if (challenge === undefined) return refused('challenge')
      const response = answer as AuthenticationResponseJSON
      const passkey = await store.findPasskey(response.id)
      const owner = passkey && (await store.findMember(passkey.memberId))
      if (owner === undefined || passkey?.rpId !== rpId) return refused('unknown')
      if (member !== undefined && member.id !== owner.id) return refused('unknown')
      const { userHandle } = response.response
      if (userHandle && userHandle !== handleOf(owner)) return refused('unknown')
      // Not before: a stranger, who knows no passkey, has nothing written.
      if (!(await challenges.spend(challenge, holder))) return refused('challenge')
      const credential = {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        // Compared below, to tell this case from the others.
        counter: 0,
      }
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
      const given = { ...expected, response, credential, expectedChallenge: challenge }
      const verified = await verifyAuthenticationResponse(given).catch(() => undefined)
      if (!verified?.verified) return refused('not-verified')
      const { newCounter, credentialBackedUp } = verified.authenticationInfo
      if (passkey.counter > 0 && newCounter <= passkey.counter) return refused('counter')
      const use = { id: passkey.id, counter: newCounter, backedUp: credentialBackedUp, at: now() }
      await store.notePasskeyUse(use)
      return { kind: 'in', member: owner }
    },

    async optionsToAdd(holder, member) {
      return {
        challenge: challenges.give(holder),
        rp: { id: rpId, name: businessName },
        user: { id: handleOf(member), name: member.email, displayName: member.name },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: await ownIds(member),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        timeout: challengeMs,
      }
    },

    async add(answer, holder, { member, name }) {
      const challenge = challengeOf(answer, holder)
      const isUnspent = challenge !== undefined && (await challenges.spend(challenge, holder))
      if (!isUnspent) return refused('challenge')
      const response = answer as RegistrationResponseJSON
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
      const given = { ...expected, response, expectedChallenge: challenge }
      const verified = await verifyRegistrationResponse({
        ...given,
        supportedAlgorithmIDs: algorithms,
      }).catch(() => undefined)
      if (!verified?.verified) return refused('not-verified')
      const { credential, credentialBackedUp } = verified.registrationInfo
      const added = await store.addPasskey({
        id: credential.id,
        memberId: member.id,
        rpId,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        backedUp: credentialBackedUp,
        name,
        madeAt: now(),
        usedAt: undefined,
      })
      return added ? { kind: 'in', member } : refused('unknown')
    },
  }

  async function ownIds(member: Member) {
    const own = await store.listPasskeys(member.id)
    return own.filter((each) => each.rpId === rpId).map(({ id }) => ({ type: 'public-key', id }))
  }

  /** The challenge that the answer names, if it was given to this holder. */
  function challengeOf(answer: unknown, holder: ChallengeHolder): string | undefined {
    const challenge = readChallenge(answer)
    return challenge !== undefined && challenges.isOurs(challenge, holder) ? challenge : undefined
  }
}

const base64url = /^[\w-]+$/

/** From the client data that the answer is signed over. `undefined`: it is none. */
function readChallenge(answer: unknown): string | undefined {
  try {
    const { id, response } = answer as { id: unknown; response: { clientDataJSON: string } }
    if (typeof id !== 'string' || !base64url.test(id)) return undefined
    const data: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    const { challenge } = data as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

/** What a device keeps of a member: his id. */
function handleOf({ id }: Member): string {
  return Buffer.from(id).toString('base64url')
}

function refused(why: PasskeyRefusal): CheckedPasskey {
  return { kind: 'refused', why }
}
