/**
 * Room on the disk: how much is left, and a reserve file beside the database. When the disk is full
 * the writer deletes the reserve, so that the last leads, and the letters about them, still fit.
 */
import { existsSync } from 'node:fs'
import { open, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomBytes } from 'node:crypto'
import { repeatByClock } from '../by-clock.ts'
import type { ByClock } from '../by-clock.ts'
import { errorFacts } from '../log.ts'
import type { Report } from '../log.ts'
import { logOf, reserveOf } from './engine/sqlite-file.ts'

const mebibyte = 1024 * 1024
/** Below this the owner is told. */
export const lowDiskMib = 500
const reserveMib = 16
/** So that the reserve itself does not fill the disk. */
const roomForReserveMib = 4 * reserveMib
const lookMs = 10_000

export type DiskState = { freeMib: number; isLow: boolean; hasReserve: boolean }

/** `file`: of the database, or of the journal. */
export async function readDisk(file: string): Promise<DiskState> {
  const { bavail, bsize } = await statfs(dirname(file))
  const freeMib = Math.floor((bavail * bsize) / mebibyte)
  return { freeMib, isLow: freeMib < lowDiskMib, hasReserve: existsSync(reserveOf(file)) }
}

export type Room = { freeBytes: number; sizeBytes: number; logBytes: number }

/** For monitoring: of the disk, and of the write-ahead log. */
export async function readRoom(file: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(dirname(file))
  const log = await stat(logOf(file)).catch(() => undefined)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize, logBytes: log?.size ?? 0 }
}

/** Makes the reserve, and makes it again once there is room. Reports when the disk gets low. */
export function watchDisk(file: string, report: Report): ByClock {
  let wasLow = false
  return repeatByClock(async () => {
    await look().catch((error: unknown) => report('disk.not-read', errorFacts(error)))
    return lookMs
  }, lookMs)

  async function look(): Promise<void> {
    const { freeMib, isLow, hasReserve } = await readDisk(file)
    if (isLow && !wasLow) report('disk.low', { free_mib: freeMib })
    wasLow = isLow
    if (!hasReserve && freeMib >= roomForReserveMib) await makeReserve(reserveOf(file))
  }
}

/** Random bytes, synced: a sparse or compressed file would reserve nothing. */
async function makeReserve(path: string): Promise<void> {
  const unfinished = `${path}.new`
  const file = await open(unfinished, 'w', 0o600)
  try {
    const bytes = randomBytes(mebibyte)
    for (let written = 0; written < reserveMib; written += 1) await file.write(bytes)
    await file.sync()
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
