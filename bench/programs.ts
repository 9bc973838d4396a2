/** The commands that start the servers. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath as toPath } from 'node:url'

export type Program = {
  /** Node, its flags, a file and its arguments. */
  command: readonly string[]
  /** The service reads content/ and `.env` from its working folder. */
  cwd: string
}

/** A checkout of this project. Each runs on its own Node with the flags of its own `npm start`. */
export type Checkout = {
  folder: string
  nodeVersion: string
  /** Node and its flags. */
  node: readonly string[]
  /** What `npm start` runs. */
  service: Program
  /** The checkout's own bench/servers/stubbed-service.ts, because src/ differs between checkouts. */
  stubbedService: Program
}

const root = join(import.meta.dirname, '..')
const stubbedPath = relative(root, toPath(new URL('servers/stubbed-service.ts', import.meta.url)))

export const here = readCheckout(root)

export const programs = {
  service: here.service,
  stubbedService: here.stubbedService,
  slowService: service(new URL('servers/slow-service.ts', import.meta.url)),
  oneTransaction: service(new URL('servers/one-transaction.ts', import.meta.url)),
  oneInsert: service(new URL('servers/one-insert.ts', import.meta.url)),
  bareFixed: bareServer(new URL('servers/bare-fixed.js', import.meta.url)),
  bareBytes: bareServer(new URL('servers/bare-bytes.js', import.meta.url)),
  barePost: bareServer(new URL('servers/bare-post.js', import.meta.url)),
} as const satisfies Record<string, Program>

export function readCheckout(given: string): Checkout {
  const folder = resolve(given)
  const path = nodeOf(folder)
  const { flags, entry } = readStart(folder)
  const node = [path, ...flags]
  return {
    folder,
    nodeVersion: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(),
    node,
    service: { command: [...node, join(folder, entry), 'serve'], cwd: folder },
    stubbedService: { command: [...node, join(folder, stubbedPath)], cwd: folder },
  }
}

/** The Node that `npm start` uses there. */
function nodeOf(folder: string): string {
  const installed = [`node-linux-${process.arch}/bin/node`, '.bin/node']
  const paths = installed.map((path) => join(folder, 'node_modules', path))
  return paths.find((path) => existsSync(path)) ?? process.execPath
}

/** Reads the start script, for example `exec node --max-semi-space-size=8 bin/lead-intake.js serve`. */
function readStart(folder: string): { flags: string[]; entry: string } {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const words = scripts.start.split(' ')
  const at = words.findIndex((word) => word.endsWith('.js'))
  if (at === -1) throw new Error(`No .js file in the start script of ${folder}: ${scripts.start}`)
  return { flags: words.slice(0, at).filter((word) => word.startsWith('-')), entry: words[at]! }
}

function service(file: URL): Program {
  return { command: [...here.node, toPath(file)], cwd: root }
}

function bareServer(file: URL): Program {
  return { command: [here.node[0]!, toPath(file)], cwd: root }
}
