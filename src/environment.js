/**
 * The environment, and the folder of the caches. Plain JavaScript that every Node since 20 reads: bin/
 * needs it before anything else is loaded, because what is loaded earlier is not cached.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

/** Not by an import statement, which would load all that node:util offers: 4 ms. */
const util = /** @type {typeof import('node:util')} */ (createRequire(import.meta.url)('node:util'))

/** @typedef {Readonly<Record<string, string | undefined>>} Environment */

/**
 * The environment of the process; then a `.env` file in the working folder.
 *
 * @returns {Environment}
 */
export function readEnvironment() {
  return { ...util.parseEnv(readEnvText()), ...process.env }
}

/**
 * Where compiled code and the rendered site are kept.
 *
 * @param {Environment} environment
 */
export function cacheFolderOf({ CACHE_DIR, CACHE_DIRECTORY, DATA_DIR }) {
  if (CACHE_DIR) return resolve(CACHE_DIR)
  // systemd may name several.
  if (CACHE_DIRECTORY) return resolve(CACHE_DIRECTORY.split(':')[0] ?? '')
  return join(resolve(DATA_DIR || './data'), 'cache')
}

/**
 * Of compiled code. `undefined` where it would make the data folder: only a start of the service does.
 *
 * @public for bin/, which imports it from src/ or from dist/
 * @param {Environment} environment
 */
export function compileCacheOf(environment) {
  const folder = cacheFolderOf(environment)
  const isInData = !environment.CACHE_DIR && !environment.CACHE_DIRECTORY
  return isInData && !existsSync(join(folder, '..')) ? undefined : join(folder, 'compile')
}

/** '' where there is no such file. */
export function readEnvText() {
  try {
    return readFileSync('.env', 'utf8')
  } catch {
    return ''
  }
}
