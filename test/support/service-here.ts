/**
 * The whole service on a real port, but in this process, for tests of what it says: a process of its own takes a second
 * to start.
 */
import { Writable } from 'node:stream'
import { backUpBeforeMigration } from '../../src/backup/make.ts'
import { planRecipients } from '../../src/delivery/channels.ts'
import { openLog } from '../../src/log.ts'
import { startService } from '../../src/main.ts'
import { readBusinessOf } from '../../src/operator/open.ts'
import { openToServe } from '../../src/store/open.ts'
import { settingsOf } from './backup.ts'
import {
  endBeforeRemoving,
  withoutPhotos,
  type Cleaner,
  type RunningService,
  type StartOptions,
} from './service.ts'

export type ServiceHere = Pick<RunningService, 'url' | 'port' | 'lines'> & { stop(): Promise<void> }

export async function startServiceHere(
  t: Cleaner,
  { dataDir, photos, env: own = {} }: Pick<StartOptions, 'dataDir' | 'env' | 'photos'>,
): Promise<ServiceHere> {
  const env = { PORT: '0', RATE_LIMIT: 'off', ...(!photos && withoutPhotos), ...own }
  const settings = settingsOf({ dataDir, env })
  const lines: string[] = []
  const log = openLog(settings.LOG_LEVEL, linesTo(lines))
  const beforeMigration = (schema: number) => backUpBeforeMigration(settings, schema, log.info)
  const business = readBusinessOf(settings)
  const recipients = planRecipients(settings, business)
  const store = await openToServe(settings, { log, recipients, beforeMigration })
  const service = await startService(settings, log, store, { business }).catch(
    async (error: unknown) => {
      await store.close()
      throw error
    },
  )
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= service.stop())
  t.after(stop)
  endBeforeRemoving(dataDir, stop)
  const listening = lines.find((line) => line.includes('"service.listening"'))!
  const { port } = JSON.parse(listening) as { port: number }
  return { url: `http://127.0.0.1:${port}`, port, lines, stop }
}

function linesTo(lines: string[]): Writable {
  let rest = ''
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      const parts = (rest + text).split('\n')
      rest = parts.pop()!
      lines.push(...parts)
      done()
    },
  })
}
