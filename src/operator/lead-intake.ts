import { readEnvironment, readSettings } from '../config.ts'
import { openLog } from '../log.ts'
import { startService } from '../main.ts'
const read = readSettings(readEnvironment())
if ('problems' in read) {
  console.error(read.problems.join('\n'))
  process.exit(2)
}
const log = openLog(read.settings.LOG_LEVEL)
const service = await startService(read.settings, log)
process.on('SIGTERM', () => service.stop())
process.on('SIGINT', () => service.stop())
