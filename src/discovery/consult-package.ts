/** The client's command as a package for npm, and its version. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { PackData } from './pack-consult.ts'

/** The same as that of the service. */
export const { version: consultVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** Byte for byte the same for the same address, source and version. */
export async function packConsult(baseUrl: string): Promise<Buffer> {
  const workerData: PackData = { baseUrl, version: consultVersion }
  const worker = new Worker(new URL('pack-consult.ts', import.meta.url), { workerData })
  const [packed] = (await once(worker, 'message')) as [Uint8Array]
  return Buffer.from(packed)
}
