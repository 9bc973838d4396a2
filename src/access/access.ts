/** Every way into the inbox. All of them count into one limit for each network. */
import type { ReportFailure } from '../once-a-minute.ts'
import type { AccessStore } from '../store/access/store.ts'
import { createCodes } from './codes.ts'
import type { AskedCode, CodeHolder, Codes, TriedCode } from './codes.ts'
import { createAccessLimits } from './limits.ts'
import type { Limited } from './limits.ts'
import { createLinks } from './links.ts'
import type { Links, UsedLink } from './links.ts'
import { plainEmail } from './members.ts'
import { createMemberPasskeys } from './passkeys.ts'
import type { ChallengeHolder, CheckedPasskey, MemberPasskeys } from './passkeys.ts'
import { createKeyedHash } from './secrets.ts'
import { createMemberSessions } from './sessions.ts'
import type { MemberSessions, Visit } from './sessions.ts'

/** `network`: where it comes from. */
export type Access = {
  store: AccessStore
  sessions: MemberSessions
  findLink: Links['find']
  useLink(token: string, given: NewMember, network: string): Promise<UsedLink | Limited>
  askForCode(email: string, holder: CodeHolder, network: string): Promise<AskedCode>
  tryCode(code: string, holder: CodeHolder, network: string): Promise<TriedCode>
  isCodeWaiting: Codes['isWaiting']
  optionsToGet: MemberPasskeys['optionsToGet']
  /** With a visit: for a step-up of that member. */
  checkPasskey(
    answer: unknown,
    holder: ChallengeHolder,
    network: string,
    visit?: Visit,
  ): Promise<CheckedPasskey | Limited>
  optionsToAdd: MemberPasskeys['optionsToAdd']
  addPasskey: MemberPasskeys['add']
}

type NewMember = { name: string; email: string }

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
  const passkeys = createMemberPasskeys({ store, baseUrl, businessName, now })
  return {
    store,
    sessions: createMemberSessions(store, now),
    findLink: links.find,
    useLink: (token, given, network) => attempt(network, () => links.use(token, given)),
    askForCode: (email, holder, network) =>
      attempt(network, () => codes.ask(plainEmail(email), holder)),
    tryCode: (code, holder, network) => attempt(network, () => codes.attempt(code, holder)),
    isCodeWaiting: codes.isWaiting,
    optionsToGet: passkeys.optionsToGet,
    checkPasskey: (answer, holder, network, visit) =>
      attempt(network, () => passkeys.check(answer, holder, visit?.member)),
    optionsToAdd: passkeys.optionsToAdd,
    addPasskey: passkeys.add,
  }

  async function attempt<T extends { kind: string }>(
    network: string,
    work: () => Promise<T>,
  ): Promise<T | Limited> {
    const limited = await limits.count('network', network)
    if (limited !== undefined) return limited
    const outcome = await work()
    if (outcome.kind === 'in') await limits.forget('network', network)
    return outcome
  }
}
