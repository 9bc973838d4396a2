/**
 * Starts the writer thread with the compile cache on. `new Worker(url)` would strip its types and
 * compile it at every start, which takes about 200 ms: a thread does not inherit the cache.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WriterData } from './sqlite-writer.ts'

/** What it allocates lives for one commit. By default it would grow to as much as the service itself. */
const youngMb = 6

export function startWriterThread(workerData: WriterData): Worker {
  const program = new URL('sqlite-writer.ts', import.meta.url)
  const cache = getCompileCacheDir()
  // It returns a folder for this Node version, below the one that was set.
  const remember =
    cache === undefined ? '' : `enableCompileCache(${JSON.stringify(dirname(cache))});`
  return new Worker(
    `const { enableCompileCache, flushCompileCache } = require('node:module');
     ${remember}
     import(${JSON.stringify(program.href)}).then(() => flushCompileCache())`,
    { eval: true, workerData, resourceLimits: { maxYoungGenerationSizeMb: youngMb } },
  )
}
