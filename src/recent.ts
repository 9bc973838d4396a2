/**
 * A bounded map: keeps at least the latest `most` keys, and at most twice as many. It drops a whole
 * generation at a time: deleting the oldest key of a Map for each new one gets slower with every
 * hole it leaves.
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
