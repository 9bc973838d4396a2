/** Starts a server in its own process, on a free loopback port, with its own data folder. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, closeSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../test/support/service.ts'
import { killAtExit, makeFolder, removeFolder } from './cleanup.ts'
import { onServerCpu } from './pinning.ts'
import type { Program } from './programs.ts'

export type ServerProcess = {
  pid: number
  port: number
  folder: string
  /** From the spawn to the first answer. */
  startMs: number
  stop(): Promise<void>
}

/** Environment variables. */
export type Settings = Readonly<Record<string, string>>

export type StartOptions = {
  pinned?: boolean
  settings?: Settings
  /** Kept after the stop. Without it, the server gets a new folder that is removed. */
  folder?: string
}

const startDeadlineMs = 20_000
const stopDeadlineMs = 5_000

export async function startServer(
  program: Program,
  { pinned = false, settings = {}, folder: given }: StartOptions = {},
): Promise<ServerProcess> {
  const port = await freePort()
  const folder = given ?? makeFolder()
  const startedAt = performance.now()
  const child = spawnServer(pinned ? onServerCpu(program) : program, folder, {
    PORT: String(port),
    DATA_DIR: folder,
    ...settings,
  })
  await firstAnswer(child, port, folder)
  return {
    pid: child.pid!,
    port,
    folder,
    startMs: performance.now() - startedAt,
    async stop() {
      await stopProcess(child)
      if (given === undefined) removeFolder(folder)
    },
  }
}

/** The log goes to a file, because reading a pipe would cost time. */
function spawnServer({ command, cwd }: Program, folder: string, settings: Settings): ChildProcess {
  const out = openSync(join(folder, 'out'), 'a')
  const err = openSync(join(folder, 'err'), 'a')
  const child = spawn(command[0]!, command.slice(1), {
    cwd,
    env: {
      PATH: process.env['PATH'],
      // As bin/use-node.sh sets it.
      MALLOC_ARENA_MAX: process.env['MALLOC_ARENA_MAX'],
      NODE_COMPILE_CACHE: join(cwd, 'node_modules/.cache/lead-intake'),
      // As long as the one in the answer of bare-post.js.
      BASE_URL: 'http://localhost:3000',
      RATE_LIMIT: 'off',
      ...settings,
    },
    stdio: ['ignore', out, err],
  })
  closeSync(out)
  closeSync(err)
  killAtExit(child)
  return child
}

async function firstAnswer(child: ChildProcess, port: number, folder: string): Promise<void> {
  const deadline = performance.now() + startDeadlineMs
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    if (await answers(port)) return
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  child.kill('SIGKILL')
  throw new Error(`A server did not start: ${readFileSync(join(folder, 'err'), 'utf8')}`)
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: startDeadlineMs })
    socket.write('GET /api/lead HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    socket.once('data', (chunk) => {
      resolve(chunk.toString('latin1').startsWith('HTTP/1.1 200 '))
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy())
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  const forced = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs)
  child.kill('SIGTERM')
  await exited
  clearTimeout(forced)
}
