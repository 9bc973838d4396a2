/** What a service had said to its clients, up to a moment of its trace. */
import type { Sent } from './door-load.ts'
import type { TraceEvent } from './trace.ts'

export type Acknowledged = {
  apply(event: TraceEvent): void
  /** Everybody, with what was acknowledged by now. */
  now(): Sent[]
  count(): number
}

export function acknowledgedIn(sent: readonly Sent[]): Acknowledged {
  const people = sent.map((person) => ({ ...person, wasReceived: false, wasDone: false }))
  const byToken = new Map(people.map((person) => [person.token, person]))
  const byId = new Map(people.map((person) => [person.id, person]))
  const byReference = new Map(people.map((person) => [person.reference, person]))
  for (const each of [byToken, byId, byReference]) each.delete('')
  // Its answer names nobody; but they are erased one after the other.
  const toErase = people.filter(({ door, wasTried }) => door === 'erase' && wasTried)

  return {
    apply(event) {
      if (event.kind !== 'said') return
      const { words } = event
      const received = byToken.get(/receipt[/=]([0-9a-f]+)/.exec(words)?.[1] ?? '')
      if (received !== undefined) received.wasReceived = true
      const done = doneIn(words)
      if (done !== undefined) done.wasDone = true
    },
    now: () => people,
    count: () =>
      people.reduce((sum, each) => sum + Number(each.wasReceived) + Number(each.wasDone), 0),
  }

  function doneIn(words: string): Sent | undefined {
    if (words.startsWith('HTTP/1.1 200') && words.includes('"status":"withdrawn"')) {
      return byReference.get(/"reference":"([^"]+)"/.exec(words)?.[1] ?? '')
    }
    if (!words.startsWith('HTTP/1.1 303')) return undefined
    const [, id] = /\r\nLocation: \/inbox\/lead\/([0-9a-f-]{36})/.exec(words) ?? []
    if (id !== undefined) return byId.get(id)
    return /\r\nLocation: \/inbox\/\r\n/.test(words) ? toErase.shift() : undefined
  }
}
