/**
 * A map that remembers at least the latest `most` keys and at most twice as many. Two generations
 * in place of one eviction per entry: a Map whose first key is deleted again and again has to step
 * over all the holes that are left, which cost more than the rest of a lead.
 */
export type Recent<K, T> = {
  get(key: K): T | undefined
  set(key: K, value: T): void
}

export function createRecent<K, T>(most: number): Recent<K, T> {
  let young = new Map<K, T>()
  let old = new Map<K, T>()
  return {
    get: (key) => young.get(key) ?? old.get(key),
    set(key, value) {
      young.set(key, value)
      if (young.size < most) return
      old = young
      young = new Map()
    },
  }
}
