/** From a newer version back to this one: the commands to type when a start refuses the newer schema. */
import { folderBeforeMigration } from '../backup/before-migration.ts'
import { listBundles } from '../backup/list.ts'
import type { Settings } from '../config.ts'
import { isPostgres } from '../setting-values.ts'
import { StoreRefused } from '../store/engine/engine.ts'
import { newestMigration } from '../store/engine/migrations.ts'
import { databaseOf } from '../store/open.ts'

export async function tellWayBack(
  refused: StoreRefused,
  settings: Settings,
): Promise<StoreRefused> {
  return new StoreRefused(`${refused.message} ${await describe(settings)}`)
}

async function describe(settings: Settings): Promise<string> {
  if (isPostgres(databaseOf(settings))) {
    return 'To go back to this one, restore the dump or the backup that you made before the upgrade into another database, and name that in DATABASE_URL.'
  }
  const folder = folderBeforeMigration(settings)
  const bundles = await listBundles(folder).catch(() => [])
  const bundle = bundles.find(({ schema }) => schema <= newestMigration())
  if (bundle === undefined) {
    return `To go back to this one, restore an older backup ("lead-intake restore FILE"): in ${folder} there is none that this version reads.`
  }
  const key = bundle.encrypted ? ' --key FILE' : ''
  return `To go back to this one, type these two commands:\n  lead-intake restore ${bundle.path}${key}\n  lead-intake serve\nLeads that came since then stay in the file that the first one names.`
}
