/** What the database knows of who may open the inbox. */
import type { Engine } from '../engine/engine.ts'
import { createAttempts } from './attempts.ts'
import type { Attempts } from './attempts.ts'
import { createMembers } from './members.ts'
import type { Members } from './members.ts'
import { createPasskeys } from './passkeys.ts'
import type { Passkeys } from './passkeys.ts'
import { createSessions } from './sessions.ts'
import type { Sessions } from './sessions.ts'
import { createTickets } from './tickets.ts'
import type { Tickets } from './tickets.ts'

export type AccessStore = Members & Passkeys & Sessions & Tickets & Attempts

export function openAccessStore(engine: Engine): AccessStore {
  return {
    ...createMembers(engine),
    ...createPasskeys(engine),
    ...createSessions(engine),
    ...createTickets(engine),
    ...createAttempts(engine),
  }
}
