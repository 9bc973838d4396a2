/** The health check (GET /api/lead), which says `ok` only while a lead could be committed, and /readyz. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isWithin } from '../store/clock.ts'
import { jsonAnswer } from '../http/answers.ts'
import { withHeaders, type App, type Ask } from '../http/message.ts'
import type { ReportFailure } from '../log.ts'
import { isBackupOverdue, readBackupState } from '../store/backup-state.ts'
import type { DiskState } from '../store/files.ts'
import { operatorToken } from '../store/secret.ts'
import type { Prove, Store } from '../store/store.ts'
import { version } from '../config.ts'
import { secondMs } from '../time.ts'
import { corsHeaders } from './clients.ts'
import { failureAnswer, unavailable } from './outcomes.ts'

export function createHealthDoor({ prove, now }: { prove: Prove; now: () => number }): App {
  const well = jsonAnswer(200, { status: 'ok' })
  const isProven = oncePerSecond(prove, now)
  return async (ask) =>
    (await isProven()) ? withHeaders(well, corsHeaders(ask)) : failureAnswer(ask, unavailable)
}

function oncePerSecond<T>(read: () => Promise<T>, now: () => number): () => Promise<T> {
  let lastAt = Number.NEGATIVE_INFINITY
  let last: Promise<T>
  return () => {
    if (!isWithin(secondMs, lastAt, now())) {
      lastAt = now()
      last = read()
    }
    return last
  }
}

type IsOperator = (ask: Ask) => boolean

/** The operator's tools send a token, or are recognised as tools on this machine (`local`). */
export function recognizeOperator(secret: Buffer, metricsToken?: string): IsOperator {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const tokens = [operatorToken(secret), ...(metricsToken ? [metricsToken] : [])]
  const wanted = tokens.map((token) => digest(`Bearer ${token}`))
  return ({ address, headers }) => {
    // Hashes have equal lengths, which `timingSafeEqual` needs.
    const sent = digest(headers.authorization ?? '')
    return address.local || wanted.some((each) => timingSafeEqual(each, sent))
  }
}

export type OperatorParts = {
  store: Store
  readDisk?: (() => Promise<DiskState>) | undefined
  /** `undefined`: the service makes no backups by itself. */
  backupEveryMs?: number | undefined
  isOperator: IsOperator
  reportFailure: ReportFailure
  now: () => number
}

/** Strangers learn only whether the service is ready. */
export function createReadyDoor(parts: OperatorParts): App {
  const { store, readDisk, isOperator, reportFailure, now } = parts
  const started = new Date(now()).toISOString()
  const orUndefined = <T>(event: string, reading: Promise<T>) =>
    reading.catch((error: unknown) => {
      reportFailure(event, error)
      return undefined
    })
  const check = async () => {
    const { away, journal } = await store.state(now())
    const deliveries = await orUndefined('ready.not-counted', countAll(parts))
    const ready = away === undefined && !journal?.refused && !deliveries?.dead
    return { away, journal, deliveries, ready }
  }
  const checkForStrangers = oncePerSecond(check, now)
  return async (ask) => {
    const isStranger = !isOperator(ask)
    const { away, journal, deliveries, ready } = await (isStranger ? checkForStrangers() : check())
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
      // A disk that is low or a backup that is late is shown, but causes no 503.
      disk: disk && { free_mib: disk.freeMib, low: disk.isLow },
      backup: await orUndefined('ready.no-backup-read', readBackupAge(parts)),
    })
  }
}

async function countAll({ store }: OperatorParts): Promise<{ waiting: number; dead: number }> {
  const all = { waiting: 0, dead: 0 }
  for (const { waiting, dead } of await store.deliveries.count()) {
    all.waiting += waiting
    all.dead += dead
  }
  return all
}

async function readBackupAge({ store, backupEveryMs, now }: OperatorParts) {
  if (backupEveryMs === undefined) return undefined
  const state = await readBackupState(store, now())
  const secondsSince = (time: number | undefined) =>
    time === undefined ? null : Math.max(0, Math.round((now() - time) / 1000))
  return {
    age_s: secondsSince(state.made?.at),
    drill_age_s: secondsSince(state.drilledAt),
    late: isBackupOverdue(state, backupEveryMs, now()),
  }
}
