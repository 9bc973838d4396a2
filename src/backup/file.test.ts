import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { removeLeft } from './file.ts'

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
