/** The operator's command as a process of its own. */
import { execFile } from 'node:child_process'
import { cacheDir } from './service.ts'

export type Run = { code: number; out: string; error: string }

/** `env` of the place is that of its database. */
export function leadIntake(
  { dataDir, env: own = {} }: { dataDir: string; env?: Record<string, string> },
  args: string[],
  env: Record<string, string> = {},
): Promise<Run> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['bin/lead-intake.js', ...args],
      {
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir, CACHE_DIR: cacheDir, ...own, ...env },
      },
      (error, out, stderr) => resolve({ code: error ? Number(error.code) : 0, out, error: stderr }),
    )
  })
}
