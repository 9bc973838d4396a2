import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import test from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { writeBundle } from '../../src/backup/bundle.ts'
import { installationOf } from '../../src/backup/manifest.ts'
import { openBundle } from '../../src/backup/open-bundle.ts'
import { seal } from '../../src/backup/seal.ts'
import { emptyLog, prepareFile } from '../../src/store/engine/sqlite-file.ts'
import { toTarHead } from '../../src/tar.ts'
import { leadIntake } from '../support/operator.ts'
import { temporaryFolder } from '../support/service.ts'

type File = [path: string, content: string | Buffer]

/** A sealed bundle of these files. */
async function bundleOf(t: test.TestContext, files: readonly File[]): Promise<string> {
  async function* parts() {
    for (const [path, content] of files) {
      const bytes = Buffer.from(content)
      yield { path, size: bytes.length, mode: 0o600, timeS: 0, bytes: [bytes] }
    }
  }
  const path = join(temporaryFolder(t), 'bundle.tar.zst')
  await writeBundle(path, parts(), undefined)
  return path
}

/** A manifest that tells of these files. */
function manifestOf(files: readonly File[], told: object = {}): File {
  const parts = files.map(([path, content]) => {
    return { path, bytes: Buffer.byteLength(content), sha256: hash('sha256', content) }
  })
  const made = { program: 'lead-intake 1.0.0', made: '2026-11-15T17:00:00.000Z' }
  const whole = {
    format: 1,
    ...made,
    leads: 0,
    events: 0,
    installation: '0'.repeat(16),
    parts,
    ...told,
  }
  return ['manifest.json', JSON.stringify(whole)]
}

/** An empty database of this program, or what `make` makes of an empty file. */
function databaseFile(t: test.TestContext, make?: (db: DatabaseSync) => void): Buffer {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  if (make === undefined) {
    prepareFile(path, 0)
    emptyLog(path)
  } else {
    const db = new DatabaseSync(path)
    make(db)
    db.close()
  }
  return readFileSync(path)
}

async function refuses(t: test.TestContext, path: string, message: RegExp): Promise<void> {
  await assert.rejects(openBundle(path, temporaryFolder(t)), { name: 'BundleRefused', message })
}

test('a malformed bundle is refused with a sentence', async (t) => {
  const refusesFiles = async (files: readonly File[], message: RegExp) =>
    refuses(t, await bundleOf(t, files), message)
  await refusesFiles([['manifest.json', 'null']], /its manifest cannot be read/)
  await refusesFiles([['manifest.json', '{"format":2}']], /a newer version of this program/)
  for (const text of ['{"format":1}', '{"format":"1"}', '[]']) {
    await refusesFiles([['manifest.json', text]], /its manifest is not one of this program/)
  }
  await refusesFiles([manifestOf([], { parts: [null] })], /its manifest is not one of this program/)
  await refusesFiles([manifestOf([])], /leads\.sqlite is missing in it/)
  await refusesFiles(
    [
      ['content/x', 'one'],
      ['content/x', 'two'],
    ],
    /it holds a path twice/,
  )
  for (const path of ['content/x/y', 'content/x/y/z']) {
    const files: File[] = [
      ['content/x', ''],
      [path, ''],
    ]
    await refusesFiles(files, /it holds paths that no folder can hold/)
  }
  const refusesDatabase = async (database: string | Buffer, message: RegExp) => {
    const files: File[] = [
      ['leads.sqlite', database],
      ['secret', 'no secret'],
    ]
    await refusesFiles([...files, manifestOf(files)], message)
  }
  await refusesDatabase('no database', /its database is damaged/)
  const other = databaseFile(t, (db) =>
    db.exec('create table migration (x); create table lead (x)'),
  )
  await refusesDatabase(other, /its database is not one of this program/)
  await refusesDatabase(databaseFile(t), /^its secret is not one of this program$/)
  const folder = join(temporaryFolder(t), 'bundle.tar.zst')
  mkdirSync(folder)
  await refuses(t, folder, /it is a folder/)
})

test('what a bundle tells of itself cannot control the terminal', async (t) => {
  const title = '\u001b]0;other\u0007\u009b2J'
  const place = { dataDir: temporaryFolder(t) }
  const lacking = await bundleOf(t, [manifestOf([[`content/${title}`, '']])])
  const refused = await leadIntake(place, ['backup', 'verify', lacking])
  assert.equal(refused.code, 1)
  assert.match(refused.error, /cannot be used: content\/·\]0;other··2J is missing in it\.\n$/)

  const secret = Buffer.alloc(32).toString('base64url')
  const files: File[] = [
    ['leads.sqlite', databaseFile(t)],
    ['secret', secret],
  ]
  const installation = installationOf(Buffer.alloc(32))
  const path = await bundleOf(t, [...files, manifestOf(files, { program: title, installation })])
  const dry = await leadIntake(place, ['restore', path, '--dry-run'])
  assert.match(dry.out, /by ·\]0;other··2J, 0 leads\./, dry.error)
  const verified = await leadIntake(place, ['backup', 'verify', path, '--json'])
  assert.doesNotMatch(verified.out, /[^\P{Cc}\n]/u)
  assert.partialDeepStrictEqual(JSON.parse(verified.out) as object, { program: title })
})

test('a bundle that would fill the disk is refused before it is unpacked', async (t) => {
  /** Its head tells a size that need not follow. */
  const refusesHead = async (path: string, size: number, message: RegExp) => {
    const head = toTarHead({ path, size, mode: 0o600, timeS: 0 })
    const folder = temporaryFolder(t)
    const bundle = join(folder, 'bundle.tar.zst')
    const sealed = Readable.from(seal(Readable.from([zstdCompressSync(head)])))
    await pipeline(sealed, createWriteStream(bundle))
    await refuses(t, bundle, message)
  }
  await refusesHead('leads.sqlite', 2 ** 50, /there is no room to unpack it: leads\.sqlite has/)
  await refusesHead('content/x', 2 ** 50, /there is no room to unpack it: content\/x has/)
  await refusesHead('secret', 4096, /secret in it is too large/)
  await refusesHead('manifest.json', 2 ** 27, /manifest\.json in it is too large/)
  await refusesHead('other', 1, /it holds what no backup holds/)
  await refusesHead('content/../../other', 1, /it holds a path that leads outside/)
})
