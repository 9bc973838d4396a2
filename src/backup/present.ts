/** The database that a restore replaces: a file, or the tables on a PostgreSQL server. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../config.ts'
import { isPostgres } from '../setting-values.ts'
import { readLetIn } from '../store/access/carry-over.ts'
import type { LetIn } from '../store/access/carry-over.ts'
import { dropSchema, replacedFile, replacedSchema } from '../store/before-restore.ts'
import type { Engine } from '../store/engine/engine.ts'
import { describeFile, replaceFile } from '../store/engine/sqlite-copy.ts'
import { readErased, readErasedIn } from '../store/erased-file.ts'
import type { Erased } from '../store/erased-file.ts'
import { databaseOf, openEngine } from '../store/open.ts'
import {
  countLeadsAfter,
  countLeadsIn,
  readErasedInFile,
  readInFile,
  readLetInFile,
  schemaOf,
} from '../store/restored.ts'
import { findSharedSecret, readSecret, secretPath } from '../store/secret.ts'
import { installationOf } from './manifest.ts'

export type Present = Contents & {
  /** `undefined`: the service has not run here. */
  installation: string | undefined
  /** Where it will be kept. `undefined`: there is nothing to keep. */
  keepAs: string | undefined
  /** `file`: in the folder of the database. `secretDir`: folder of the secret that belongs to it. */
  replace(file: string, secretDir: string): Promise<PutAside>
}

type Contents = {
  /** `undefined`: there is no database, or it cannot be read. */
  leads: number | undefined
  /** How many of them came after the newest lead of the backup. */
  later: number | undefined
  /** Leads that must not come back. */
  erased: Erased[]
  /** Whom it lets into the inbox. `undefined`: that cannot be read. */
  letIn: LetIn | undefined
}

/** With all that the service did until it was replaced. */
export type PutAside = Contents & Pick<Present, 'keepAs'>

type Place = Pick<Settings, 'DATA_DIR' | 'DATABASE_URL'>

/** `stamp`: goes into the name of what is kept. `newest`: the id of the newest lead of the backup. */
export async function readPresent(
  settings: Place,
  { stamp, newest }: { stamp: string; newest: string },
): Promise<Present> {
  const database = databaseOf(settings)
  const { DATA_DIR: dataDir } = settings
  const noted = await readErased(dataDir)
  const own = existsSync(secretPath(dataDir)) ? readSecret(dataDir) : undefined
  const found = isPostgres(database)
    ? await readServer(database, stamp, newest)
    : await readFile(database, join(dirname(database), replacedFile(stamp, 'sqlite')), newest)
  const secret = found.secret ?? own
  return {
    ...found,
    installation: secret && installationOf(secret),
    erased: [...noted, ...found.erased],
    async replace(file, secretDir) {
      const kept = await found.replace(file, secretDir)
      return { ...kept, erased: [...(await readErased(dataDir)), ...kept.erased] }
    },
  }
}

type Found = Omit<Present, 'installation'> & { secret?: Buffer | undefined }

async function readFile(path: string, keepAs: string, newest: string): Promise<Found> {
  const kept = {
    ...(await readContents(path, newest)),
    keepAs: existsSync(path) ? keepAs : undefined,
  }
  return {
    ...kept,
    replace(file) {
      replaceFile(path, file, keepAs)
      return Promise.resolve(kept)
    },
  }
}

async function readContents(path: string, newest: string): Promise<Contents> {
  if (!existsSync(path)) {
    return { leads: undefined, later: undefined, erased: [], letIn: undefined }
  }
  const leads = countIn(path)
  return {
    leads,
    later: leads && (await readInFile(path, (file) => countLeadsAfter(file, newest))),
    erased: await readErasedInFile(path),
    letIn: await readLetInFile(path),
  }
}

function countIn(path: string): number | undefined {
  try {
    return describeFile(path).leads
  } catch {
    return undefined
  }
}

async function readServer(url: string, stamp: string, newest: string): Promise<Found> {
  const engine = await openEngine(url)
  try {
    const contents = await readInSchema(engine, newest)
    const kept = replacedSchema(stamp, await schemaOf(engine))
    return {
      ...contents,
      secret: await findSharedSecret(engine),
      keepAs: contents.leads === 0 ? undefined : kept,
      async replace(file, secretDir) {
        const { replaceTables } = await import('../store/replace-tables.ts')
        await replaceTables({ url, file, secretDir, keepAs: kept })
        return readKept(url, kept, newest)
      },
    }
  } finally {
    await engine.close()
  }
}

/** Tables without a lead are dropped: looked at before, they might have got one since. */
async function readKept(url: string, schema: string, newest: string): Promise<PutAside> {
  const engine = await openEngine(url)
  try {
    const contents = await readInSchema(engine, newest, `"${schema}".`)
    if (contents.leads === 0) await dropSchema(url, schema)
    return { ...contents, keepAs: contents.leads === 0 ? undefined : schema }
  } finally {
    await engine.close()
  }
}

/** `schema`: with a dot at its end. */
async function readInSchema(
  engine: Pick<Engine, 'read'>,
  newest: string,
  schema = '',
): Promise<Contents> {
  return {
    leads: await countLeadsIn(engine, schema),
    later: await countLeadsAfter(engine, newest, schema),
    erased: await readErasedIn(engine, schema),
    letIn: await readLetIn(engine, schema),
  }
}
