/**
 * One-time addresses that the operator prints. They let a member in; while there is no member, the
 * first one is made by it. Opening one changes nothing.
 */
import { minuteMs } from '../durations.ts'
import type { Member } from '../store/access/members.ts'
import type { AccessStore } from '../store/access/store.ts'
import type { TicketKey } from '../store/access/tickets.ts'
import { readMember } from './members.ts'
import type { MemberProblem } from './members.ts'
import { hashOf, newSecret } from './secrets.ts'

export const linkMs = 30 * minuteMs

/** `set-up`: there is no member yet. It may know name and email already. */
export type FoundLink =
  | { kind: 'sign-in'; member: Member }
  | { kind: 'set-up'; name: string; email: string }

export type UsedLink =
  | { kind: 'in'; member: Member }
  | { kind: 'wrong'; problems: MemberProblem[] }
  | { kind: 'over' }

export type Links = {
  /** Returns the secret part of the address. */
  giveSignIn(member: Member): Promise<string>
  giveSetUp(first: { name: string; email: string }): Promise<string>
  find(token: string): Promise<FoundLink | undefined>
  use(token: string, given: { name: string; email: string }): Promise<UsedLink>
}

type LinkStore = Pick<
  AccessStore,
  | 'addTicket'
  | 'findTicket'
  | 'spendTicket'
  | 'findMember'
  | 'addFirstMember'
  | 'endSessions'
  | 'listMembers'
>

const purpose = 'link'

export function createLinks(store: LinkStore, now: () => number): Links {
  return {
    giveSignIn: (member) => give(member.id, ''),
    giveSetUp: (first) => give(undefined, JSON.stringify(first)),
    find,

    async use(token, given) {
      const found = await find(token)
      if (found === undefined) return { kind: 'over' }
      if (found.kind === 'sign-in') {
        if (!(await spend(token))) return { kind: 'over' }
        // Whoever needs the operator's help may have lost a device.
        await store.endSessions({ memberId: found.member.id })
        return { kind: 'in', member: found.member }
      }
      const { name, email } = found
      const read = readMember({ name: name || given.name, email: email || given.email }, now())
      if ('problems' in read) return { kind: 'wrong', problems: read.problems }
      // One press may make the member: the ticket is spent first, and the insert looks for others.
      const isFirst = (await spend(token)) && (await store.addFirstMember(read.member))
      return isFirst ? { kind: 'in', member: read.member } : { kind: 'over' }
    },
  }

  async function give(memberId: string | undefined, data: string): Promise<string> {
    const token = newSecret()
    const ticket = { ...keyOf(token), memberId, tries: 1, endsAt: now() + linkMs, data }
    await store.addTicket(ticket, now())
    return token
  }

  async function find(token: string): Promise<FoundLink | undefined> {
    const ticket = await store.findTicket(keyOf(token), now())
    if (ticket === undefined) return undefined
    if (ticket.memberId !== undefined) {
      const member = await store.findMember(ticket.memberId)
      return member && { kind: 'sign-in', member }
    }
    // A set-up is over once there is a member.
    if ((await store.listMembers()).length > 0) return undefined
    return { kind: 'set-up', ...(JSON.parse(ticket.data) as { name: string; email: string }) }
  }

  async function spend(token: string): Promise<boolean> {
    return (await store.spendTicket(keyOf(token), now())) !== undefined
  }
}

function keyOf(token: string): TicketKey {
  return { hash: hashOf(token), purpose, boundTo: '' }
}
