/** Moves a lead from state to state. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMoveTold, noChannels } from '../contract/notices.ts'
import type { ChannelsFor } from '../contract/notices.ts'
import { eventOfMove } from '../contract/states.ts'
import type { State } from '../contract/states.ts'
import { nextEvent } from './chain.ts'
import type { LeadEvent } from './chain.ts'
import { insertMoveNotice } from './delivery-rows.ts'
import { StorageUnavailable } from './engine/engine.ts'
import type { Engine, Result, Row, Statement } from './engine/engine.ts'
import { columns, insertEvent, toLead } from './rows.ts'
import type { Lead } from './rows.ts'

/** `overtaken`: another writer changed the lead first. */
export type Moved = { kind: 'moved'; lead: Lead } | { kind: 'overtaken' }

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
      const data = JSON.stringify({ from: lead.state, to, by, undoes })
      const event = nextEvent(lead, { at, kind, data })
      const channels = isMoveTold(lead.state, to) ? channelsFor(kind) : []
      const notices = channels.map((channel) => insertMoveNotice({ ...event, kind }, channel))
      return run([
        changeTo('state = $1, state_changed_at = $2', [to, at], lead, event),
        insertEvent(event),
        ...notices,
      ])
    },
  }

  async function run(batch: Statement[]): Promise<Moved> {
    const [updated] = await engine.run(batch)
    return toMoved(updated)
  }
}

/** `updated`: the result of `changeTo`. */
export function toMoved(updated: Result | undefined): Moved {
  const [row] = updated as Row[]
  return row ? { kind: 'moved', lead: toLead(row) } : { kind: 'overtaken' }
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

/** `set` takes the first two values. Returns the row of the lead, or none where it was overtaken. */
export function changeTo(
  set: string,
  values: [State | number, number],
  lead: Lead,
  event: LeadEvent,
): Statement {
  return [
    `update lead set ${set}, event_count = event_count + 1, event_head = $3
     where id = $4 and event_head = $5 returning ${columns}`,
    [...values, event.hash, lead.id, lead.eventHead],
  ]
}
