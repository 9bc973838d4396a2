/** Reads a PostgreSQL database as it was at one moment, while others write to it. */
import { StoreRefused } from './engine.ts'
import type { Engine } from './engine.ts'
import { openConnections } from './postgres-pool.ts'
import { explainPostgresFault, refuseOtherSchema, whyAway } from './postgres-schema.ts'

const commitMs = 60_000

export async function readServerSnapshot<T>(
  url: string,
  work: (source: Pick<Engine, 'read'>) => Promise<T>,
): Promise<T> {
  const connections = openConnections(url, commitMs)
  try {
    await refuseOtherSchema(connections).catch((error: unknown) => {
      throw explainPostgresFault(error, url) ?? new StoreRefused(whyAway(error, url))
    })
    return await connections.snapshot((ask) =>
      work({ read: async (text, values = []) => (await ask({ text, values })).rows }),
    )
  } finally {
    await connections.close()
  }
}
