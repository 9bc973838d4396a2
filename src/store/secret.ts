/** The secret of the installation: made at the first start, kept in DATA_DIR and, with PostgreSQL, in the database for all nodes. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { StoreRefused } from './engine/engine.ts'
import type { Engine } from './engine/engine.ts'
import { keepPrivate } from './engine/sqlite-file.ts'

export function readSecret(dataDir: string): Buffer {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  keepPrivate(dataDir, 0o700)
  const path = secretPath(dataDir)
  try {
    writeSecret(path, randomBytes(32))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    keepPrivate(path, 0o600)
  }
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url')
  if (secret.length !== 32) {
    throw new StoreRefused(
      `The secret ${path} is not what the first start wrote. Restore it from a backup; without it old receipts cannot be opened. Delete it to make a new one.`,
    )
  }
  return secret
}

/**
 * A receipt from one node must open at another. The first node writes its secret into the database;
 * a new node takes it from there.
 */
export async function joinSecret(engine: Engine, dataDir: string): Promise<void> {
  const isNew = !existsSync(secretPath(dataDir))
  const own = readSecret(dataDir).toString('base64url')
  const shared = await shareSecret(engine, own)
  if (shared === own) return
  if (!isNew) {
    throw new StoreRefused(
      `The secret in ${secretPath(dataDir)} is not that of the database, so receipts given here would not open at other nodes. If this node is to join the others, delete that file and start again.`,
    )
  }
  // Written beside it and renamed, so that a crash leaves one or the other.
  const path = `${secretPath(dataDir)}.new`
  writeSecret(path, Buffer.from(shared, 'base64url'))
  renameSync(path, secretPath(dataDir))
}

/** For a node that has none yet: that of the other nodes, or a new one. */
export async function takeSecret(source: Pick<Engine, 'read'>, dataDir: string): Promise<void> {
  const shared = await findSharedSecret(source)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (shared === undefined) readSecret(dataDir)
  else if (!existsSync(secretPath(dataDir))) writeSecret(secretPath(dataDir), shared)
}

/** Writes it unless there is one, and returns the one in the database. */
async function shareSecret(engine: Engine, own: string): Promise<string> {
  await engine.run([
    [
      `insert into installation (name, value) values ('secret', $1) on conflict (name) do nothing`,
      [own],
    ],
  ])
  return (await findSharedSecret(engine))!.toString('base64url')
}

/** `undefined`: no node has written it yet. */
export async function findSharedSecret(engine: Pick<Engine, 'read'>): Promise<Buffer | undefined> {
  const [row] = await engine.read(`select value from installation where name = 'secret'`)
  return row && Buffer.from(String(row['value']), 'base64url')
}

/** Fails if there is one already. */
function writeSecret(path: string, secret: Buffer): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    writeSync(fd, `${secret.toString('base64url')}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

export function secretPath(dataDir: string): string {
  return join(dataDir, 'secret')
}
