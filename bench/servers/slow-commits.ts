/** Starts the service as in production, but every commit takes 20 ms longer. */
import { join } from 'node:path'
import { readSettings } from '../../src/config.ts'
import { openLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { Store } from '../../src/store/store.ts'

const read = readSettings(process.env)
if ('problems' in read) throw new Error(read.problems.join('\n'))
const { settings } = read
const path = join(settings.DATA_DIR, 'leads.sqlite')
const store = new Store(openSqlite({ path, inThread: true, commitDelayMs: 20 }))
const service = await startService(settings, openLog(settings.LOG_LEVEL), store)
process.once('SIGTERM', () => void service.stop())
