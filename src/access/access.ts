/**
 * Every way into the inbox. Tries of codes are limited. Links and passkeys are not: nobody guesses
 * them, and where all come from one network, as behind a proxy, others could lock the owner out.
 */
import type { ReportFailure } from '../log.ts'
import type { AccessStore } from '../store/access/store.ts'
import { createChallenges } from './challenges.ts'
import { createCodes } from './codes.ts'
import type { AskedCode, CodeHolder, Codes, TriedCode } from './codes.ts'
import { createAccessLimits } from './limits.ts'
import type { Limited } from './limits.ts'
import { createLinks } from './links.ts'
import type { Links } from './links.ts'
import { plainEmail } from './members.ts'
import { createMemberPasskeys } from './passkeys.ts'
import type { MemberPasskeys } from './passkeys.ts'
import { createKeyedHash } from './secrets.ts'
import { createMemberSessions } from './sessions.ts'
import type { MemberSessions } from './sessions.ts'

/** `network`: where it comes from. */
export type Access = {
  store: AccessStore
  sessions: MemberSessions
  findLink: Links['find']
  useLink: Links['use']
  askForCode(email: string, holder: CodeHolder, network: string): Promise<AskedCode>
  tryCode(code: string, holder: CodeHolder, network: string): Promise<TriedCode>
  isCodeWaiting: Codes['isWaiting']
  optionsToGet: MemberPasskeys['optionsToGet']
  checkPasskey: MemberPasskeys['check']
  optionsToAdd: MemberPasskeys['optionsToAdd']
  addPasskey: MemberPasskeys['add']
}

export type AccessParts = {
  store: AccessStore
  secret: Buffer
  /** Without a slash at its end. */
  baseUrl: string
  businessName: string
  mailCode: (code: string, to: string) => Promise<boolean>
  reportFailure: ReportFailure
  now: () => number
}

export function createAccess(parts: AccessParts): Access {
  const { store, secret, baseUrl, businessName, mailCode, reportFailure, now } = parts
  const keyedHash = createKeyedHash(secret, 'inbox')
  const limits = createAccessLimits({ store, keyedHash, now })
  const codes = createCodes({ store, limits, keyedHash, mailCode, reportFailure, now })
  const links = createLinks(store, now)
  const challenges = createChallenges(store, createKeyedHash(secret, 'inbox challenge'), now)
  const passkeys = createMemberPasskeys({ store, challenges, baseUrl, businessName, now })
  return {
    store,
    sessions: createMemberSessions(store, now),
    findLink: links.find,
    useLink: links.use,
    askForCode: (email, holder, network) =>
      attempt(holder, network, () => codes.ask(plainEmail(email), holder, network)),
    tryCode: (code, holder, network) => attempt(holder, network, () => codes.attempt(code, holder)),
    isCodeWaiting: codes.isWaiting,
    optionsToGet: passkeys.optionsToGet,
    checkPasskey: passkeys.check,
    optionsToAdd: passkeys.optionsToAdd,
    addPasskey: passkeys.add,
  }

  /** Who is signed in is counted by his session, whatever others of his network do. */
  async function attempt<T extends { kind: string }>(
    { purpose, heldBy }: CodeHolder,
    network: string,
    work: () => Promise<T>,
  ): Promise<T | Limited> {
    const [name, of] =
      purpose === 'step-up' ? (['session', heldBy] as const) : (['network', network] as const)
    const limited = await limits.count(name, of)
    if (limited !== undefined) return limited
    const outcome = await work()
    if (outcome.kind === 'in') await limits.forget(name, of)
    return outcome
  }
}
