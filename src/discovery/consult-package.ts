/** The client's command as a package for npm, and its version. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The same as that of the service. */
export const { version: consultVersion } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

const packer = fileURLToPath(new URL('pack-consult.ts', import.meta.url))
// Stripping types is an experiment of Node's.
const flags = ['--disable-warning=ExperimentalWarning']

/**
 * Byte for byte the same for the same address, source and version. In a process of its own: Node's
 * parser of TypeScript blocks for a while, and a thread would leave 30 MB behind.
 */
export async function packConsult(baseUrl: string): Promise<Buffer> {
  const words = [...flags, packer, baseUrl, consultVersion]
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    encoding: 'buffer',
    env: {},
  })
  return stdout
}
