/** The servers that the cases start: what node is told to run. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Program = readonly string[]

/** What `npm start` tells node. */
const { scripts } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { scripts: { start: string } }
const likeStart = scripts.start.split(' ').filter((word) => word.startsWith('--'))
const service = [
  ...likeStart,
  fileURLToPath(new URL('../bin/lead-intake.js', import.meta.url)),
  'serve',
]

export const programs = {
  /** The production entry. */
  service,
  stubbedService: [
    ...likeStart,
    fileURLToPath(new URL('servers/stubbed-service.ts', import.meta.url)),
  ],
  slowService: [...likeStart, fileURLToPath(new URL('servers/slow-service.ts', import.meta.url))],
  oneTransaction: [
    ...likeStart,
    fileURLToPath(new URL('servers/one-transaction.ts', import.meta.url)),
  ],
  oneInsert: [...likeStart, fileURLToPath(new URL('servers/one-insert.ts', import.meta.url))],
  bareFixed: [fileURLToPath(new URL('servers/bare-fixed.js', import.meta.url))],
  bareBytes: [fileURLToPath(new URL('servers/bare-bytes.js', import.meta.url))],
  barePost: [fileURLToPath(new URL('servers/bare-post.js', import.meta.url))],
} as const satisfies Record<string, Program>
