/**
 * Group commit without a timer: the batches that wait while a commit runs are the next group, and a
 * lone batch is sent at once.
 */
import { commits } from '../../metrics/counted.ts'
import { StorageUnavailable } from './engine.ts'
import type { Result, Statement } from './engine.ts'

export type WaitingBatch = {
  batch: readonly Statement[]
  resolve: (results: readonly Result[]) => void
  reject: (error: unknown) => void
}

export type Groups = {
  add(batch: readonly Statement[]): Promise<readonly Result[]>
  /** Rejects all that wait. The group that was sent is not touched. */
  rejectWaiting(error: Error): void
  /** Resolves when nothing waits and nothing is sent. */
  idle(): Promise<void>
}

const maxWaiting = 10_000

/** `send` settles every member, then resolves; it never rejects. */
export function createGroups(
  maxGroup: number,
  send: (members: readonly WaitingBatch[]) => Promise<void>,
): Groups {
  let waiting: WaitingBatch[] = []
  let busy = false
  let onIdle: (() => void) | undefined

  return {
    add(batch) {
      if (waiting.length >= maxWaiting) return Promise.reject(new StorageUnavailable('overloaded'))
      return new Promise((resolve, reject) => {
        waiting.push({ batch, resolve, reject })
        commits.waiting += 1
        if (busy) return
        busy = true
        // Batches of the same turn of the event loop share the first commit.
        setImmediate(sendNext)
      })
    },
    rejectWaiting(error) {
      const members = waiting
      waiting = []
      commits.waiting -= members.length
      for (const { reject } of members) reject(error)
    },
    idle: () => (busy ? new Promise((resolve) => (onIdle = resolve)) : Promise.resolve()),
  }

  function sendNext(): void {
    const members = waiting.slice(0, maxGroup)
    waiting = waiting.slice(maxGroup)
    busy = members.length > 0
    if (busy) void sendTimed(members).then(sendNext)
    else onIdle?.()
  }

  async function sendTimed(members: readonly WaitingBatch[]): Promise<void> {
    const startedAt = performance.now()
    await send(members)
    commits.waiting -= members.length
    commits.groupSizes.note(members.length)
    commits.seconds.note((performance.now() - startedAt) / 1000)
  }
}
