/** The service on PostgreSQL without group commit: one transaction per request, in one round trip. */
import { readSettings } from '../../src/config.ts'
import { openLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import { Connections } from '../../src/store/engine/postgres-pool.ts'
import { prepareDatabase } from '../../src/store/engine/postgres-schema.ts'
import { openStore } from '../../src/store/store.ts'

const read = readSettings(process.env)
if ('problems' in read) throw new Error(read.problems.join('\n'))
const { settings } = read
const connections = new Connections(settings.DATABASE_URL!, 60_000)
await prepareDatabase(connections, { nowMs: Date.now() })
const names = new Map<string, string>()
const engine: Engine = {
  dialect: 'postgres',
  soleWriter: false,
  forgetDeleted() {},
  rebuildIndex: () => Promise.resolve(),
  async run(batch) {
    const answers = await connections.transact(
      batch.map(([text, values]) => ({ text, values, name: nameOf(text) })),
    )
    return answers.map(({ count }) => count)
  },
  read: async (text, values = []) => (await connections.ask({ text, values })).rows,
  close: () => connections.close(),
}
const service = await startService(settings, openLog(settings.LOG_LEVEL), openStore(engine))
process.once('SIGTERM', () => void service.stop())

function nameOf(text: string): string {
  const name = names.get(text) ?? `one-${names.size}`
  names.set(text, name)
  return name
}
