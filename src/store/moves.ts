/** Moves a lead from state to state. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMoveTold, noChannels, type ChannelsFor } from '../contract/notices.ts'
import { eventOfMove, type State } from '../contract/states.ts'
import { insertMoveNotice } from './delivery-rows.ts'
import { StorageUnavailable, type Engine } from './engine/engine.ts'
import { changeLead, type Moved } from './events.ts'
import type { Lead } from './rows.ts'

/** `by`: `owner`, `sender`, `retention` or the id of a member. `undoes`: the number of the event that is undone. */
export type Move = { to: State; by: string; at: number; undoes?: number }

export type Moves = {
  /** Notifies the channels that `channelsFor` names. */
  moveLead(lead: Lead, move: Move, channelsFor?: ChannelsFor): Promise<Moved>
}

export function createMoves(engine: Engine): Moves {
  return {
    moveLead(lead, { to, by, at, undoes }, channelsFor = noChannels) {
      const kind = eventOfMove(lead.state, to)
      const channels = isMoveTold(lead.state, to) ? channelsFor(kind) : []
      return changeLead(engine, lead, {
        event: { at, kind, data: JSON.stringify({ from: lead.state, to, by, undoes }) },
        set: { state: to, state_changed_at: at },
        also: channels.map((channel) => insertMoveNotice(lead, { at, kind }, channel)),
      })
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
