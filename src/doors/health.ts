/**
 * GET /api/lead answers `ok` only while a lead could be committed. GET /readyz shows the operator's
 * tools the state of the database, the deliveries, the disk and the backups.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { retryAfterS } from '../contract/limits.ts'
import { jsonAnswer, withHeaders, type App, type Ask } from '../http/message.ts'
import type { ReportFailure } from '../log.ts'
import { isOverdue, readBackupState } from '../store/backup-state.ts'
import type { DiskState } from '../store/files.ts'
import type { Prove, Store } from '../store/store.ts'
import { version } from '../config.ts'
import { corsHeaders } from './clients.ts'
import { errorAnswer } from './outcomes.ts'

export function createHealthDoor({ prove, now }: { prove: Prove; now: () => number }): App {
  const well = jsonAnswer(200, { status: 'ok' })
  const unwell = withHeaders(errorAnswer('STORAGE_UNAVAILABLE'), 'Retry-After', String(retryAfterS))
  const isProven = oncePerSecond(prove, now)
  return async (ask) => withHeaders((await isProven()) ? well : unwell, ...corsHeaders(ask))
}

/** Returns a function that calls `read` at most once a second. Further calls within that second get the same result. */
function oncePerSecond<T>(read: () => Promise<T>, now: () => number): () => Promise<T> {
  let lastAt = Number.NEGATIVE_INFINITY
  let last: Promise<T>
  return () => {
    const age = now() - lastAt
    // The age is negative if the clock was set back.
    if (age < 0 || age >= 1_000) {
      lastAt = now()
      last = read()
    }
    return last
  }
}

type IsOperator = (ask: Ask) => boolean

/** Recognises requests of the operator's tools: they send one of `tokens`, or come from this machine while the site is not published. */
export function recognizeOperator(tokens: readonly string[]): IsOperator {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const wanted = tokens.map((token) => digest(`Bearer ${token}`))
  return ({ address, headers }) => {
    // Tokens are compared as hashes of equal length, so that the time taken reveals nothing about them.
    const sent = digest(headers.authorization ?? '')
    return address.local || wanted.some((each) => timingSafeEqual(each, sent))
  }
}

/** Derives the token that commands such as `doctor` send. They can do so because they can read the secret. */
export function operatorToken(secret: Buffer): string {
  return createHmac('sha256', secret).update('operator').digest('base64url')
}

export type OperatorParts = {
  store: Store
  /** Reads the state of the disk that holds the database or the journal. If this is left out, the answer does not mention the disk. */
  readDisk?: (() => Promise<DiskState>) | undefined
  /** Time from one backup to the next. If this is left out, the service makes no backups by itself. */
  backupEveryMs?: number | undefined
  isOperator: IsOperator
  reportFailure: ReportFailure
  now: () => number
}

/**
 * Answers 503 if the operator must do something: the database is unavailable, the journal holds
 * refused leads, or deliveries were given up. Strangers see only `ready`. `GET /api/lead` tells
 * whether leads are still taken.
 */
export function createReadyDoor(parts: OperatorParts): App {
  const { store, readDisk, isOperator, reportFailure, now } = parts
  const started = new Date(now()).toISOString()
  /** Resolves to `undefined` and reports the failure if `reading` fails. */
  const orUndefined = <T>(event: string, reading: Promise<T>) =>
    reading.catch((error: unknown) => {
      reportFailure(event, error)
      return undefined
    })
  const look = async () => {
    const { away, journal } = await store.state(now())
    const deliveries = await orUndefined('ready.not-counted', countAll(parts))
    const ready = away === undefined && !journal?.refused && !deliveries?.dead
    return { away, journal, deliveries, ready }
  }
  const lookForStrangers = oncePerSecond(look, now)
  return async (ask) => {
    const isStranger = !isOperator(ask)
    const { away, journal, deliveries, ready } = await (isStranger ? lookForStrangers() : look())
    const status = ready ? 200 : 503
    if (isStranger) return jsonAnswer(status, { ready })
    const disk = await readDisk?.()
    return jsonAnswer(status, {
      ready,
      version,
      started,
      database: away ?? 'ok',
      journal: {
        leads: journal?.leads ?? 0,
        oldest_age_s:
          journal?.oldestAt === undefined ? 0 : Math.ceil((now() - journal.oldestAt) / 1000),
        refused: journal?.refused !== undefined,
      },
      deliveries,
      // A disk that is nearly full does not cause a 503, because leads are still taken.
      disk: disk && { free_mib: disk.freeMib, low: disk.isLow },
      // A backup that is overdue does not cause a 503 either.
      backup: await orUndefined('ready.no-backup-read', readBackupAge(parts)),
    })
  }
}

async function countAll({ store }: OperatorParts): Promise<{ waiting: number; dead: number }> {
  const all = { waiting: 0, dead: 0 }
  for (const { waiting, dead } of await store.countDeliveries()) {
    all.waiting += waiting
    all.dead += dead
  }
  return all
}

/** Ages of the newest backup and of the last test restore (drill); null if there was none. `undefined`: the service makes no backups. */
async function readBackupAge({ store, backupEveryMs, now }: OperatorParts) {
  if (backupEveryMs === undefined) return undefined
  const state = await readBackupState(store)
  const secondsSince = (time: number | undefined) =>
    time === undefined ? null : Math.max(0, Math.round((now() - time) / 1000))
  return {
    age_s: secondsSince(state.made?.at),
    drill_age_s: secondsSince(state.drilledAt),
    late: isOverdue(state, backupEveryMs, now()),
  }
}
