/** The file of a backup, its name, and which older ones are deleted: the same on either engine. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { openBackup } from '../../src/backup/file.ts'
import { forgetBackups, listBackups } from '../../src/backup/names.ts'
import { makeBackup } from '../../src/backup/make.ts'
import { readKeepRules } from '../../src/setting-values.ts'
import { addFiles } from '../../src/store/backup-file.ts'
import { describeFile } from '../../src/store/engine/sqlite-schema.ts'
import { hasTool, installationToBackUp } from '../support/backup.ts'
import { leadIntake } from '../support/operator.ts'
import { randomFrom } from '../support/random.ts'
import { temporaryFolder } from '../support/service.ts'

const flips = Number(process.env['STORY_FLIPS'] ?? 16)

test('with a key a backup is encrypted, and only the other half of the key opens it [backup.key]', async (t) => {
  const { backUp } = await installationToBackUp(t)
  const identity = await generateIdentity()
  const made = await backUp(await identityToRecipient(identity))
  assert.match(made.path, /\.sqlite\.zst\.age$/)
  const folder = temporaryFolder(t)
  const [keyFile, otherFile] = [join(folder, 'key'), join(folder, 'other')]
  writeFileSync(keyFile, `# created: today\n${identity}\n`)
  writeFileSync(otherFile, await generateIdentity())
  const open = (key?: string) => openBackup(made.path, temporaryFolder(t), key)
  assert.equal((await open(keyFile)).leads, 20)
  await assert.rejects(open(otherFile), /another key/)
  await assert.rejects(open(), /it is encrypted; give the file of the key/)
  if (hasTool('age')) {
    const command = `age -d -i ${keyFile} ${made.path} | zstd -d > ${folder}/backup.sqlite`
    execFileSync('sh', ['-c', command])
    assert.equal(describeFile(join(folder, 'backup.sqlite')).leads, 20)
  }
  await triesFlips(t, made.path, keyFile)
})

test('a changed byte is refused or changes nothing; truncated and longer files are refused [backup.flip]', async (t) => {
  const { backUp } = await installationToBackUp(t)
  const { path } = await backUp()
  await triesFlips(t, path)
  const bytes = readFileSync(path)
  for (const length of [0, 1, 6, 100, bytes.length - 5, bytes.length - 4, bytes.length - 1]) {
    await assert.rejects(openChanged(t, path, bytes.subarray(0, length)), isRefusal)
  }
  // Node itself writes such a frame where the file fills its last buffer exactly.
  await openChanged(t, path, Buffer.concat([bytes, zstdCompressSync('')]))
  for (const tail of ['\0', 'tail', zstdCompressSync('more')]) {
    const longer = Buffer.concat([bytes, Buffer.from(tail)])
    await assert.rejects(openChanged(t, path, longer), isRefusal)
  }
})

const isRefusal = { name: 'BackupRefused' }

/** zstd's checksum covers the content: a bit that it ignores may flip, in the head of the frame, say. */
async function triesFlips(t: test.TestContext, path: string, key?: string): Promise<void> {
  const bytes = readFileSync(path)
  const whole = await openChanged(t, path, bytes, key)
  const random = randomFrom(7)
  const changes = [0, 4, 5, 6, bytes.length - 1, bytes.length - 4, bytes.length - 5]
  while (changes.length < flips) changes.push(Math.floor(random() * bytes.length))
  let same = 0
  for (const place of changes) {
    const changed = Buffer.from(bytes)
    changed[place]! ^= 1 << Math.floor(random() * 8)
    try {
      assert.deepEqual(await openChanged(t, path, changed, key), whole, `at ${place}`)
      same += 1
    } catch (error) {
      assert.equal((error as Error).name, 'BackupRefused', `at ${place}: ${String(error)}`)
    }
  }
  t.diagnostic(JSON.stringify({ flips: changes.length, refused: changes.length - same, same }))
}

async function openChanged(t: test.TestContext, path: string, bytes: Buffer, key?: string) {
  const folder = temporaryFolder(t)
  const changed = join(folder, basename(path))
  writeFileSync(changed, bytes)
  mkdirSync(join(folder, 'opened'))
  const { database } = await openBackup(changed, join(folder, 'opened'), key)
  return readFileSync(database)
}

test('a file that is no backup, or one of a newer program, is refused with a sentence', async (t) => {
  const { backUp } = await installationToBackUp(t, 1)
  const { path } = await backUp()
  const database = zstdDecompressSync(readFileSync(path))
  const refuses = async (change: (copy: string) => void, message: RegExp) => {
    const folder = temporaryFolder(t)
    const copy = join(folder, 'copy')
    writeFileSync(copy, database)
    change(copy)
    writeFileSync(join(folder, 'backup.sqlite.zst'), zstdCompressSync(readFileSync(copy)))
    mkdirSync(join(folder, 'opened'))
    const opening = openBackup(join(folder, 'backup.sqlite.zst'), join(folder, 'opened'))
    await assert.rejects(opening, { ...isRefusal, message })
  }
  const withFiles = (files: Record<string, string>) => (copy: string) => {
    const added = Object.entries(files).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))
    addFiles(copy, added, 0)
  }
  const within = (sql: string) => (copy: string) => {
    const db = new DatabaseSync(copy, { defensive: false })
    db.exec(sql)
    db.close()
  }
  const manifest = '{"format":1,"made":"2026-11-15T17:00:00.000Z"}'
  await refuses((copy) => writeFileSync(copy, 'text'), /^its database is damaged/)
  await refuses((copy) => writeFileSync(copy, ''), /^it is not a backup of this program$/)
  await refuses(within('drop table sqlar'), /^it is not a backup of this program$/)
  await refuses(withFiles({ 'manifest.json': 'null' }), /^it is not a backup of this program$/)
  const later = '{"format":2,"made":"2026-11-15T17:00:00.000Z"}'
  const secret = Buffer.alloc(32).toString('base64url')
  await refuses(withFiles({ 'manifest.json': later, secret }), /a newer version of this program/)
  await refuses(withFiles({ 'manifest.json': manifest, secret: 'x' }), /^it is not a backup/)
  const newer = `insert into migration (name, hash, at) values ('9000-later.sql', '', 0)`
  await refuses(within(newer), /^it was made by a newer version of this program; use that version$/)
  for (const sql of [
    'create trigger spy after insert on lead begin delete from lead; end',
    'create view later as select 1',
    'drop index lead_by_state; create index lead_by_state on lead (lower(state))',
    'alter table lead add column "x text default (1), y" text',
    'create trigger archive after insert on sqlar begin delete from lead; end',
    'drop index lead_by_email',
    'create index mine on lead (state)',
    'create trigger sqlitexstat after insert on lead begin delete from lead; end',
    likeStatistics,
    `drop table lead; create view lead as ${endless}`,
    `drop table event; create view event as ${endless}`,
  ]) {
    await refuses(within(sql), /^it contains something that this program did not make: \w+ \w+$/)
  }
  for (const name of ['migration', 'sqlar']) {
    const sql = `drop table ${name}; create view ${name} as ${endless}`
    await refuses(
      within(sql),
      /^it (?:is not a backup of this program|contains something that .*: view sqlar)$/,
    )
  }
  const other = `update migration set hash = 'of another commit'`
  await assert.rejects(refuses(within(other), /./), /belongs to another build of this program/)
  const outside = { 'manifest.json': manifest, secret, 'content/../../x': 'x' }
  await refuses(withFiles(outside), /^it contains a path that leads outside its folder$/)
})

test('other comments and blanks in the schema, and another order of columns, make no backup foreign', async (t) => {
  const { backUp } = await installationToBackUp(t, 1)
  const { path } = await backUp()
  const database = zstdDecompressSync(readFileSync(path))
  const openAfter = async (sql: string) => {
    const folder = temporaryFolder(t)
    const copy = join(folder, 'copy')
    writeFileSync(copy, database)
    using db = new DatabaseSync(copy, { defensive: false })
    db.exec(sql)
    db.close()
    return openChanged(t, path, zstdCompressSync(readFileSync(copy)))
  }
  const rewrite = (from: string, to: string) => `pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, ${from}, ${to}) where sql like '%' || ${from} || '%'`
  await openAfter(rewrite(`'-- The member who looks after it.'`, `'-- Anybody''s other words'`))
  await openAfter(rewrite(`'state text not null'`, `'state   text' || char(10) || ' not null'`))
  // A field's column is added at the start before a later migration adds its own.
  await openAfter(
    'alter table lead drop column taken_by; alter table lead add column taken_by text',
  )
  // In a quoted text, blanks and dashes are part of the text.
  const inText = rewrite(`'''contacted'''`, `'''contacted -- '''`)
  await assert.rejects(openAfter(inText), /index lead_by_due/)
})

/** A reader of its rows is never at the end. */
const endless = `with recursive n (id) as (select 1 union all select id + 1 from n)
  select id, 'x' as name, 'x' as hash, 0 as at, x'00' as data from n`

/** A trigger under a name that SQLite keeps for its own tables. */
const likeStatistics = `create trigger spy after insert on lead begin delete from lead; end;
  pragma writable_schema = on; update sqlite_schema
  set name = 'sqlite_stat9', sql = replace(sql, 'spy', 'sqlite_stat9') where name = 'spy'`

test('an index that the owner added: its backup is written, told of, and refused by every command', async (t) => {
  const { place, execute } = await installationToBackUp(t, 1)
  await execute('create index mine on lead (state); analyze')
  const made = await leadIntake(place, ['backup'])
  assert.equal(made.code, 1)
  assert.match(made.error, /was written, but cannot be restored: .* index mine\. Drop it/)
  const path = /^\S+\.zst/.exec(made.error)![0]
  for (const command of [
    ['backup', 'verify', path],
    ['backup', 'drill'],
    ['restore', path],
  ]) {
    const { code, error } = await leadIntake(place, command)
    assert.equal(code, 1, command.join(' '))
    assert.match(
      error,
      /cannot be used: it contains something that this program did not make: index mine\.\n/,
    )
  }
})

test('a table of the program that was changed is named, and nobody is told to drop it', async (t) => {
  const { place, execute } = await installationToBackUp(t, 1)
  await execute('alter table delivery add column mine text')
  const changed = await leadIntake(place, ['backup'])
  assert.equal(changed.code, 1)
  assert.match(
    changed.error,
    /cannot be restored: table delivery is not as this program makes it\. Undo that change/,
  )
  assert.doesNotMatch(changed.error, /drop/i)
})

test('only backups that the clock made for this installation are deleted [backup.own, backup.hand]', async (t) => {
  const [one, other] = [await installationToBackUp(t, 1), await installationToBackUp(t, 1)]
  const to = temporaryFolder(t)
  const made = async ({ settings }: typeof one, day: number, byHand = false) => {
    const now = () => Date.UTC(2026, 10, day)
    const { path } = await makeBackup({ settings, to, byHand, now })
    return basename(path)
  }
  const kept = [await made(other, 1), await made(one, 1, true), await made(one, 3)]
  await made(one, 2)
  await made(one, 1)
  const own = (await listBackups(to)).find(({ path }) => path.endsWith(kept[2]!))!
  assert.equal(await forgetBackups(to, readKeepRules('1d'), own, own.at), 2)
  assert.deepEqual(readdirSync(to).toSorted(), kept.toSorted())
})

test('files that are named for the future delete no backup [backup.own]', async (t) => {
  const { place } = await installationToBackUp(t, 1)
  const to = temporaryFolder(t)
  const env = { BACKUP_TO: to, BACKUP_KEEP: '2d' }
  const first = await leadIntake(place, ['backup', '--by-clock', '--json'], env)
  const { installation } = JSON.parse(first.out) as { installation: string }
  const ofFuture = ['2098-01-01', '2098-02-01', '2098-03-01'].map(
    (day) => `lead-intake-${day}T000000Z-${installation}-s1.sqlite.zst`,
  )
  for (const name of ofFuture) writeFileSync(join(to, name), zstdCompressSync(''))
  const second = await leadIntake(place, ['backup', '--by-clock', '--json'], env)
  assert.equal(second.code, 0, second.error)
  const { path } = JSON.parse(second.out) as { path: string }
  const left = readdirSync(to)
  for (const name of [basename(path), ...ofFuture]) assert.ok(left.includes(name), name)
  const drilled = await leadIntake(place, ['backup', 'drill'], env)
  assert.ok(drilled.out.startsWith(path), drilled.error)
})

test('empty files with the names of past days delete no backup, and stay [backup.own]', async (t) => {
  const { settings } = await installationToBackUp(t, 1)
  const to = temporaryFolder(t)
  const at = (day: number, hour: number) => Date.UTC(2026, 10, day, hour)
  const made = []
  for (const day of [1, 2, 3]) made.push(await makeBackup({ settings, to, now: () => at(day, 1) }))
  const later = made.map(({ path }) => path.replace(/T\d{6}Z/, 'T235959Z'))
  for (const path of later) writeFileSync(path, '')
  const encrypted = `${later[0]}.age`
  writeFileSync(encrypted, zstdCompressSync(''))
  assert.equal(await forgetBackups(to, readKeepRules('3d'), made[2]!, at(4, 0)), 0)
  const all = [...made.map(({ path }) => path), ...later, encrypted]
  assert.deepEqual(readdirSync(to).toSorted(), all.map((path) => basename(path)).toSorted())
  assert.deepEqual(
    (await listBackups(to)).map(({ path }) => path),
    made.map(({ path }) => path).toReversed(),
  )
})

test('the backup that was just made stays, also where its name is older than all others [backup.own]', async (t) => {
  const { settings } = await installationToBackUp(t, 1)
  const to = temporaryFolder(t)
  const at = Date.UTC(2026, 10, 16)
  const earlier = await makeBackup({ settings, to, now: () => at + 60_000 })
  const made = await makeBackup({ settings, to, now: () => at })
  assert.equal(await forgetBackups(to, readKeepRules('1d'), made, at), 0)
  assert.deepEqual(
    readdirSync(to),
    [made, earlier].map(({ path }) => basename(path)),
  )
})

test('three backups of one second are three files', async (t) => {
  const { settings } = await installationToBackUp(t, 1)
  const to = temporaryFolder(t)
  const made = []
  for (let time = 0; time < 3; time += 1) {
    made.push(await makeBackup({ settings, to, now: () => Date.UTC(2026, 10, 16) }))
  }
  assert.equal(new Set(made.map(({ path }) => path)).size, 3)
})

test('the command makes, lists and verifies backups, and says what it deletes [backup.hand, backup.drill]', async (t) => {
  const { place, settings } = await installationToBackUp(t, 3)
  const none = await leadIntake(place, ['backup', 'list'])
  assert.equal(none.code, 3)
  assert.match(none.error, /^There is no backup in \S+backups\. Name another folder/)
  const made = await leadIntake(place, ['backup', '--json'])
  assert.equal(made.code, 0, made.error)
  const { path, leads, bytes, installation } = JSON.parse(made.out) as Record<string, string>
  assert.deepEqual([leads, bytes], [3, statSync(path!).size])
  const folder = join(settings.DATA_DIR, 'backups')
  assert.equal(dirname(path!), folder)
  const old = join(folder, `lead-intake-2020-01-02T030405Z-${installation}-s4.sqlite.zst`)
  writeFileSync(old, zstdCompressSync(''))
  const keeping = { ...place, env: { ...place.env, BACKUP_KEEP: '1h' } }
  const byClock = await leadIntake(keeping, ['backup', '--by-clock'])
  assert.match(
    byClock.out,
    /-s\d+\.sqlite\.zst: 3 leads, \d+ kB, restored and checked\n1 older backup deleted, by BACKUP_KEEP\.\n$/,
  )
  const listed = await leadIntake(place, ['backup', 'list', '--json'])
  const paths = (JSON.parse(listed.out) as { path: string }[]).map((each) => each.path)
  assert.equal(paths.length, 2)
  assert.ok(paths.includes(path!), 'BACKUP_KEEP does not delete what a person made')
  const verified = await leadIntake(place, ['backup', 'verify', path!])
  assert.ok(verified.out.endsWith('3 leads. It is whole.\n'), verified.error)
  const missing = await leadIntake(place, ['backup', 'verify', folder])
  assert.deepEqual([missing.code, missing.error], [3, `There is no file ${folder}.\n`])
  appendFileSync(path!, 'tail')
  const refused = await leadIntake(place, ['backup', 'verify', path!])
  assert.equal(refused.code, 1)
  assert.match(refused.error, /cannot be used: there is data after its end\.\n$/)
  const unwritable = await leadIntake(place, ['backup', '--to', join(path!, 'backups')])
  assert.equal(unwritable.code, 1)
  assert.match(unwritable.error, /^\S+ cannot be read or written \((?:ENOTDIR|EEXIST)\)\.\n$/)
})
