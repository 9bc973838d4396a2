/**
 * Restores a backup, or tries that out in a temporary folder (a drill). Leads that were erased since
 * the backup was made are erased again before anybody sees them.
 */
import { existsSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../config.ts'
import { minuteMs } from '../time.ts'
import { actOn, eraseLead } from '../lead/act.ts'
import { move } from '../lead/life.ts'
import { plural } from '../words.ts'
import { pushChannel } from '../contract/notices.ts'
import { isPostgres } from '../setting-values.ts'
import {
  closeLog,
  dropFiles,
  fillServer,
  hasMembers,
  readFiles,
  readPictureNames,
  readPresent,
  refuseFullServer,
  renewFile,
  replaceFile,
  type Present,
} from '../store/backup-file.ts'
import { readErased, type Erased } from '../store/leads/erasing.ts'
import { takeLock } from '../store/engine/sqlite-lock.ts'
import { databaseOf, fileOf, openLeadsToRead, withPictures } from '../store/open.ts'
import { decodeSecret, readSecret, secretPath, writeSecret } from '../store/secret.ts'
import { copyPictures } from '../store/photos/pictures.ts'
import type { Store } from '../store/store.ts'
import {
  BackupRefused,
  contentPrefix,
  openBackup,
  secretName,
  withWorkFolder,
  type OpenedBackup,
} from './file.ts'
import { refuseWithoutRoom } from './make.ts'
import { installationOf, toStamp } from './names.ts'
import { folderOfPictures } from './picture-lists.ts'
import { BackupPictures, checkPictures } from './pictures.ts'

export type RestoreParts = {
  settings: Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'CONTENT_DIR'>
  file: string
  keyFile?: string | undefined
  /** Accepts a backup of another installation. */
  yes?: boolean
  /** The photos are checked where they are. */
  isDrill?: boolean
}

export type Restored = OpenedBackup & {
  erasedAgain: number
  /** `undefined` if the database here had members, who are kept instead of those of the backup. */
  members: { name: string; email: string }[] | undefined
  keptAs?: string
  /** How many leads the replaced file has, and how many came after the backup. Missing if it is unreadable. */
  kept?: { leads: number; later: number }
  content: 'restored' | 'left'
  missingPictures: number
  /** Emails to senders that waited in the backup are dropped. Other notices wait and are sent. */
  notices: { dropped: number; waiting: number }
}

/** Refuses an unusable backup before anything is changed. */
export async function restoreBackup(parts: RestoreParts): Promise<Restored> {
  const place = fileOf(parts.settings)
  const lock = await takeLock(place)
  try {
    // The work folder is on the disk of the database, so that the file can be renamed into place.
    return await withWorkFolder(dirname(place), (work) => restoreIn(work, parts))
  } finally {
    lock.release()
  }
}

async function restoreIn(work: string, parts: RestoreParts): Promise<Restored> {
  const { settings, file, keyFile, yes = false } = parts
  const { DATA_DIR, CONTENT_DIR } = settings
  const opened = await openBackup(file, work, keyFile)
  const path = opened.database
  const files = readFiles(path)
  const secretHere = findSecret(DATA_DIR)
  if (!yes) refuseOtherInstallation(opened, secretHere)
  const database = databaseOf(settings)
  const onServer = isPostgres(database)
  if (onServer) await refuseFullServer(database)
  const present = onServer ? undefined : readPresent(database, path)
  const renewed = await renew(path, present, DATA_DIR)
  const names = readPictureNames(path)

  const stamp = toStamp(Date.now())
  const keptAs = join(dirname(database), `${keptPrefix}${stamp}.sqlite`)
  const isKept = !onServer && existsSync(database)
  // Refuses if another program uses the database, so it comes before anything is changed.
  if (isKept) closeLog(database, keptAs)
  const content = placeContent(CONTENT_DIR, files)
  const secret = decodeSecret(files.get(secretName)!)!
  if (!secretHere?.equals(secret)) replaceSecret(DATA_DIR, secret, stamp)
  const missingPictures = await placePictures(parts, names)
  // Comes last: until the database is replaced, the same restore can be done again.
  if (onServer) await fillServer(database, path, DATA_DIR)
  else replaceFile(database, path, keptAs)
  return {
    ...opened,
    ...renewed,
    content,
    missingPictures,
    ...(isKept && { keptAs }),
    ...(present && { kept: { leads: present.leads, later: present.later } }),
  }
}

/** `undefined` in a new folder. Throws if the secret that is there cannot be read. */
/** Returns how many pictures are not in the folder of the backup, and not here either. */
async function placePictures(
  { settings, file, keyFile, isDrill }: RestoreParts,
  names: readonly string[],
): Promise<number> {
  if (isDrill) return 0
  const kept = new BackupPictures(folderOfPictures(dirname(file)), { keyFile })
  const placed = await withPictures(settings, (here) => copyPictures(names, kept, here))
  return names.length - placed.length
}

function findSecret(dataDir: string): Buffer | undefined {
  return existsSync(secretPath(dataDir)) ? readSecret(dataDir) : undefined
}

function refuseOtherInstallation(
  { installation }: OpenedBackup,
  secretHere: Buffer | undefined,
): void {
  if (secretHere === undefined) return
  const here = installationOf(secretHere)
  if (here === installation) return
  throw new BackupRefused(
    `it is from another installation (${installation}; this one is ${here}). After restoring it, the receipts that were given here no longer open. Add --yes if you mean to do that`,
  )
}

/** Erases again what was erased since the backup, and drops what must not be restored. */
async function renew(
  path: string,
  present: Present | undefined,
  dataDir: string,
): Promise<Pick<Restored, 'erasedAgain' | 'members' | 'notices'>> {
  const erased = [...(await readErased(dataDir)), ...(present?.erased ?? [])]
  let erasedAgain = 0
  let members: Restored['members']
  let waiting = 0
  const dropped = await renewFile(path, present, async (store) => {
    await freeJoined(store, erased)
    // A lead that is in both lists counts only once.
    for (const each of erased) {
      const outcome = await eraseLead(store, each)
      if (outcome.kind === 'erased' && outcome.from !== 'erased') erasedAgain += 1
    }
    if (!hasMembers(present)) members = await store.access.listMembers()
    waiting = await countWaiting(store)
  })
  dropFiles(path)
  return { erasedAgain, members, notices: { dropped, waiting } }
}

/**
 * In the backup a request may be joined with one that was erased since. If it is not erased itself, the
 * sender erased only that other one, so this one is new again.
 */
async function freeJoined(store: Store, erased: readonly Erased[]): Promise<void> {
  const all = new Set(erased.map(({ leadId }) => leadId))
  for (const { leadId, at } of erased) {
    const lead = await store.leads.find(leadId)
    const joined = lead === undefined ? [] : (await store.leads.familyOf(lead)).joined
    for (const { id, joinedTo } of joined) {
      if (joinedTo === leadId && !all.has(id))
        await actOn(store, id, move('new', {}, { by: 'sender', at }))
    }
  }
}

/** Leaves out notifications on phones: after a restore there is no device that would get them. */
async function countWaiting(store: Store): Promise<number> {
  const counts = await store.deliveries.count()
  const sent = counts.filter(({ channel }) => channel !== pushChannel)
  return sent.reduce((sum, { waiting }) => sum + waiting, 0)
}

/** Begins the names of files that a restore replaced. Erasing a lead does not reach them. */
export const keptPrefix = 'before-restore-'

/** Keeps the replaced secret under another name. */
function replaceSecret(dataDir: string, secret: Buffer, stamp: string): void {
  const path = secretPath(dataDir)
  if (existsSync(path)) linkSync(path, join(dataDir, `${keptPrefix}${stamp}.secret`))
  writeSecret(dataDir, secret)
}

/** Leaves content that is there already, because it may be newer. */
function placeContent(contentDir: string, files: Map<string, Buffer>): Restored['content'] {
  if (existsSync(join(contentDir, 'business.yaml'))) return 'left'
  for (const [name, bytes] of files) {
    if (!name.startsWith(contentPrefix)) continue
    const file = join(contentDir, name.slice(contentPrefix.length))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
  return 'restored'
}

/** Restores into a temporary folder, as a test of the backup. */
export function drillBackup(
  settings: Settings,
  file: string,
  keyFile?: string,
): Promise<OpenedBackup> {
  return withWorkFolder(settings.DATA_DIR, async (work) => {
    refuseWithoutRoom(settings, work)
    const [dataDir, contentDir] = [join(work, 'data'), join(work, 'content')]
    const place = { DATA_DIR: dataDir, DATABASE_URL: undefined, CONTENT_DIR: contentDir }
    const opened = await restoreBackup({ settings: place, file, keyFile, isDrill: true })
    await checkPictures(file, readPictureNames(databaseOf(place)), keyFile)
    if (!readSecret(dataDir).equals(readSecret(settings.DATA_DIR))) {
      throw new BackupRefused('its secret is not that of the service')
    }
    await refuseMissingLeads(opened, settings)
    return opened
  })
}

/** A lead that came just before the backup may be missing in it, because it was committed later. */
const commitMs = minuteMs

async function refuseMissingLeads(opened: OpenedBackup, settings: Settings): Promise<void> {
  // With PostgreSQL a lead may wait in a journal and be committed long after it was received, so a
  // lead that the backup lacks does not show that the backup is incomplete.
  if (opened.engine === 'postgres') return
  const live = await openLeadsToRead(settings)
  const before = Date.parse(opened.made) - commitMs
  const counts = await live.views.countReceived({ from: 0, before })
  await live.close()
  const missing = Object.values(counts).reduce((sum, count) => sum + count, -opened.leads)
  if (missing > 0)
    throw new BackupRefused(`it lacks ${plural(missing, 'lead')} that came before it`)
}
