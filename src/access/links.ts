/** One-time links that the operator prints. Only `use` spends a link. */
import { linkMs } from '../contract/limits.ts'
import { type AccessStore, type Member } from '../store/access/store.ts'
import { readMember, type MemberProblem } from './members.ts'
import { hashOfSecret, newSecret } from './sessions.ts'

/** `set-up`: for the first member; `name` and `email` may be ''. */
export type FoundLink =
  | { kind: 'sign-in'; member: Member }
  | { kind: 'set-up'; name: string; email: string }

export type UsedLink =
  | { kind: 'in'; member: Member }
  | { kind: 'wrong'; problems: MemberProblem[] }
  | { kind: 'expired' }

export class Links {
  readonly #store: AccessStore
  readonly #now: () => number

  constructor(store: AccessStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  async give(whom: Member | { name: string; email: string }): Promise<string> {
    const token = newSecret()
    const memberId = 'id' in whom ? whom.id : undefined
    const data = 'id' in whom ? '' : JSON.stringify(whom)
    const endsAt = this.#now() + linkMs
    const ticket = { hash: hashOfSecret(token), kind: 'link' as const, memberId, endsAt, data }
    await this.#store.addTicket(ticket, this.#now())
    return token
  }

  async find(token: string): Promise<FoundLink | undefined> {
    const ticket = await this.#store.findTicket('link', hashOfSecret(token), this.#now())
    if (ticket === undefined) return undefined
    if (ticket.memberId !== undefined) {
      const member = await this.#store.findMember(ticket.memberId)
      return member && { kind: 'sign-in', member }
    }
    // Once there is a member, no set-up link works any more.
    if ((await this.#store.listMembers()).length > 0) return undefined
    return { kind: 'set-up', ...(JSON.parse(ticket.data) as { name: string; email: string }) }
  }

  async use(token: string, typed: { name: string; email: string }): Promise<UsedLink> {
    const found = await this.find(token)
    if (found === undefined) return { kind: 'expired' }
    if (found.kind === 'sign-in') {
      if (!(await this.#spend(token))) return { kind: 'expired' }
      // Earlier sessions end, because a member who needs a link may have lost a device.
      await this.#store.endSessions(found.member.id)
      return { kind: 'in', member: found.member }
    }
    const { name, email } = found
    const read = readMember({ name: typed.name || name, email: typed.email || email }, this.#now())
    if ('problems' in read) return { kind: 'wrong', problems: read.problems }
    const isAdded = (await this.#spend(token)) && (await this.#store.addMember(read.member))
    return isAdded ? { kind: 'in', member: read.member } : { kind: 'expired' }
  }

  #spend(token: string): Promise<boolean> {
    return this.#store.spendTicket('link', hashOfSecret(token))
  }
}
