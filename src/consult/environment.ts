/** What the command takes from outside its arguments. Nothing else in it reads the environment. */
import { readFileSync } from 'node:fs'
import { baseUrlVariable } from '../contract/commands.ts'

export const environment = {
  baseUrl: process.env[baseUrlVariable] || undefined,
  /** no-color.org: set and not empty. */
  noColor: Boolean(process.env['NO_COLOR']),
} as const

/** Of the package that this file is part of. `homeUrl`: the site that packed it; a checkout has none. */
export const { version, baseUrl: homeUrl } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; baseUrl?: string }
