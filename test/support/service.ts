/** The real service in a process of its own, for tests where that is the point. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, readFileSync } from 'node:fs'
import net, { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type RunningService = {
  url: string
  /** After the service has ended, a port where nobody listens: its own may be another program's by now. */
  readonly port: number
  process: ChildProcess
  lines: string[]
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export type StartOptions = {
  dataDir: string
  env?: Record<string, string>
  /** Another program than the service itself, such as a control. */
  script?: string
  arguments?: string[]
  /** Another command line than that of the service, such as the start script of a site. */
  command?: string[]
  cwd?: string
  /** A program and its arguments that run it, such as strace. */
  under?: readonly string[]
  stdio?: StdioOptions
  /** Without photos a start saves the process that tries the library of pictures. */
  photos?: boolean
}

export const withoutPhotos = { PHOTO_SPACE: '0' }

const nobodysPort = 9

/** bin/use-node.sh sets both. Child processes find their code compiled. */
export const { MALLOC_ARENA_MAX, NODE_COMPILE_CACHE } = process.env

export async function startServiceProcess(options: StartOptions): Promise<RunningService> {
  const { dataDir, env = {}, script = 'bin/lead-intake.js', under = [], cwd, stdio } = options
  const own = [...under, process.execPath, script, ...(options.arguments ?? ['serve'])]
  const [program, ...words] = options.command ?? own
  const child = spawn(program!, words, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      MALLOC_ARENA_MAX,
      NODE_COMPILE_CACHE,
      PORT: '0',
      DATA_DIR: dataDir,
      RATE_LIMIT: 'off',
      ...(!options.photos && withoutPhotos),
      ...env,
    },
    stdio: stdio ?? ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  let errors = ''
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const port = await new Promise<number>((resolve, reject) => {
    let rest = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n')
      rest = parts.pop()!
      lines.push(...parts)
      const listening = parts.find((line) => line.includes('"service.listening"'))
      if (listening !== undefined) resolve((JSON.parse(listening) as { port: number }).port)
    })
    // After `exit` there may be words left to read.
    child.once('close', (code) => reject(new Error(`exited with ${code} at start: ${errors}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    get port() {
      return hasEnded() ? nobodysPort : port
    },
    process: child,
    lines,
    async stop(signal = 'SIGTERM') {
      if (hasEnded()) return child.exitCode
      const closed = once(child, 'close')
      child.kill(signal)
      await closed
      return child.exitCode
    },
  }

  function hasEnded(): boolean {
    return child.exitCode !== null || child.signalCode !== null
  }
}

export function postLead(url: string, lead: object, headers: object = {}): Promise<Response> {
  return fetch(`${url}/api/lead`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(lead),
  })
}

/** What uses a folder, and how it is ended before the folder is removed: node calls `after` first come, first served. */
const users = new Map<string, () => Promise<void>>()

export function endBeforeRemoving(folder: string, end: () => Promise<void>): void {
  users.set(folder, end)
}

export async function endUsersOf(folder: string): Promise<void> {
  for (const [used, end] of users) if (used.startsWith(folder)) await end()
}

export function temporaryFolder(t: Cleaner): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-'))
  t.after(async () => {
    await endUsersOf(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/**
 * A port for a service that must know its own address before it listens. Not one that the system gives to
 * outgoing connections: those would take it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer()
    const isFree = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!(await isFree)) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** What a test cleans up with: its context, or for all tests of a file `{ after }` of node:test. */
export type Cleaner = { after(callback: () => unknown): void }

const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { scripts: { start: string } }

export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'))

type Handle = {
  fd: number
  getsockname(out: { port?: number }): number
  close(): void
}

/** What node's own cluster uses: bound, but not listened on in this process. `net.Server` would accept. */
const { _createServerHandle: createHandle } = net as unknown as {
  _createServerHandle(address: string, port: number, family: 4 | -1, fd: -1): Handle | number
}

export function holdSocket(t: Cleaner): { fd: number; port: number } {
  const handle = createHandle('127.0.0.1', 0, 4, -1)
  if (typeof handle === 'number') throw new Error(`cannot bind: ${handle}`)
  const name: { port?: number } = {}
  handle.getsockname(name)
  t.after(() => handle.close())
  return { fd: handle.fd, port: name.port! }
}

/** The same as a Unix socket. */
export function holdUnixSocket(t: Cleaner): { fd: number; path: string } {
  const path = join(temporaryFolder(t), 'socket')
  const handle = createHandle(path, -1, -1, -1)
  if (typeof handle === 'number') throw new Error(`cannot bind: ${handle}`)
  t.after(() => handle.close())
  return { fd: handle.fd, path }
}

/** What the main thread has used so far. On a busy machine it says more than the time on the clock. Linux only. */
export function mainThreadCpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024)
}
