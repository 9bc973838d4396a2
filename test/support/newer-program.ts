/** A copy of the program that knows one migration more: the next version, for tests of upgrades. */
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Cleaner } from './cleaner.ts'
import { temporaryFolder } from './service.ts'

/** Returns the script that starts it. */
export function copyAsNewer(t: Cleaner): string {
  const folder = temporaryFolder(t)
  for (const name of ['bin', 'src', 'public', 'package.json']) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const migration = 'create table later (id text primary key not null) strict;\n'
  writeFileSync(join(folder, 'src/store/engine/migrations/9000-later.sql'), migration)
  return join(folder, 'bin/lead-intake.js')
}
