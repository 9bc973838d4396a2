/** Runs test files on one engine and counts what passed and failed. */
import { existsSync, statfsSync } from 'node:fs'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openPostgresServer } from './postgres.ts'
import report from './reporter.ts'

export type Engine = 'sqlite' | 'postgres'
export type Count = { passed: number; failed: number }

// Each file is a process of its own, and would compile everything anew: half a second each.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/compile', import.meta.url),
)

// Disks are slow beside memory. The tests of what survives are about killed processes, not power cuts.
const memoryDisk = '/dev/shm'
if (freeBytes(memoryDisk) > 4e9) process.env['TMPDIR'] ??= memoryDisk

type Run = {
  concurrency: number
  tell?: (text: string) => void
  env?: Record<string, string>
}

/** A run that ends without its count is a failure. */
export async function runFiles(
  engine: Engine,
  files: string[],
  { concurrency, tell = print, env = {} }: Run,
): Promise<Count> {
  if (files.length === 0) return { passed: 0, failed: 0 }
  tell(`\non ${engine}:\n`)
  const server = engine === 'postgres' ? await openPostgresServer() : undefined
  try {
    const own = { TEST_ENGINE: engine, ...(server && { TEST_PG_URL: server.url }) }
    const running = run({ files, concurrency, env: { ...process.env, ...own, ...env } })
    let told = ''
    for await (const text of report(running)) {
      tell(text)
      told = (told + text).slice(-100)
    }
    const [, passed = '0', unwell = '1'] = /(\d+) passed, (\d+) failed\s*$/.exec(told) ?? []
    return { passed: Number(passed), failed: Number(unwell) }
  } finally {
    await server?.close()
  }
}

export function print(text: string): void {
  process.stdout.write(text)
}

function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
