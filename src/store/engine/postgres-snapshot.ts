/** Reads a PostgreSQL database as it was at one moment, while others write to it. */
import { StoreRefused } from './engine.ts'
import type { Engine } from './engine.ts'
import { dueMigrations, olderSchema, type DatabaseSchema } from './migrations.ts'
import { openConnections } from './postgres-pool.ts'
import { explainPostgresFault, readServerSchema, whyAway } from './postgres-schema.ts'

const commitMs = 60_000

/** Of this schema or an older one. */
export async function readServerSnapshot<T>(
  url: string,
  work: (source: Pick<Engine, 'read'>, schema: DatabaseSchema) => Promise<T>,
): Promise<T> {
  const connections = openConnections(url, commitMs)
  try {
    const schema = await readServerSchema(connections).catch((error: unknown) => {
      throw explainPostgresFault(error, url) ?? new StoreRefused(whyAway(error, url))
    })
    dueMigrations(schema.migrations, 'postgres')
    if (schema.migrations.length === 0) throw new StoreRefused(olderSchema)
    return await connections.snapshot((ask) =>
      work({ read: async (text, values = []) => (await ask({ text, values })).rows }, schema),
    )
  } finally {
    await connections.close()
  }
}
