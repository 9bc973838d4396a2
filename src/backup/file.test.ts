import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { temporaryFolder } from '../../test/support/service.ts'
import { mayMount, openSmallFileSystem } from '../../test/support/small-disk.ts'
import { openBackup, removeLeft, withinBounds } from './file.ts'

/** As root, the work is done as this user, because root may remove everything. */
const nobody = 65_534

test('a work folder that another user left stays, and hinders neither the cleaning nor a backup', (t) => {
  const folder = temporaryFolder(t)
  const isRoot = process.getuid?.() === 0
  const [of, own] = ['a-of-root', 'b-own'].map((name) => join(folder, `backup-work-${name}`))
  for (const left of [of!, own!]) {
    mkdirSync(left)
    writeFileSync(join(left, 'leads.sqlite'), '')
    if (isRoot && left === own) for (const path of [folder, left]) chownSync(path, nobody, nobody)
    utimesSync(left, 0, 0)
  }
  chmodSync(of!, 0o500)
  if (isRoot) process.seteuid!(nobody)
  try {
    removeLeft(folder)
  } finally {
    if (isRoot) process.seteuid!(0)
    chmodSync(of!, 0o700)
  }
  assert.deepEqual(
    [of!, own!].map((path) => existsSync(path)),
    [true, false],
  )
})

test('a work folder goes when its process is gone, however young it is; one of a running process stays', (t) => {
  const folder = temporaryFolder(t)
  const ended = spawnSync(process.execPath, ['--version']).pid
  const names = [
    `backup-work-${ended}-gone`,
    `backup-work-${process.ppid}-runs`,
    `backup-work-${process.pid}-earlier`,
    'backup-work-older',
    '.unfinished-other',
  ]
  for (const name of names) mkdirSync(join(folder, name))
  removeLeft(folder)
  assert.deepEqual(readdirSync(folder).toSorted(), [names[4], names[1], names[3]])
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a backup that ${signal} ends leaves neither its work folder nor an unfinished file`, async (t) => {
    const folder = temporaryFolder(t)
    const module = new URL('file.ts', import.meta.url).href
    const script = `
      import { writeFileSync } from 'node:fs'
      import { thenRemove, withWorkFolder } from '${module}'
      await withWorkFolder('${folder}', async (work) => {
        writeFileSync(work + '/leads.sqlite', 'x')
        await thenRemove('${folder}/.unfinished', () => {
          writeFileSync('${folder}/.unfinished', 'x')
          console.log('writing')
          return new Promise((done) => setTimeout(done, 3_600_000))
        })
      })`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script])
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    assert.equal(readdirSync(folder).length, 2)
    child.kill(signal)
    const [code, by] = (await once(child, 'exit')) as [number | null, string | null]
    assert.deepEqual([code, by, readdirSync(folder)], [null, signal, []])
  })
}

test('unpacking stops where a file would become too large', async (t) => {
  const folder = temporaryFolder(t)
  const unpack = async (mostBytes: number) => {
    let bytes = 0
    for await (const chunk of withinBounds(zeros(), { folder, mostBytes })) bytes += chunk.length
    return bytes
  }
  assert.equal(await unpack(3_000), 3_000)
  const message = /^it unpacks to more than 50 times its size/
  await assert.rejects(unpack(2_999), { name: 'BackupRefused', message })
})

async function* zeros(): AsyncGenerator<Uint8Array> {
  for (let each = 0; each < 3; each += 1) yield Promise.resolve(new Uint8Array(1_000))
}

const mib = 1024 * 1024

test(
  'a small file that unpacks to more than there is room fills no disk',
  { skip: !mayMount() && 'this user may not mount a small disk' },
  async (t) => {
    const { dataDir } = openSmallFileSystem(t, 80)
    const file = join(temporaryFolder(t), 'large.sqlite.zst')
    writeFileSync(file, zstdCompressSync(Buffer.alloc(60 * mib)))
    await assert.rejects(openBackup(file, dataDir), {
      name: 'BackupRefused',
      message: /^there is no room to unpack it: less than 64 MiB is free in /,
    })
    // What was on its way is still written.
    const { bavail, bsize } = statfsSync(dataDir)
    assert.ok(bavail * bsize > 48 * mib)
  },
)
