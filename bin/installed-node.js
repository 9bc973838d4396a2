/**
 * The Node that npm installed with the package, for `npx lead-intake` where the system's is too old.
 * use-node.sh does the same without a process in between, and hands sockets over. Plain JavaScript
 * that every Node since 20 reads.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import os from 'node:os'
import { dirname, join } from 'node:path'

/** Runs this command on it, in a process that gets the signals of this one. False: there is none. */
export function runOnInstalledNode() {
  const node = findInstalledNode()
  if (node === undefined) return false
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
    process.on(signal, () => child.kill(/** @type {NodeJS.Signals} */ (signal)))
  }
  child.once('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]))
  })
  return true
}

function findInstalledNode() {
  try {
    const { resolve } = createRequire(import.meta.url)
    const node = join(dirname(resolve(`node-linux-${process.arch}/package.json`)), 'bin/node')
    return spawnSync(node, ['--version']).status === 0 ? node : undefined
  } catch {
    // Not installed.
    return undefined
  }
}
