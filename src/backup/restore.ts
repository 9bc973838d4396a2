/**
 * Puts an unpacked bundle in the place of what is there. What is there stays as `before-restore-…`, and
 * what was erased since the backup is erased again before anybody sees it.
 */
import { existsSync, linkSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { eraseLead } from '../lead/move.ts'
import { shutOut } from '../store/access/carry-over.ts'
import type { ShutOut } from '../store/access/carry-over.ts'
import { replacedFile } from '../store/before-restore.ts'
import { keepPrivate } from '../store/engine/sqlite-file.ts'
import { makeFolder } from '../store/engine/folder.ts'
import type { Erased } from '../store/erased-file.ts'
import { openLeads } from '../store/open.ts'
import { renewFile } from '../store/restored.ts'
import { readSecret, changeSecret, secretPath } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { compareContent, placeContent } from './content.ts'
import type { ContentRestored } from './content.ts'
import { contentName, databaseName } from './manifest.ts'
import type { PutAside, Present } from './present.ts'

export type RestoreParts = {
  settings: Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'CONTENT_DIR'>
  /** Of the unpacked bundle, on the disk of the database. */
  folder: string
  present: Present
  stamp: string
  now: () => number
  /** Everything but the replacing. */
  dryRun: boolean
}

export type Restored = {
  erasedAgain: number
  /** Members and passkeys of the backup that had been removed since. */
  shutOut: ShutOut
  /** Where what was there is now. */
  keptAs: string | undefined
  /** How many leads it has. `undefined`: it cannot be read. */
  keptLeads: number | undefined
  /** How many of them are newer than the backup. */
  keptLater: number | undefined
  /** `replaced`: a service that runs has to be restarted, for it still uses the one of before. */
  secret: 'same' | 'new' | 'replaced'
  content: ContentRestored
}

export async function restoreBundle(parts: RestoreParts): Promise<Restored> {
  const { settings, folder, present, now, dryRun } = parts
  const file = join(folder, databaseName)
  const bundled = join(folder, contentName)
  let erasedAgain = 0
  let shut: ShutOut = { members: 0, passkeys: 0 }
  await renewFile(file, now(), async (store) => {
    erasedAgain = await eraseAgain(store, present.erased)
    if (present.letIn !== undefined) shut = await shutOut(store.access, present.letIn)
  })
  const restored: Restored = {
    erasedAgain,
    shutOut: shut,
    keptAs: present.keepAs,
    keptLeads: present.leads,
    keptLater: present.later,
    secret: compareSecrets(settings.DATA_DIR, folder),
    content: compareContent(settings.CONTENT_DIR, bundled),
  }
  if (dryRun) return restored
  if (restored.content === 'restored') placeContent(settings.CONTENT_DIR, bundled)
  if (restored.secret !== 'same') placeSecret(settings.DATA_DIR, folder, parts.stamp)
  const kept = await present.replace(file, folder)
  await catchUp(kept)
  const { keepAs: keptAs, leads: keptLeads, later: keptLater } = kept
  return { ...restored, erasedAgain, shutOut: shut, keptAs, keptLeads, keptLater }

  /** The service may have erased leads and removed members until the database was replaced. */
  async function catchUp({ erased, letIn }: PutAside): Promise<void> {
    const known = new Set(present.erased.map(({ leadId }) => leadId))
    const store = await openLeads(settings)
    try {
      for (const { leadId, at } of eachOnce(erased.filter((each) => !known.has(each.leadId)))) {
        const outcome = await eraseLead(store, { leadId, at })
        if (outcome.kind === 'erased' && outcome.from !== 'erased') erasedAgain += 1
      }
      if (letIn === undefined) return
      const { members, passkeys } = await shutOut(store.access, letIn)
      shut = { members: shut.members + members, passkeys: shut.passkeys + passkeys }
    } finally {
      await store.close()
    }
  }
}

const batchSize = 100

/** In a file that nobody else has open. Retention may have erased very many since. */
async function eraseAgain(store: Store, erased: readonly Erased[]): Promise<number> {
  let done = 0
  for (const batch of inBatches(eachOnce(erased))) {
    const atOf = new Map(batch.map(({ leadId, at }) => [leadId, at]))
    const leads = (await store.findLeads([...atOf.keys()])).filter(
      ({ state }) => state !== 'erased',
    )
    for (const lead of leads) {
      await store.eraseLead(lead, { by: 'owner', at: atOf.get(lead.id)! })
    }
    done += leads.length
  }
  if (done > 0) await store.reindexWords()
  return done
}

function inBatches<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / batchSize)
  return Array.from({ length: count }, (_, index) =>
    all.slice(index * batchSize, (index + 1) * batchSize),
  )
}

/** Each lead once, by the time it was first erased. */
function eachOnce(erased: readonly Erased[]): Erased[] {
  const newestFirst = erased.toSorted((one, other) => other.at - one.at)
  const first = new Map(newestFirst.map((each) => [each.leadId, each]))
  return [...first.values()]
}

function compareSecrets(dataDir: string, folder: string): Restored['secret'] {
  const path = secretPath(dataDir)
  if (!existsSync(path)) return 'new'
  const isSame = readFileSync(path).equals(readFileSync(secretPath(folder)))
  return isSame ? 'same' : 'replaced'
}

function placeSecret(dataDir: string, folder: string, stamp: string): void {
  makeFolder(dataDir)
  keepPrivate(dataDir, 0o700)
  const path = secretPath(dataDir)
  if (existsSync(path)) linkSync(path, join(dataDir, replacedFile(stamp, 'secret')))
  changeSecret(path, readSecret(folder))
}
