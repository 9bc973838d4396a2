/** Starts the service as in production, but with another store. */
import { join } from 'node:path'
import { readSettings } from '../../src/config.ts'
import { openLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import type { Store } from '../../src/store/store.ts'

export async function serveWith(openOwn: (path: string) => Store): Promise<void> {
  const read = readSettings(process.env)
  if ('problems' in read) throw new Error(read.problems.join('\n'))
  const { settings } = read
  const store = openOwn(join(settings.DATA_DIR, 'leads.sqlite'))
  const service = await startService(settings, openLog(settings.LOG_LEVEL), store)
  process.once('SIGTERM', () => void service.stop())
}
