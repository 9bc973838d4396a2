/** A control for the crash stories: the service, but saying "received" before the commit. It must lose leads. */
import { readEnvironment, readSettings } from '../../src/config.ts'
import { openLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { nobody } from '../../src/contract/notices.ts'
import { openToServe } from '../../src/store/open.ts'

const read = readSettings(readEnvironment())
if ('problems' in read) throw new Error(read.problems.join(' '))
const { settings } = read
const log = openLog(settings.LOG_LEVEL)
const store = await openToServe(settings, {
  log,
  recipients: nobody,
  beforeMigration: () => Promise.resolve(),
})
const keep = store.leads.keep.bind(store.leads)
store.leads.keep = async (lead) => {
  keep(lead).catch(() => {})
  return { kind: 'kept', reference: lead.reference }
}

await startService(settings, log, store)
