/** What the command takes from outside its arguments. Nothing else in it reads the environment. */
import { readFileSync } from 'node:fs'
import { baseUrlVariable } from '../contract/commands.js'
export const environment = {
  baseUrl: process.env[baseUrlVariable] || undefined,
  /** no-color.org: set and not empty. */
  noColor: Boolean(process.env['NO_COLOR']),
}
/** Of the package that this file is part of. */
export const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)
