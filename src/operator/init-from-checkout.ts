/** Takes content, data and settings of a site out of a clone of the program. The clone stays as it is. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseEnv } from 'node:util'
import { isInUse } from '../store/engine/sqlite-in-use.ts'
import { CommandFailed } from './output.ts'

export function takeOutOfCheckout(clone: string, site: string): void {
  const env = join(clone, '.env')
  const settings = existsSync(env) ? parseEnv(readFileSync(env, 'utf8')) : {}
  const content = settings['CONTENT_DIR'] || 'content'
  const data = settings['DATA_DIR'] || 'data'
  if (!existsSync(join(placeOf(clone, content), 'business.yaml'))) {
    throw new CommandFailed('usage', `There is no content with a business.yaml in ${clone}.`)
  }
  refuseRunning(placeOf(clone, data))
  mkdirSync(site, { recursive: true })
  if (existsSync(env)) cpSync(env, join(site, '.env'))
  // What the settings name by its whole path stays where it is, and is found there.
  for (const folder of [content, data].filter((path) => !isAbsolute(path))) {
    const from = join(clone, folder)
    if (!existsSync(from)) continue
    cpSync(from, join(site, folder), { recursive: true, filter: isKept })
  }
}

function placeOf(clone: string, path: string): string {
  return isAbsolute(path) ? path : join(clone, path)
}

/** A lead that comes in after the copy would be in the clone only. */
function refuseRunning(data: string): void {
  if (!globSync(join(data, '*.sqlite')).some(isInUse)) return
  throw new CommandFailed('unwell', `The service runs on ${data}. Stop it first.`)
}

/** The rest is made anew. */
function isKept(path: string): boolean {
  return !/\/cache$|-shm$/.test(path)
}
