/** The servers that the cases start: what node is told to run. */
import { fileURLToPath } from 'node:url'
import { startFlags } from '../test/support/start-flags.ts'

export type Program = readonly string[]

const service = [
  ...startFlags,
  fileURLToPath(new URL('../bin/lead-intake.js', import.meta.url)),
  'serve',
]

export const programs = {
  /** The production entry. */
  service,
  stubbedService: [
    ...startFlags,
    fileURLToPath(new URL('servers/stubbed-service.ts', import.meta.url)),
  ],
  slowService: [...startFlags, fileURLToPath(new URL('servers/slow-service.ts', import.meta.url))],
  oneTransaction: [
    ...startFlags,
    fileURLToPath(new URL('servers/one-transaction.ts', import.meta.url)),
  ],
  oneInsert: [...startFlags, fileURLToPath(new URL('servers/one-insert.ts', import.meta.url))],
  bareFixed: [fileURLToPath(new URL('servers/bare-fixed.js', import.meta.url))],
  bareBytes: [fileURLToPath(new URL('servers/bare-bytes.js', import.meta.url))],
  barePost: [fileURLToPath(new URL('servers/bare-post.js', import.meta.url))],
} as const satisfies Record<string, Program>
