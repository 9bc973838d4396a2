/** Moves a lead from state to state. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMoveTold, type Telling } from '../contract/notices.ts'
import { eventOfMove, type State } from '../contract/states.ts'
import { insertMoveDelivery } from './delivery-rows.ts'
import { StorageUnavailable, type Engine } from './engine/engine.ts'
import { changeLead, type Moved } from './events.ts'
import { freeContentKey } from './keep.ts'
import type { Lead } from './rows.ts'

export type Move = {
  to: State
  /** `owner`, `sender`, `retention` or the id of a member. */
  by: string
  at: number
  /** The number of the event that is undone. */
  undoes?: number
  /** The channels that are told of it, in the same batch. Left out: none. */
  tell?: Telling | undefined
}

export type Moves = ReturnType<typeof createMoves>

/** `onMoved`: called after each move, for its deliveries are due. */
export function createMoves(engine: Engine, onMoved: () => void) {
  return {
    async moveLead(lead: Lead, { to, by, at, undoes, tell }: Move): Promise<Moved> {
      const kind = eventOfMove(lead.state, to)
      const channels = isMoveTold(lead.state, to) ? (tell?.[kind] ?? []) : []
      const moved = await changeLead(engine, lead, {
        event: { at, kind, data: JSON.stringify({ from: lead.state, to, by, undoes }) },
        set: { state: to, state_changed_at: at },
        also: [
          ...channels.map((channel) => insertMoveDelivery(lead, { at, kind }, channel)),
          ...(to === 'withdrawn' ? [freeContentKey(lead)] : []),
        ],
      })
      if (moved.kind === 'moved') onMoved()
      return moved
    },
  }
}

/** More than chance explains. */
const maxTries = 50
const longestWaitMs = 200

/**
 * Reads and writes again while another writer was first. Many that try again at once would overtake
 * each other again: each waits for a random time, longer after each try.
 */
export async function untilMoved<T>(look: () => Promise<T | 'overtaken'>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await look()
    if (outcome !== 'overtaken') return outcome
    await sleep(Math.random() * Math.min(2 ** tries, longestWaitMs))
  }
  throw new StorageUnavailable('contended')
}
