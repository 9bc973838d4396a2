/** The secret of this installation, made at the first start and kept beside the database. */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { StoreRefused } from './engine.ts'

export function readSecret(dataDir: string): Buffer {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'secret')
  try {
    const fd = openSync(path, 'wx', 0o600)
    try {
      writeSync(fd, `${randomBytes(32).toString('base64url')}\n`)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    chmodSync(path, 0o600)
  }
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url')
  if (secret.length !== 32) {
    throw new StoreRefused(
      `The secret ${path} is not what the first start wrote. Restore it from a backup; without it old receipts cannot be opened. Delete it to make a new one.`,
    )
  }
  return secret
}
