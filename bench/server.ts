/** The servers of the benchmark: each a process of its own, on a loopback port, with its own folder. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../test/support/load.ts'
import { freePort, startFlags } from '../test/support/service.ts'
import { Client } from './load.ts'
import { health } from './templates.ts'

const root = join(import.meta.dirname, '..')
const servers = join(import.meta.dirname, 'servers')

/** Arguments of Node, which is the one that `npm start` uses. */
export const programs = {
  service: [...startFlags, 'bin/lead-intake.js', 'serve'],
  slowCommits: [...startFlags, join(servers, 'slow-commits.ts')],
  /** What a user would pick instead. */
  express: [join(servers, 'express.js')],
  fastify: [join(servers, 'fastify.js')],
  fastifyLeads: [join(servers, 'fastify-leads.js')],
} as const satisfies Record<string, readonly string[]>

export type Settings = Readonly<Record<string, string>>

export type StartOptions = {
  settings?: Settings
  /** On the first core, while the client has the second. */
  pinned?: boolean
}

const startDeadlineMs = 20_000
const stopDeadlineMs = 10_000

export class Server {
  readonly port: number
  readonly folder: string
  /** From the spawn to the first answer. */
  startMs = Number.NaN
  readonly #child: ChildProcess

  /** Resolves with the first answer. */
  static async start(program: readonly string[], options: StartOptions = {}): Promise<Server> {
    const port = await freePort()
    const startedAt = performance.now()
    const server = new Server(program, port, options)
    await server.#firstAnswer()
    server.startMs = performance.now() - startedAt
    return server
  }

  private constructor(program: readonly string[], port: number, options: StartOptions) {
    const { settings = {}, pinned = false } = options
    this.port = port
    this.folder = makeFolder()
    const command = [process.execPath, ...program]
    if (pinned && canPin) command.unshift('taskset', '-c', '0')
    // Reading a pipe would cost time.
    const log = openSync(this.#log, 'a')
    this.#child = spawn(command[0]!, command.slice(1), {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        // As bin/use-node.sh sets them.
        MALLOC_ARENA_MAX: process.env['MALLOC_ARENA_MAX'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PORT: String(port),
        DATA_DIR: this.folder,
        BASE_URL: 'http://localhost:3000',
        RATE_LIMIT: 'off',
        ...settings,
      },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    running.add(this.#child)
    this.#child.once('exit', () => running.delete(this.#child))
  }

  get pid(): number {
    return this.#child.pid!
  }

  get #log(): string {
    return join(this.folder, 'log')
  }

  async stop(): Promise<void> {
    const forced = setTimeout(() => this.#child.kill('SIGKILL'), stopDeadlineMs)
    this.#child.kill('SIGTERM')
    if (running.has(this.#child)) await once(this.#child, 'exit')
    clearTimeout(forced)
    removeFolder(this.folder)
  }

  /** CPU time of all threads, read when it no longer grows. */
  async settledCpuNs(): Promise<number> {
    let last = this.#cpuNs()
    for (let reading = 0; reading < 50; reading += 1) {
      await sleep(1)
      const now = this.#cpuNs()
      if (now === last) return now
      last = now
    }
    return last
  }

  /** Waits until the work after a start is done: the service compresses its pages. */
  async settle(): Promise<void> {
    await sleep(1_000)
    for (let reading = 0; reading < 100; reading += 1) {
      const before = this.#cpuNs()
      await sleep(250)
      if (this.#cpuNs() - before < 10e6) return
    }
  }

  #cpuNs(): number {
    const threads = `/proc/${this.pid}/task`
    const spentNs = (thread: string) =>
      Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0])
    return readdirSync(threads).reduce((sum, thread) => sum + spentNs(thread), 0)
  }

  /** What the process made the disk write, also after its answers. */
  writtenKb(): number {
    const io = readFileSync(`/proc/${this.pid}/io`, 'utf8')
    return Number(/^write_bytes: (\d+)/m.exec(io)![1]) / 1_000
  }

  async #firstAnswer(): Promise<void> {
    const deadline = performance.now() + startDeadlineMs
    const client = new Client(this.port, 1)
    try {
      while (performance.now() < deadline && running.has(this.#child)) {
        if (await client.ask(health).catch(() => undefined)) return
        await sleep(1)
      }
    } finally {
      client.close()
    }
    this.#child.kill('SIGKILL')
    throw new Error(`A server did not start: ${readFileSync(this.#log, 'utf8')}`)
  }
}

const canPin = ['0', '1'].every((core) => {
  try {
    return execFileSync('taskset', ['-c', core, 'echo', core]).length > 0
  } catch {
    return false
  }
})

/** Moves this process to the second core while `work` runs. */
export async function onClientCore<T>(work: () => Promise<T>): Promise<T> {
  const pin = (cores: string) =>
    canPin && execFileSync('taskset', ['-acp', cores, String(process.pid)], { stdio: 'ignore' })
  pin('1')
  try {
    return await work()
  } finally {
    pin(`0-${cpus().length - 1}`)
  }
}

const running = new Set<ChildProcess>()
const workFolder = mkdtempSync(join(tmpdir(), 'lead-intake-bench-'))

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  removeFolder(workFolder)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(130))
}

/** Removed when the benchmark ends, also after an error or a signal. */
export function makeFolder(): string {
  return mkdtempSync(join(workFolder, 'case-'))
}

/** How long the disk of the servers takes to sync a page that was added to a file, as a commit does. */
export function syncUs(): number {
  const folder = makeFolder()
  const file = openSync(join(folder, 'synced'), 'w')
  const page = Buffer.alloc(4_096)
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, page)
    const startedAt = performance.now()
    fdatasyncSync(file)
    return (performance.now() - startedAt) * 1_000
  })
  closeSync(file)
  removeFolder(folder)
  return median(times)
}

function removeFolder(folder: string): void {
  // A server that was just killed may still be creating a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
}
