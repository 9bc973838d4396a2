/** The facts of the business, for a command. Apart from `open.ts`, so that the service starts without YAML. */
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import type { Business } from '../contract/business.ts'
import { readBusiness } from '../site/business.ts'

export function readBusinessOf({ CONTENT_DIR }: Settings): Business {
  return readBusiness(join(CONTENT_DIR, 'business.yaml'))
}
