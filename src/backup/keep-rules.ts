/** Which backups stay: for hours, days, weeks and months, the last one of each of the newest so many. */
import { rm } from 'node:fs/promises'
import { dayMs, hourMs } from '../time.ts'
import type { KeepRules } from '../setting-values.ts'
import { listBackups } from './names.ts'

/** Deletes what the rules do not keep of those that the clock made for this installation. Returns how many. */
export async function forgetBackups(
  folder: string,
  rules: KeepRules,
  installation: string,
): Promise<number> {
  const own = await listBackups(folder, installation)
  const forgotten = toForget(
    own.filter(({ byHand }) => !byHand),
    rules,
  )
  for (const { path } of forgotten) await rm(path, { force: true })
  return forgotten.length
}

/**
 * Only hours, days, weeks and months in which there is a backup count: those of a time before a long
 * pause stay. The newest one always does. By UTC, so that every machine decides the same.
 */
export function toForget<T extends { at: number }>(backups: readonly T[], rules: KeepRules): T[] {
  const newestFirst = backups.toSorted((one, other) => other.at - one.at)
  const kept = new Set(newestFirst.slice(0, 1))
  for (const unit of ['h', 'd', 'w', 'm'] as const) {
    const seen = new Set<number>()
    for (const backup of newestFirst) {
      const period = periodOf[unit](backup.at)
      if (seen.has(period)) continue
      if (seen.size >= rules[unit]) break
      seen.add(period)
      kept.add(backup)
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup))
}

/** The number of the hour, day, week or month. */
const periodOf = {
  h: (at: number) => Math.floor(at / hourMs),
  d: (at: number) => Math.floor(at / dayMs),
  // 1 January 1970 was a Thursday; a week begins on Monday.
  w: (at: number) => Math.floor((at / dayMs + 3) / 7),
  m: (at: number) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth(),
}
