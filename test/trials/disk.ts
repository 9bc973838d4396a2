/**
 * A disk that can lose its power: what was synced is on it, of anything else it has some. A name is
 * synced with its folder, as POSIX has it; most file systems promise more.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { TraceEvent } from './trace.ts'

type Change = { at: number; bytes: Buffer } | { length: number }
type DiskFile = { synced: Buffer; changes: Change[] }
type Naming = { folder: string; apply(names: Map<string, DiskFile>): void }

export type Cut = 'drop' | 'some' | 'torn'

export const sectorBytes = 512

export type Disk = {
  paths(): string[]
  apply(event: TraceEvent): void
  /** Whether a cut could lose anything. */
  hasUnsynced(): boolean
  /** The files as they would be after a cut now, in another folder. */
  writeTo(target: string, cut: Cut, random: () => number): void
}

/** `folder` as it is now, and all of it synced. */
export function diskOf(folder: string): Disk {
  const names = new Map<string, DiskFile>(
    readdirSync(folder).map((name) => {
      const path = join(folder, name)
      return [path, { synced: readFileSync(path), changes: [] }]
    }),
  )
  let syncedNames = new Map(names)
  let namings: Naming[] = []

  return {
    paths: () => [...names.keys()],
    apply(event) {
      switch (event.kind) {
        case 'made': {
          const file: DiskFile = { synced: Buffer.alloc(0), changes: [] }
          return rename(event.path, (map) => map.set(event.path, file))
        }
        case 'moved':
        case 'linked': {
          const file = names.get(event.from)
          if (file === undefined) return
          return rename(event.path, (map) => {
            if (event.kind === 'moved') map.delete(event.from)
            map.set(event.path, file)
          })
        }
        case 'unlinked':
          return rename(event.path, (map) => map.delete(event.path))
        case 'wrote':
          return void names.get(event.path)?.changes.push({ at: event.at, bytes: event.bytes })
        case 'cut-to':
          return void names.get(event.path)?.changes.push({ length: event.length })
        case 'synced':
          return sync(event.path)
        case 'said':
      }
    },
    hasUnsynced: () =>
      namings.length > 0 || [...names.values()].some(({ changes }) => changes.length > 0),
    writeTo(target, cut, random) {
      const found = new Map(syncedNames)
      // The journal of a file system keeps their order.
      const reached = cut === 'drop' ? 0 : Math.floor(random() * (namings.length + 1))
      for (const { apply } of namings.slice(0, reached)) apply(found)
      for (const [path, { synced, changes }] of found) {
        const to = join(target, relative(folder, path))
        mkdirSync(dirname(to), { recursive: true })
        writeFileSync(to, changed(synced, survivors(changes, cut, random)), { mode: 0o600 })
      }
    },
  }

  function rename(path: string, apply: Naming['apply']): void {
    apply(names)
    namings.push({ folder: dirname(path), apply })
  }

  function sync(path: string): void {
    const file = names.get(path)
    if (file !== undefined) {
      file.synced = changed(file.synced, file.changes)
      file.changes = []
      return
    }
    const left: Naming[] = []
    syncedNames = new Map(syncedNames)
    for (const naming of namings) {
      if (naming.folder === path) naming.apply(syncedNames)
      else left.push(naming)
    }
    namings = left
  }
}

function survivors(changes: readonly Change[], cut: Cut, random: () => number): Change[] {
  if (cut === 'drop') return []
  return changes.flatMap((change) => {
    if (cut === 'some' || 'length' in change) return random() < 0.5 ? [change] : []
    return sectorsOf(change).filter(() => random() < 0.5)
  })
}

function sectorsOf({ at, bytes }: { at: number; bytes: Buffer }): Change[] {
  const sectors: Change[] = []
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + sectorBytes - ((at + from) % sectorBytes))
    sectors.push({ at: at + from, bytes: bytes.subarray(from, to) })
    from = to
  }
  return sectors
}

/** A new buffer: the old one is still what is synced. */
function changed(before: Buffer, changes: readonly Change[]): Buffer {
  let length = before.length
  let longest = length
  for (const change of changes) {
    length = 'length' in change ? change.length : Math.max(length, change.at + change.bytes.length)
    longest = Math.max(longest, length)
  }
  const after = Buffer.alloc(longest)
  before.copy(after)
  let end = before.length
  for (const change of changes) {
    if ('length' in change) {
      after.fill(0, Math.min(end, change.length), end)
      end = change.length
    } else {
      change.bytes.copy(after, change.at)
      end = Math.max(end, change.at + change.bytes.length)
    }
  }
  return after.subarray(0, end)
}
