/** Long work in one thread: other requests get a turn every few milliseconds. */
import { setImmediate as turn } from 'node:timers/promises'

const longestMs = 5

export async function mapInTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  let startedAt = performance.now()
  for (const item of items) {
    made.push(make(item))
    if (performance.now() - startedAt < longestMs) continue
    await turn()
    startedAt = performance.now()
  }
  return made
}

export async function filterInTurns<Item>(
  items: readonly Item[],
  isMeant: (item: Item) => boolean,
): Promise<Item[]> {
  const meant = await mapInTurns(items, isMeant)
  return items.filter((_, index) => meant[index])
}
