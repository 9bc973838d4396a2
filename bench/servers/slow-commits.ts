/** Starts the service as in production, but every commit takes 20 ms longer. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings } from '../../src/config.ts'
import { nobody } from '../../src/contract/notices.ts'
import { openLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { Store } from '../../src/store/store.ts'

const delayMs = 20

const read = readSettings(process.env)
if ('problems' in read) throw new Error(read.problems.join('\n'))
const { settings } = read
const path = join(settings.DATA_DIR, 'leads.sqlite')
const store = new Store(slowed(openSqlite({ path, inThread: true })), nobody)
const service = await startService(settings, openLog(settings.LOG_LEVEL), store)
process.once('SIGTERM', () => void service.stop())

/** Batches that wait for the same delay are then committed together. */
function slowed(engine: Engine): Engine {
  let delay: Promise<void> | undefined
  return {
    dialect: engine.dialect,
    async run(batch, deadlineMs) {
      await (delay ??= sleep(delayMs).finally(() => (delay = undefined)))
      return engine.run(batch, deadlineMs)
    },
    read: (sql, values) => engine.read(sql, values),
    forgetDeleted: (everywhere) => engine.forgetDeleted(everywhere),
    close: () => engine.close(),
  }
}
