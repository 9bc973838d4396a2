/** Makes, reads and shares the secret, from which the keys for receipts, cookies and links are derived. */
import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plural } from '../words.ts'
import { insertRows, StoreRefused, type Engine } from './engine/engine.ts'
import { isThere, keepPrivate, makeFolder, syncFolder } from './files.ts'

/** Makes no new secret, because that would open none of the receipts given before. */
export function readSecret(dataDir: string): Buffer {
  const path = secretPath(dataDir)
  if (!isThere(path)) {
    throw new StoreRefused(
      `There is no secret in ${dataDir}. Use the DATA_DIR of the service. If it is that, start the service: it makes the secret, or says what to do.`,
    )
  }
  keepPrivate(path, 0o600)
  const secret = decodeSecret(readFileSync(path))
  if (secret === undefined) {
    throw new StoreRefused(
      `The secret ${path} is not what the first start wrote. Restore it from a backup; without it old receipts cannot be opened. If no backup has it, delete it and start the service: it makes a new one, or says how.`,
    )
  }
  return secret
}

export function decodeSecret(file: Buffer): Buffer | undefined {
  const secret = Buffer.from(file.toString().trim(), 'base64url')
  return secret.length === 32 ? secret : undefined
}

/** Called only after a check that no secret was lost, because a new one opens no earlier receipt. */
export function makeSecret(dataDir: string): Buffer {
  if (!isThere(secretPath(dataDir))) writeSecret(dataDir, randomBytes(32))
  keepPrivate(dataDir, 0o700)
  return readSecret(dataDir)
}

/** The database gets the secret before the file, so that a node killed in between finds it at its next start. */
export async function joinSecret(engine: Engine, dataDir: string): Promise<void> {
  const path = secretPath(dataDir)
  const own = isThere(path) ? readSecret(dataDir) : undefined
  const loss = own ? undefined : await findLossIn(engine, dataDir)
  if (loss !== undefined) throw loss
  const offered = own ?? randomBytes(32)
  await engine.run([
    insertRows('installation', { name: 'secret', value: offered.toString('base64url') }),
  ])
  const shared = (await findSharedSecret(engine))!
  if (own === undefined) writeSecret(dataDir, shared)
  else if (!shared.equals(own)) {
    throw new StoreRefused(
      `The secret in ${path} is not that of the database, so receipts given here would not open at other nodes. If this node is to join the others, delete that file and start again.`,
    )
  }
}

export async function findLossIn(
  engine: Pick<Engine, 'read'>,
  dataDir: string,
): Promise<StoreRefused | undefined> {
  if ((await findSharedSecret(engine)) !== undefined) return undefined
  const [row] = await engine.read('select count(*) as leads from lead')
  const leads = Number(row!['leads'])
  return leads === 0 ? undefined : lostSecret(dataDir, leads)
}

export function lostSecret(dataDir: string, leads: number): StoreRefused {
  const path = secretPath(dataDir)
  return new StoreRefused(
    `The secret ${path} is missing, and the database has ${plural(leads, 'lead')}. Put the one of a backup there (zstd -d FILE -o backup.sqlite; sqlite3 backup.sqlite -Ax secret). If no backup has it, make a new one, with which no receipt or link that was given before opens: head -c 32 /dev/urandom | base64 > ${path}`,
  )
}

export function lostDatabase(dataDir: string, database: string): StoreRefused {
  return new StoreRefused(
    `The database ${database} is missing or empty, though the service has run here. Put it back, or restore a backup (lead-intake restore FILE). To begin with an empty database, move ${secretPath(dataDir)} away, too.`,
  )
}

async function findSharedSecret(engine: Pick<Engine, 'read'>): Promise<Buffer | undefined> {
  const [row] = await engine.read(`select value from installation where name = 'secret'`)
  return row && Buffer.from(String(row['value']), 'base64url')
}

/** After a power cut the file has either the old or the new secret. */
export function writeSecret(dataDir: string, secret: Buffer): void {
  makeFolder(dataDir)
  keepPrivate(dataDir, 0o700)
  const path = secretPath(dataDir)
  const written = `${path}.new`
  writeFileSync(written, `${secret.toString('base64url')}\n`, { mode: 0o600, flush: true })
  renameSync(written, path)
  syncFolder(dataDir)
}

export function secretPath(dataDir: string): string {
  return join(dataDir, 'secret')
}

/** Makes keyed hashes for one use. Half of a SHA-256 prevents length extension, in a quarter of the time of an HMAC. */
export function keyedHash(secret: Buffer, use: string): (text: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', use, 32)).toString('hex')
  return (text) => hash('sha256', `${key} ${text}`).slice(0, 32)
}

/** The token of commands such as `doctor`, which can read the secret. */
export function operatorToken(secret: Buffer): string {
  return createHmac('sha256', secret).update('operator').digest('base64url')
}
