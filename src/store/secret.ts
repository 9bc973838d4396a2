/** The secret of the installation: made at the first start, kept in DATA_DIR and, with PostgreSQL, in the database for all nodes. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StoreRefused } from './engine/engine.ts'
import type { Engine } from './engine/engine.ts'
import { makeFolder, syncFolder } from './engine/folder.ts'
import { keepPrivate } from './engine/sqlite-file.ts'
import { giveToOwnerOf } from './ownership.ts'

export function readSecret(dataDir: string): Buffer {
  makeFolder(dataDir)
  keepPrivate(dataDir, 0o700)
  const path = secretPath(dataDir)
  if (existsSync(path)) keepPrivate(path, 0o600)
  else writeSecret(path, randomBytes(32))
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
  changeSecret(secretPath(dataDir), Buffer.from(shared, 'base64url'))
}

/** For a node that has none yet: that of the other nodes, or a new one. */
export async function takeSecret(source: Pick<Engine, 'read'>, dataDir: string): Promise<void> {
  const shared = await findSharedSecret(source)
  makeFolder(dataDir)
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

/** Unless there is one, as of another process that starts now. */
function writeSecret(path: string, secret: Buffer): void {
  writeBeside(path, secret, (written) => {
    try {
      linkSync(written, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
      // A file system without links.
      renameSync(written, path)
    }
  })
}

/** The one before must be kept first where it is needed again. */
export function changeSecret(path: string, secret: Buffer): void {
  writeBeside(path, secret, (written) => renameSync(written, path))
}

/** It gets its name when all of it is on the disk, so that a power cut leaves no half of it. */
function writeBeside(path: string, secret: Buffer, giveName: (written: string) => void): void {
  const written = `${path}.${process.pid}`
  const fd = openSync(written, 'w', 0o600)
  try {
    writeSync(fd, `${secret.toString('base64url')}\n`)
    fsyncSync(fd)
    giveToOwnerOf(written)
    giveName(written)
  } finally {
    closeSync(fd)
    rmSync(written, { force: true })
  }
  syncFolder(dirname(path))
}

export function secretPath(dataDir: string): string {
  return join(dataDir, 'secret')
}
