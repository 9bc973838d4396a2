/** A place for the database that can be filled up and emptied again. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import {
  endUsersOf,
  startServiceProcess,
  temporaryFolder,
  type Cleaner,
  type RunningService,
} from './service.ts'
import { startServiceHere } from './service-here.ts'

type SmallFileSystem = { dataDir: string; fill(): void; free(): void }

export type SmallDisk = SmallFileSystem & {
  /** A service on it. */
  start(): Promise<{ port: number; stop(): Promise<void> }>
}

/** A file system of its own where this user may mount one, otherwise a folder with a limit. */
export function openSmallDisk(t: Cleaner): SmallDisk {
  if (!mayMount()) return openLimitedFolder(t)
  const disk = openSmallFileSystem(t)
  return { ...disk, start: () => startServiceHere(t, disk) }
}

/** SQLite sees ENOSPC. */
export function openSmallFileSystem(t: Cleaner, mebibytes = 4): SmallFileSystem {
  const folder = temporaryFolder({
    after: (remove) =>
      t.after(async () => {
        // A service in this process would find its database gone.
        await endUsersOf(folder)
        unmount(dataDir)
        await remove()
      }),
  })
  const dataDir = join(folder, 'small')
  mkdirSync(dataDir)
  mount(dataDir, mebibytes)
  // However much the leads take until `fill`, there is room for a test commit after `free`.
  const ballast = join(dataDir, 'ballast')
  writeFileSync(ballast, Buffer.alloc(1024 * 1024))
  return {
    dataDir,
    fill: () => fillUp(ballast),
    free: () => rmSync(ballast),
  }
}

/** No file of the process may grow past the size that its log has now: SQLite sees EFBIG. */
function openLimitedFolder(t: Cleaner): SmallDisk {
  const dataDir = temporaryFolder(t)
  let service: RunningService
  const limit = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(service.process.pid), `--fsize=${bytes}:`])
  return {
    dataDir,
    async start() {
      service = await startServiceProcess({ dataDir })
      t.after(() => service.stop('SIGKILL'))
      const stop = async () => assert.equal(await service.stop(), 0)
      return { port: service.port, stop }
    },
    fill: () => limit(statSync(join(dataDir, 'leads.sqlite-wal')).size),
    free: () => limit('unlimited'),
  }
}

export function fillUp(path: string): void {
  const file = openSync(path, 'a')
  // The last write takes what is left, and the one after it fails.
  const much = Buffer.alloc(1024 * 1024)
  try {
    for (;;) writeSync(file, much)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

const mounted = new Set<string>()

function mount(folder: string, mebibytes = 3): void {
  const options = `size=${mebibytes}m,mode=700`
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  mounted.add(folder)
}

/** Even while something still holds a file there. */
function unmount(folder: string): void {
  if (mounted.delete(folder)) execFileSync('umount', ['--lazy', folder])
}

export function mayMount(): boolean {
  const cleaning: (() => void)[] = []
  const folder = temporaryFolder({ after: (remove) => cleaning.push(remove) })
  try {
    mount(folder)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    for (const clean of cleaning) clean()
  }
}

const unmountAll = () => mounted.forEach(unmount)
process.once('exit', unmountAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1))
}
