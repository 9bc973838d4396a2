/** Room on the disk of the database, or of the journal. */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { repeatByClock, type ByClock } from '../by-clock.ts'
import { minuteMs, secondMs } from '../durations.ts'
import { errorFacts, type Report } from '../log.ts'

const mebibyte = 1024 * 1024
/** Below this the owner is told. */
export const lowDiskMib = 500
/** After a start, the first leads come first. */
const firstLookMs = 10 * secondMs

export type DiskState = { freeMib: number; isLow: boolean }

/** `file`: of the database, or of the journal. */
export async function readDisk(file: string): Promise<DiskState> {
  const { bavail, bsize } = await statfs(dirname(file))
  const freeMib = Math.floor((bavail * bsize) / mebibyte)
  return { freeMib, isLow: freeMib < lowDiskMib }
}

export type Room = { freeBytes: number; sizeBytes: number }

/** For monitoring. */
export async function readRoom(file: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(dirname(file))
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

/** Reports when the disk gets low. */
export function watchDisk(file: string, report: Report): ByClock {
  let wasLow = false
  return repeatByClock(async () => {
    await look().catch((error: unknown) => report('disk.not-read', errorFacts(error)))
    return minuteMs
  }, firstLookMs)

  async function look(): Promise<void> {
    const { freeMib, isLow } = await readDisk(file)
    if (isLow && !wasLow) report('disk.low', { free_mib: freeMib })
    wasLow = isLow
  }
}
