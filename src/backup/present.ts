/** The database that a restore replaces: a file, or the tables on a PostgreSQL server. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../config.ts'
import { isPostgres } from '../setting-values.ts'
import { readLetIn } from '../store/access/carry-over.ts'
import type { LetIn } from '../store/access/carry-over.ts'
import { replacedFile, replacedSchema } from '../store/before-restore.ts'
import { describeFile, replaceFile } from '../store/engine/sqlite-copy.ts'
import { readErased, readErasedIn } from '../store/erased-file.ts'
import type { Erased } from '../store/erased-file.ts'
import { databaseOf, openEngine } from '../store/open.ts'
import { readErasedInFile, readLetInFile, schemaOf } from '../store/restored.ts'
import { findSharedSecret, readSecret, secretPath } from '../store/secret.ts'
import { openStore } from '../store/store.ts'
import { installationOf } from './manifest.ts'

export type Present = {
  /** `undefined`: there is no database, or it cannot be read. */
  leads: number | undefined
  /** `undefined`: the service has not run here. */
  installation: string | undefined
  /** Leads that must not come back. */
  erased: Erased[]
  /** Whom it lets into the inbox. `undefined`: that cannot be read. */
  letIn: LetIn | undefined
  /** Where it will be kept. `undefined`: there is nothing to keep. */
  keepAs: string | undefined
  /**
   * `file`: in the folder of the database. `secretDir`: folder of the secret that belongs to it. Tells
   * what the service did to the database until it was replaced.
   */
  replace(file: string, secretDir: string): Promise<Pick<Present, 'erased' | 'letIn'>>
}

type Place = Pick<Settings, 'DATA_DIR' | 'DATABASE_URL'>

/** `stamp`: goes into the name of what is kept. */
export async function readPresent(settings: Place, stamp: string): Promise<Present> {
  const database = databaseOf(settings)
  const { DATA_DIR: dataDir } = settings
  const noted = await readErased(dataDir)
  const own = existsSync(secretPath(dataDir)) ? readSecret(dataDir) : undefined
  const found = isPostgres(database)
    ? await readServer(database, stamp)
    : await readFile(database, join(dirname(database), replacedFile(stamp, 'sqlite')))
  const secret = found.secret ?? own
  return {
    ...found,
    installation: secret && installationOf(secret),
    erased: [...noted, ...found.erased],
    async replace(file, secretDir) {
      const { erased, letIn } = await found.replace(file, secretDir)
      return { erased: [...(await readErased(dataDir)), ...erased], letIn }
    },
  }
}

type Found = Omit<Present, 'installation'> & { secret?: Buffer | undefined }

async function readFile(path: string, keepAs: string): Promise<Found> {
  const isThere = existsSync(path)
  return {
    leads: isThere ? countIn(path) : undefined,
    ...(await readMarks(path)),
    keepAs: isThere ? keepAs : undefined,
    async replace(file) {
      replaceFile(path, file, keepAs)
      return readMarks(keepAs)
    },
  }
}

async function readMarks(path: string): Promise<Pick<Present, 'erased' | 'letIn'>> {
  if (!existsSync(path)) return { erased: [], letIn: undefined }
  return { erased: await readErasedInFile(path), letIn: await readLetInFile(path) }
}

function countIn(path: string): number | undefined {
  try {
    return describeFile(path).leads
  } catch {
    return undefined
  }
}

async function readServer(url: string, stamp: string): Promise<Found> {
  const engine = await openEngine(url)
  try {
    const leads = await openStore(engine).countLeads(undefined, Number.MAX_SAFE_INTEGER)
    const kept = leads === 0 ? undefined : replacedSchema(stamp, await schemaOf(engine))
    return {
      leads,
      secret: await findSharedSecret(engine),
      erased: await readErasedIn(engine),
      letIn: await readLetIn(engine),
      keepAs: kept,
      async replace(file, secretDir) {
        const { replaceTables } = await import('../store/replace-tables.ts')
        await replaceTables({ url, file, secretDir, keepAs: kept })
        return kept === undefined ? { erased: [], letIn: undefined } : readKept(url, kept)
      },
    }
  } finally {
    await engine.close()
  }
}

async function readKept(url: string, schema: string): Promise<Pick<Present, 'erased' | 'letIn'>> {
  const engine = await openEngine(url)
  try {
    const within = `"${schema}".`
    return { erased: await readErasedIn(engine, within), letIn: await readLetIn(engine, within) }
  } finally {
    await engine.close()
  }
}
