import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { writeBundle } from '../../src/backup/bundle.ts'
import { drillBackup } from '../../src/backup/drill.ts'
import type { Manifest } from '../../src/backup/manifest.ts'
import { openBundle } from '../../src/backup/open-bundle.ts'
import { dayMs } from '../../src/durations.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { eraseLead } from '../../src/lead/move.ts'
import { forgetReplaced, listReplaced } from '../../src/store/before-restore.ts'
import { databaseOf, openLeads } from '../../src/store/open.ts'
import { readSecret } from '../../src/store/secret.ts'
import { installationToBackUp, settingsOf } from '../support/backup.ts'
import { onPostgres } from '../support/engines.ts'
import { filesWith } from '../support/files-with.ts'
import { newLead, nowMs } from '../support/new-lead.ts'
import { leadIntake } from '../support/operator.ts'
import { randomFrom } from '../support/random.ts'
import { temporaryFolder } from '../support/service.ts'

const flips = Number(process.env['STORY_FLIPS'] ?? 40)

test('a backup opens with zstd and tar alone, and holds database, secret and content [backup.tools]', async (t) => {
  const { settings, place, backUp } = await installationToBackUp(t)
  const made = await backUp()
  assert.match(basename(made.path), /^lead-intake-\d{4}-\d\d-\d\dT\d{6}Z-s\d+\.tar\.zst$/)
  assert.deepEqual([made.leads, made.events], [20, 20])
  assert.equal(made.bytes, statSync(made.path).size)
  assert.equal(statSync(made.path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(made.path, '..')), [basename(made.path)])

  const opened = temporaryFolder(t)
  execFileSync('tar', ['x', '-C', opened], { input: unzstd(made.path) })
  const db = new DatabaseSync(join(opened, 'leads.sqlite'), { readOnly: true })
  assert.equal(db.prepare('select count(*) as n from lead').get()!['n'], 20)
  assert.equal(db.prepare('pragma integrity_check').get()!['integrity_check'], 'ok')
  db.close()
  const read = (path: string) => readFileSync(path)
  assert.deepEqual(read(join(opened, 'secret')), read(join(place.dataDir, 'secret')))
  assert.deepEqual(
    read(join(opened, 'content/business.yaml')),
    read(join(settings.CONTENT_DIR, 'business.yaml')),
  )
  const manifest = JSON.parse(readFileSync(join(opened, 'manifest.json'), 'utf8')) as object
  assert.partialDeepStrictEqual(manifest, {
    format: 1,
    engine: onPostgres ? 'postgres' : 'sqlite',
    leads: 20,
  })
  assert.deepEqual(
    readdirSync(place.dataDir).filter((name) => name.startsWith('backup-work')),
    [],
  )
})

/** The same bundle with another database, as a newer program would have made it. */
async function rewrite(from: string, to: string, change: (db: DatabaseSync) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-'))
  execFileSync('tar', ['x', '-C', folder], { input: unzstd(from) })
  const db = new DatabaseSync(join(folder, 'leads.sqlite'))
  change(db)
  db.close()
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
  const parts = manifest.parts.map(({ path }) => {
    const bytes = readFileSync(join(folder, path))
    return { path, bytes: bytes.length, sha256: hash('sha256', bytes) }
  })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, parts }))
  const names = [...parts.map(({ path }) => path), 'manifest.json']
  async function* files() {
    for (const path of names) {
      const bytes = readFileSync(join(folder, path))
      yield { path, size: bytes.length, mode: 0o600, timeS: 0, bytes: [bytes] }
    }
  }
  await writeBundle(to, files(), undefined)
  rmSync(folder, { recursive: true })
}

/** By the real program where there is one. */
function unzstd(path: string): Buffer {
  try {
    return execFileSync('zstd', ['-dc', path], { maxBuffer: 1e9 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return zstdDecompressSync(readFileSync(path))
  }
}

test('with a key it is encrypted, and only the other half of the key opens it [backup.key]', async (t) => {
  const { backUp } = await installationToBackUp(t)
  const identity = await generateIdentity()
  const made = await backUp(await identityToRecipient(identity))
  assert.match(made.path, /\.tar\.zst\.age$/)
  const folder = temporaryFolder(t)
  const [keyFile, otherFile] = ['key', 'other'].map((name) => join(folder, name))
  writeFileSync(keyFile!, `# created: today\n${identity}\n`)
  writeFileSync(otherFile!, await generateIdentity())
  const open = (key?: string) => openBundle(made.path, temporaryFolder(t), key)
  assert.equal((await open(keyFile)).leads, 20)
  await assert.rejects(open(otherFile), /another key/)
  await assert.rejects(open(), /it is encrypted; name the file of the key/)

  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const plain = await decrypter.decrypt(readFileSync(made.path))
  assert.ok(zstdDecompressSync(plain).includes('manifest.json'))
  if (!onPostgres) await refusesFlips(t, made.path, keyFile)
})

const aboutTheFile = { skip: onPostgres && 'the file is the same' }

test(
  'one changed byte is refused wherever it is, and so is a file that ends early [backup.flip]',
  aboutTheFile,
  async (t) => {
    const { backUp } = await installationToBackUp(t)
    const { path } = await backUp()
    await refusesFlips(t, path)
    const bytes = readFileSync(path)
    for (const length of [0, 1, 39, 40, 100, bytes.length - 40, bytes.length - 1]) {
      await assert.rejects(openChanged(t, path, bytes.subarray(0, length)), isRefusal)
    }
    await assert.rejects(openChanged(t, path, Buffer.concat([bytes, Buffer.from('\0')])), isRefusal)
  },
)

const isRefusal = { name: 'BundleRefused' }

async function refusesFlips(t: test.TestContext, path: string, key?: string): Promise<void> {
  const bytes = readFileSync(path)
  const random = randomFrom(7)
  // The first and last bytes, which are heads and seals, and others anywhere.
  const places = [0, 4, 5, 6, bytes.length - 1, bytes.length - 33, bytes.length - 40]
  while (places.length < flips) places.push(Math.floor(random() * bytes.length))
  for (const place of places) {
    const changed = Buffer.from(bytes)
    changed[place]! ^= 1 << Math.floor(random() * 8)
    await assert.rejects(openChanged(t, path, changed, key), isRefusal, `at ${place}`)
  }
}

async function openChanged(t: test.TestContext, path: string, bytes: Buffer, key?: string) {
  const folder = temporaryFolder(t)
  const changed = join(folder, basename(path))
  writeFileSync(changed, bytes)
  mkdirSync(join(folder, 'opened'))
  await openBundle(changed, join(folder, 'opened'), key)
}

test('restored, history and receipts are whole, and what was erased since stays erased [backup.erased]', async (t) => {
  const { place, settings, secret, withStore, backUp } = await installationToBackUp(t)
  const erased = newLead(4).id
  const token = new LeadIds(secret).tokenOf(newLead(5).id)
  const { path } = await backUp()
  await withStore(async (store) => {
    await eraseLead(store, { leadId: erased, at: nowMs + 1_000 })
    await store.keepLead(newLead(99))
  })
  const dry = await leadIntake(place, ['restore', path, '--dry-run'])
  assert.equal(dry.code, 0, dry.error)
  assert.match(
    dry.out,
    /would be restored[^]*21 leads, 1 of them newer than the backup\) would be kept[^]*would be erased again: 1 lead\./,
  )
  assert.equal(await withStore((store) => store.countLeads(undefined, 100)), 21)

  const run = await leadIntake(place, ['restore', path])
  assert.equal(run.code, 0, run.error)
  assert.match(run.out, /signs in to the inbox anew\. Start the service/)
  const found = await withStore(async (store) => ({
    leads: await store.countLeads(undefined, 100),
    erased: await store.findLead(erased),
    receipt: await store.findLead(new LeadIds(secret).readToken(token)!),
  }))
  assert.equal(found.leads, 20)
  assert.deepEqual([found.erased?.state, found.erased?.values.email], ['erased', ''])
  assert.equal(found.erased?.erasedAt, nowMs + 1_000)
  assert.equal(found.receipt?.values.email, 'p5@example.com')
  if (!onPostgres) onlyReplacedHolds(settings.DATA_DIR, /p99@example\.com/)

  const [replaced, ...more] = await listReplaced(settings)
  assert.deepEqual(more, [])
  const doctor = await leadIntake(place, ['doctor'])
  assert.match(doctor.out, /warning +restored +\S+: a restore replaced it \d minutes ago/)
  const afterDays = (days: number) => forgetReplaced(settings, replaced!.at + days * dayMs)
  assert.deepEqual(await afterDays(30), [])
  assert.deepEqual(await afterDays(31), [replaced!.name])
  assert.deepEqual(await listReplaced(settings), [])
})

function onlyReplacedHolds(dataDir: string, words: RegExp): void {
  const kept = readdirSync(dataDir).filter((name) => name.startsWith('before-restore-'))
  assert.equal(kept.length, 1)
  assert.equal(statSync(join(dataDir, kept[0]!)).mode & 0o777, 0o600)
  assert.deepEqual(filesWith(dataDir, /p4@example\.com/), [])
  assert.deepEqual(filesWith(dataDir, words), kept)
}

test('on an empty machine everything comes back, with the rights it had [backup.empty]', async (t) => {
  const { secret, backUp } = await installationToBackUp(t)
  const { path } = await backUp()
  const machine = temporaryFolder(t)
  const owner = process.getuid!() || 12_345
  chownSync(machine, owner, process.getgid!())
  const umask = process.umask(0o077)
  t.after(() => process.umask(umask))
  const place = { dataDir: join(machine, 'data'), env: { CONTENT_DIR: join(machine, 'content') } }
  const run = await leadIntake(place, ['restore', path, '--json'])
  assert.equal(run.code, 0, run.error)
  assert.partialDeepStrictEqual(JSON.parse(run.out) as object, {
    leads: 20,
    secret: 'new',
    content: 'restored',
  })
  const modeOf = (...parts: string[]) => statSync(join(machine, ...parts)).mode & 0o777
  assert.deepEqual(
    [modeOf('data'), modeOf('data', 'leads.sqlite'), modeOf('data', 'secret')],
    [0o700, 0o600, 0o600],
  )
  const parts = ['content', 'content/pages', 'content/business.yaml', 'content/pages/index.md']
  assert.deepEqual(
    parts.map((part) => modeOf(part)),
    [0o755, 0o755, 0o644, 0o644],
  )
  assert.deepEqual(
    new Set(parts.map((part) => statSync(join(machine, part)).uid)),
    new Set([owner]),
  )
  assert.deepEqual(readSecret(place.dataDir), secret)
  const store = await openLeads(settingsOf(place))
  t.after(() => store.close())

  const again = () => leadIntake(place, ['restore', path, '--dry-run'])
  assert.match((await again()).out, /^The content is the same as in the backup\.$/m)
  appendFileSync(join(machine, 'content/business.yaml'), '# mine\n')
  const { out } = await again()
  const advice = `To take that, move ${join(machine, 'content')} away and restore again.`
  assert.ok(
    out.includes(`\nThe content would be left as it is; the backup has another one. ${advice}\n`),
    out,
  )
})

test(
  'the drill finds a backup that lacks leads, and one whose secret opens no receipt [backup.drill]',
  aboutTheFile,
  async (t) => {
    const { settings, withStore, backUp } = await installationToBackUp(t)
    const { path } = await backUp()
    const drill = () => drillBackup({ settings, path, now: Date.now })
    assert.equal((await drill()).leads, 20)
    await withStore((store) => store.keepLead(newLead(70)))
    await assert.rejects(drill(), /it lacks 1 lead that came before it/)
    const other = await installationToBackUp(t, 30)
    const moved = { ...settings, DATA_DIR: other.place.dataDir, DATABASE_URL: databaseOf(settings) }
    const newest = await backUp()
    const parts = { settings: moved, path: newest.path, now: Date.now }
    await assert.rejects(drillBackup(parts), /no receipt opens with its secret/)
  },
)

test('a backup of another installation is refused without --yes, and a missing one is told', async (t) => {
  const [one, other] = [await installationToBackUp(t, 1), await installationToBackUp(t, 2)]
  const { path } = await other.backUp()
  const refused = await leadIntake(one.place, ['restore', path])
  assert.equal(refused.code, 2)
  assert.match(refused.error, /another installation .* Add --yes/)
  assert.equal(await one.withStore((store) => store.countLeads(undefined, 9)), 1)

  const done = await leadIntake(one.place, ['restore', path, '--yes'])
  assert.equal(done.code, 0, done.error)
  assert.match(done.out, /The secret was replaced: restart the service/)
  assert.equal(await one.withStore((store) => store.countLeads(undefined, 9)), 2)
  assert.deepEqual(readSecret(one.place.dataDir), other.secret)

  const missing = await leadIntake(one.place, ['backup', 'verify', '/no/such/file'])
  assert.deepEqual([missing.code, missing.error], [3, 'There is no file /no/such/file.\n'])
})

test('the command makes, lists and verifies backups, and refuses one of a newer schema [backup.hand, backup.drill]', async (t) => {
  const { place, settings } = await installationToBackUp(t, 3)
  const made = await leadIntake(place, ['backup', '--json'])
  assert.equal(made.code, 0, made.error)
  const { path, leads, bytes } = JSON.parse(made.out) as Record<string, unknown>
  assert.deepEqual([leads, bytes], [3, statSync(String(path)).size])
  assert.ok(String(path).startsWith(join(settings.DATA_DIR, 'backups')))
  const old = join(settings.DATA_DIR, 'backups/lead-intake-2020-01-02T030405Z-s4.tar.zst')
  writeFileSync(old, '')
  const keeping = { ...place, env: { ...place.env, BACKUP_KEEP: '1h' } }
  const byClock = await leadIntake(keeping, ['backup', '--by-clock'])
  assert.match(
    byClock.out,
    /-s1\.tar\.zst: 3 leads, \d+ kB\n1 older backup deleted, by BACKUP_KEEP\.\n$/,
  )
  const listed = await leadIntake(place, ['backup', 'list', '--json'])
  const paths = (JSON.parse(listed.out) as { path: string }[]).map((each) => each.path)
  assert.equal(paths.length, 2)
  assert.ok(paths.includes(String(path)), 'BACKUP_KEEP does not delete what a person made')
  const verified = await leadIntake(place, ['backup', 'verify', String(path)])
  assert.match(verified.out, /3 leads\. It is whole\.\n$/)
  assert.equal(verified.code, 0)

  const newer = join(temporaryFolder(t), basename(String(path)))
  await rewrite(String(path), newer, (db) =>
    db.exec(`insert into migration (name, hash, at) values ('9000-later.sql', '', 0)`),
  )
  const refused = await leadIntake(place, ['restore', newer])
  assert.equal(refused.code, 1)
  assert.match(refused.error, /written by a newer version of this program \(schema 9000;/)
})
