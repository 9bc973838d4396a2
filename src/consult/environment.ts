/** What the command takes from its environment. Nothing else in it reads the environment. */
import { baseUrlVariable } from '../contract/commands.ts'

export const environment = {
  baseUrl: process.env[baseUrlVariable] || undefined,
  /** no-color.org: set and not empty. */
  noColor: Boolean(process.env['NO_COLOR']),
} as const
