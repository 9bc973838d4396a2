/**
 * Starts the writer thread. A thread does not share the compiled code that its process remembers,
 * and stripping types anew takes longer than all the rest of a start; so it is told where that is.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { WriterData } from './sqlite-writer.ts'

export function startWriterThread(workerData: WriterData): Worker {
  const program = new URL('sqlite-writer.ts', import.meta.url)
  const cache = getCompileCacheDir()
  // The directory it answers is one of the version's own, below the one that was asked for.
  const remember =
    cache === undefined ? '' : `enableCompileCache(${JSON.stringify(dirname(cache))});`
  return new Worker(
    `const { enableCompileCache, flushCompileCache } = require('node:module');
     ${remember}
     import(${JSON.stringify(program.href)}).then(() => flushCompileCache())`,
    { eval: true, workerData },
  )
}
