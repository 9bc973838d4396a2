/** A copy of the program that knows one migration more: the next version, for tests of upgrades. */
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Cleaner } from './cleaner.ts'
import { temporaryFolder } from './service.ts'

export const laterMigration = '9000-later.sql'

/** Returns the script that starts it. `rows`: how many the migration writes, so that it takes time. */
export function copyAsNewer(t: Cleaner, rows = 1): string {
  const folder = temporaryFolder(t)
  for (const name of ['bin', 'src', 'public', 'package.json']) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const migration = `create table later (id integer primary key not null) strict;
    insert into later with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i from n;\n`
  writeFileSync(join(folder, 'src/store/engine/migrations', laterMigration), migration)
  return join(folder, 'bin/lead-intake.js')
}
