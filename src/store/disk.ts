/** Room on the disk of the database, or of the journal. */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { repeatByClock, type ByClock, minuteMs, secondMs } from '../time.ts'
import { errorFacts, type Report } from '../log.ts'

/** Below this the owner is told. */
export const lowDiskMib = 500

export type Room = { freeBytes: number; sizeBytes: number }
export type DiskState = { freeMib: number; isLow: boolean }

/** `file`: of the database, or of the journal. */
export async function readDisk(file: string): Promise<DiskState & Room> {
  const { bavail, blocks, bsize } = await statfs(dirname(file))
  const freeBytes = bavail * bsize
  const freeMib = Math.floor(freeBytes / (1024 * 1024))
  return { freeBytes, sizeBytes: blocks * bsize, freeMib, isLow: freeMib < lowDiskMib }
}

/** Reports when the disk gets low. After a start, the first leads come first. */
export function watchDisk(file: string, report: Report): ByClock {
  let wasLow = false
  return repeatByClock(async () => {
    try {
      const { freeMib, isLow } = await readDisk(file)
      if (isLow && !wasLow) report('disk.low', { free_mib: freeMib })
      wasLow = isLow
    } catch (error) {
      report('disk.not-read', errorFacts(error))
    }
    return minuteMs
  }, 10 * secondMs)
}
