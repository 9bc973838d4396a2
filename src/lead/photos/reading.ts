/**
 * Has pictures read by a process of their own, one at a time: what a picture from anybody breaks is that
 * process, and the picture is refused. See reading-process.js.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { largeSide, mostPixels, smallSide } from '../../contract/limits.ts'
import type { Picture } from '../../store/photos/photos.ts'
import { secondMs } from '../../time.ts'

/** `too-large`: it takes more pixels, memory or processor than one picture may. */
export type PictureRefusal = 'too-large' | 'damaged'

/** `unread`: the process was stopped or could not start, which says nothing about the picture. */
type Unread = { refused: 'unread' }

type Refused = { refused: PictureRefusal }

export type ReadPicture = Picture | Refused | Unread

export function isRefused(read: ReadPicture): read is Refused | Unread {
  return 'refused' in read
}

const program = fileURLToPath(new URL('reading-process.js', import.meta.url))

/** A picture that takes so long, but not the seconds of processor, had to wait for a busy machine. */
const deadlineMs = 60 * secondMs
/** One process may write to so much memory (KiB), and is ended by SIGXCPU after so many seconds of processor. */
const bounds = 'ulimit -d 262144; ulimit -S -t 20; ulimit -H -t 25'

/** Memory that V8 reserves for compiled code would be above the bound. */
const lean = ['--jitless', '--single-threaded', '--max-old-space-size=64']

export const noSharp =
  'There are no photos, because the package sharp cannot be loaded. To have them, install it: npm install --include=optional.'

let found: Promise<string | undefined> | undefined

/** The version of sharp, or `undefined` where it cannot be loaded. It is looked for once. */
export function findSharp(): Promise<string | undefined> {
  return (found ??= new PictureReader().version())
}

export class PictureReader {
  #turn: Promise<unknown> = Promise.resolve()
  #running: ChildProcess | undefined
  #isStopped = false

  async version(): Promise<string | undefined> {
    const said = await this.#run([], 'ignore')
    return Buffer.isBuffer(said) ? said.toString().trim() || undefined : undefined
  }

  /** `file`: the descriptor of a file, which stays open. */
  read(file: number): Promise<ReadPicture> {
    return this.#inTurn(async () => {
      const said = await this.#run([JSON.stringify({ mostPixels, largeSide, smallSide })], file)
      return Buffer.isBuffer(said) ? readResult(said) : { refused: said }
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#running?.kill('SIGKILL')
  }

  async #run(
    args: readonly string[],
    input: number | 'ignore',
  ): Promise<Buffer | 'too-large' | 'unread'> {
    if (this.#isStopped) return 'unread'
    const child = spawnBounded(args, input)
    this.#running = child
    const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
    try {
      const [said, [code, signal]] = await Promise.all([
        buffer(child.stdout!),
        once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      ])
      if (code === 0) return said
      return signal === 'SIGKILL' ? 'unread' : 'too-large'
    } catch {
      // No process could be started.
      return 'unread'
    } finally {
      clearTimeout(timer)
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

/** Without the settings of the service, which have secrets. Windows has no such bounds. */
function spawnBounded(args: readonly string[], input: number | 'ignore'): ChildProcess {
  const node = [process.execPath, ...lean, program, ...args]
  const command =
    process.platform === 'win32' ? node : ['/bin/sh', '-c', `${bounds}; exec "$@"`, 'sh', ...node]
  const env = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1', VIPS_CONCURRENCY: '1' }
  const child = spawn(command[0]!, command.slice(1), { env, stdio: [input, 'pipe', 'ignore'] })
  lowerPriority(child.pid)
  return child
}

/** Leads go first. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, 10)
  } catch {
    // The process has ended already.
  }
}

/** A line of JSON, and the two pictures. */
function readResult(result: Buffer): ReadPicture {
  const end = result.indexOf('\n')
  const head = JSON.parse(result.toString('utf8', 0, end)) as Refused | PictureHead
  if ('refused' in head) return head
  const { width, height, bytes } = head
  const pictures = result.subarray(end + 1)
  return { large: pictures.subarray(0, bytes), small: pictures.subarray(bytes), width, height }
}

type PictureHead = { width: number; height: number; bytes: number }
