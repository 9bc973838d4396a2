/** From a newer version back to this one: the commands to type when a start refuses the newer schema. */
import { folderBeforeMigration } from '../backup/before-migration.ts'
import { listBundles } from '../backup/list.ts'
import type { Settings } from '../config.ts'
import { howToType } from '../how-to-type.ts'
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
  const folder = folderBeforeMigration(settings)
  const bundles = await listBundles(folder).catch(() => [])
  const bundle = bundles.find(({ schema }) => schema <= newestMigration())
  const onServer = isPostgres(databaseOf(settings))
  const first = onServer ? 'name an empty database in DATABASE_URL and ' : ''
  if (bundle === undefined) {
    return `To go back to this one, ${first}restore an older backup ("${howToType('restore FILE')}"): in ${folder} there is none that this version reads.`
  }
  const key = bundle.encrypted ? ' --key FILE' : ''
  const since = onServer ? 'database of now' : 'file that the first one names'
  return `To go back to this one, ${first}type these two commands:\n  ${howToType(`restore ${bundle.path}${key}`)}\n  ${howToType('serve')}\nLeads that came since then stay in the ${since}.`
}
