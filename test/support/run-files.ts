import { existsSync, statfsSync } from 'node:fs'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { relative, resolve } from 'node:path'
import { inspect } from 'node:util'
import type { TestEvent } from 'node:test/reporters'
import { openPostgresServer } from './postgres.ts'

export type Engine = 'sqlite' | 'postgres'
type SlowTest = { name: string; where: string; seconds: number }
export type Count = { passed: number; failed: number; slow: SlowTest[] }

// Each file is a process of its own, and would compile everything anew: half a second each.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../../node_modules/.cache/compile', import.meta.url),
)

// Disks are slow beside memory. The tests of what survives are about killed processes, not power cuts.
const memoryDisk = '/dev/shm'
if (freeBytes(memoryDisk) > 4e9) process.env['TMPDIR'] ??= memoryDisk

/** One process of tests. */
export type Part = { engine: Engine; file: string }

type Run = {
  /** So many processes run at a time. */
  atOnce: number
  /** Only tests with these words in their names run. */
  words?: string | undefined
  env?: Record<string, string>
}

/**
 * Begins the parts in their order. Tells what failed, what could not be run here, and what a test
 * measured. An engine without a test is a failure.
 */
export async function runParts(
  parts: readonly Part[],
  { atOnce, words, env = {} }: Run,
): Promise<Count> {
  const engines = [...new Set(parts.map(({ engine }) => engine))]
  const counts = new Map(engines.map((engine) => [engine, newCount()]))
  const server = counts.has('postgres') ? await openPostgresServer() : undefined
  const testNamePatterns = words === undefined ? [] : [new RegExp(RegExp.escape(words))]
  const left = [...parts]
  const runNext = async () => {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      const own: NodeJS.ProcessEnv = { ...process.env, ...env, TEST_ENGINE: part.engine }
      if (part.engine === 'postgres') own['TEST_PG_URL'] = server!.url
      const events = run({ files: [part.file], testNamePatterns, env: own })
      for await (const event of events as AsyncIterable<TestEvent>)
        print(textOf(event, part.engine, counts.get(part.engine)!))
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, runNext))
  } finally {
    await server?.close()
  }
  const all = newCount()
  for (const [engine, count] of counts) {
    // Of the tests with these words each may be for the other engine.
    if (words === undefined && count.passed + count.failed === 0) count.failed = 1
    print(`\n${engine}: ${count.passed} passed, ${count.failed} failed\n`)
    all.passed += count.passed
    all.failed += count.failed
    all.slow.push(...count.slow)
  }
  return all
}

function newCount(): Count {
  return { passed: 0, failed: 0, slow: [] }
}

function textOf({ type, data }: TestEvent, engine: Engine, count: Count): string {
  if (type === 'test:stderr') return data.message
  // What a story counted, or an error after the end of its test, which fails the process.
  if (type === 'test:diagnostic') {
    return /^(?:\{|Error|Warning)/.test(data.message) ? `${data.message}\n` : ''
  }
  if (type !== 'test:pass' && type !== 'test:fail') return ''
  if (data.details.type === 'suite') return ''
  // A file passes as a whole if none of its tests has the words that were asked for.
  if (type === 'test:pass' && resolve(data.name) === data.file) return ''
  const where = data.file === undefined ? '' : `${relative('.', data.file)}:${data.line}`
  const seconds = data.details.duration_ms / 1_000
  if (seconds > 1) count.slow.push({ name: data.name, where: `${engine}, ${where}`, seconds })
  if (type === 'test:fail') {
    count.failed += 1
    const { error } = data.details
    return `\nFAILED on ${engine}: ${data.name}\n  ${where}\n${inspect(error.cause ?? error)}\n`
  }
  if (data.skip === undefined) count.passed += 1
  // Without a reason it is a test of the other engine.
  return typeof data.skip === 'string' ? `NOT RUN ${data.name}: ${data.skip}\n` : ''
}

/** Tests above a second, the longest first: each should buy what it costs. */
export function tellSlow(slow: readonly SlowTest[]): string {
  const lines = slow
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ name, where, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${name} (${where})\n`)
  return lines.length === 0
    ? ''
    : `\n${lines.length} tests took more than a second:\n${lines.join('')}`
}

export function print(text: string): void {
  process.stdout.write(text)
}

function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
