/** The servers that the cases start: what node is told to run. */
import { fileURLToPath } from 'node:url'

export type Program = readonly string[]

const service = [fileURLToPath(new URL('../bin/lead-intake.js', import.meta.url)), 'serve']

export const programs = {
  /** The production entry. */
  service,
  stubbedService: [fileURLToPath(new URL('servers/stubbed-service.ts', import.meta.url))],
  slowService: [fileURLToPath(new URL('servers/slow-service.ts', import.meta.url))],
  oneTransaction: [fileURLToPath(new URL('servers/one-transaction.ts', import.meta.url))],
  bareFixed: [fileURLToPath(new URL('servers/bare-fixed.js', import.meta.url))],
  barePost: [fileURLToPath(new URL('servers/bare-post.js', import.meta.url))],
} as const satisfies Record<string, Program>
