/** The operator's command as a process of its own. */
import { execFile } from 'node:child_process'
import { NODE_COMPILE_CACHE, endPause } from './service.ts'

export type Run = { code: number; out: string; error: string }

/** `env` of the place is that of its database. */
export function leadIntake(
  { dataDir, env: own = {} }: { dataDir: string; env?: Record<string, string> },
  args: string[],
  env: Record<string, string> = {},
  under: readonly string[] = [],
): Promise<Run> {
  const [program, ...words] = [...under, process.execPath, 'bin/lead-intake.js', ...args]
  return new Promise((resolve) => {
    const child = execFile(
      program!,
      words,
      {
        env: { PATH: process.env['PATH'], DATA_DIR: dataDir, NODE_COMPILE_CACHE, ...own, ...env },
      },
      (error, out, stderr) => resolve({ code: error ? Number(error.code) : 0, out, error: stderr }),
    )
    if (args[0] === 'serve') endPause(child)
  })
}

/** Runs a program without these capabilities of root, in a container that hands them on, too. */
export function withoutCapabilities(...names: string[]): string[] {
  const without = names.map((name) => `-${name}`).join()
  return process.getuid?.() === 0
    ? ['setpriv', `--inh-caps=${without}`, `--bounding-set=${without}`]
    : []
}

/** With the rights of an ordinary user: root may read everything, without these two. */
export const withoutRights = withoutCapabilities('dac_override', 'dac_read_search')
