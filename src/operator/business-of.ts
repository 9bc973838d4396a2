/** The facts of the business, for a command. Not in `open.ts`, so that `serve` starts without loading YAML. */
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { readBusiness } from '../site/business.ts'
import { refuseMissingContent } from './open.ts'

export function readBusinessOf(settings: Settings): Business {
  refuseMissingContent(settings)
  return readBusiness(join(settings.CONTENT_DIR, 'business.yaml'))
}
