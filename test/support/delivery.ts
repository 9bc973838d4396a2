/** The service as a function, with real channels, and a clock that a test can hold. Nothing is due before the clock says so. */
import { createApp } from '../../src/app.ts'
import { readSettings, type Settings } from '../../src/config.ts'
import { planRecipients } from '../../src/delivery/channels.ts'
import { Notifier, type NotifierParts } from '../../src/delivery/notifier.ts'
import { defaultRateLimit } from '../../src/contract/limits.ts'
import { readSite, type PublishedSite } from '../../src/discovery/documents.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { Limits } from '../../src/lead/limits.ts'
import { LeadTaker } from '../../src/lead/take.ts'
import type { Log } from '../../src/log.ts'
import type { Delivery, Try } from '../../src/store/deliveries/rows.ts'
import { Store } from '../../src/store/store.ts'
import { endBeforeRemoving, type Cleaner } from './service.ts'
import { newSqliteDatabase, type TestDatabase } from './engines.ts'
import { patienceMs } from './until.ts'

export type TestDelivery = {
  store: Store
  database: TestDatabase
  env: Record<string, string>
  delivery: Notifier
  taker: LeadTaker
  clock: { now: number }
  site: PublishedSite
  app: ReturnType<typeof createApp>
  lines: string[]
  take(body: object): Promise<string>
  triesBy(channel: string, leadId: string): Promise<Try[]>
  /** Until nothing that is due now is left to do. */
  settle(): Promise<void>
  /** Lets time go by, then settles. */
  pass(ms: number): Promise<void>
  ask(
    method: string,
    path: string,
    request?: { headers?: Record<string, string>; body?: string; from?: string },
  ): Promise<{ status: number; text: string; headers: Readonly<Record<string, string>> }>
  /** Withdraws a lead like its sender, from the receipt. */
  withdraw(leadId: string): Promise<void>
}

export type DeliveryOptions = {
  env?: Record<string, string>
  business?: object
  /** Left out: a SQLite of its own, for tests that are not about the database. */
  database?: TestDatabase
  random?: () => number
  now?: number
  timeoutMs?: number
  /** Left out: as many as there are leads. */
  emailsPerHour?: number
  readDisk?: NotifierParts['readDisk']
  pushServices?: readonly string[]
  backupEveryMs?: number
}

const baseUrl = 'https://decks.example.com'
export const secret = Buffer.alloc(32, 7)
/** A Monday, ten in the morning in Sydney. */
const morning = Date.UTC(2026, 10, 15, 23)

/** Read once, because it takes longer than most tests. */
export const exampleSite = readSite('content', baseUrl)

export async function openTestDelivery(
  t: Cleaner,
  options: DeliveryOptions = {},
): Promise<TestDelivery> {
  const clock = { now: options.now ?? morning }
  const lines: string[] = []
  const database = options.database ?? newSqliteDatabase(t)
  const business = { ...exampleSite.business, ...options.business }
  const settings = settingsOf(options.env ?? {})
  const store = withoutSecondLeases(new Store(database.open(), planRecipients(settings, business)))
  const now = () => clock.now
  const own: NotifierParts = {
    settings,
    business,
    baseUrl,
    secret,
    store,
    log: listeningLog(lines),
    now,
    emailsPerHour: options.emailsPerHour ?? 1_000_000,
    random: options.random ?? (() => 0.5),
    variable: (name) => options.env?.[name],
    // No delivery fails because the machine is slow.
    timeoutMs: options.timeoutMs ?? patienceMs,
    ...(options.readDisk && { readDisk: options.readDisk }),
    ...(options.pushServices && { pushServices: options.pushServices }),
  }
  const opening = Promise.resolve().then(() => new Notifier(own))
  const delivery = await opening.catch(async (error: unknown) => {
    // Wrong settings of a channel are refused.
    await store.close()
    throw error
  })
  let ending: Promise<void> | undefined
  const end = () => (ending ??= delivery.stop().then(() => store.close()))
  t.after(end)
  endBeforeRemoving(database.url.replace('sqlite:', ''), end)
  const rateLimit = defaultRateLimit
  const { backupEveryMs } = options
  const reportFailure = () => {}
  const parts = {
    store,
    site: exampleSite,
    secret,
    rateLimit,
    delivery,
    backupEveryMs,
    reportFailure,
    now,
  }
  const app = createApp(parts)
  const limits = new Limits(rateLimit)
  // Each test has its own: ids go on from the last time.
  const leadIds = new LeadIds(secret)
  const taker = new LeadTaker({ store, limits, leadIds, secret, business, now })
  const settle = async () => {
    delivery.wake()
    await delivery.settled()
  }
  const ask: TestDelivery['ask'] = async (method, path, request = {}) => {
    const { headers = {}, body = '', from = '192.0.2.1' } = request
    const answer = await app.router.answer({
      id: 'test',
      method,
      path,
      query: '',
      headers,
      body: Buffer.from(body),
      address: { network: from, local: false },
    })
    return { status: answer.status, text: String(answer.body), headers: answer.headers }
  }
  return {
    store,
    database,
    env: options.env ?? {},
    delivery,
    taker,
    clock,
    site: exampleSite,
    app,
    lines,
    settle,
    async take(body) {
      const outcome = await taker.takeLead({
        body: body as Record<string, unknown>,
        door: 'json',
        dedup: { by: 'content' },
        address: { network: '127.0.0.1', local: true },
        userAgent: '',
        agent: '',
      })
      if (!('id' in outcome)) throw new Error('the lead was not taken')
      return outcome.id
    },
    async triesBy(channel, leadId) {
      const tries = await store.deliveries.triesOfLead(leadId)
      return tries.filter(({ deliveryId }) => deliveryId === `${leadId}/${channel}`)
    },
    async pass(ms) {
      clock.now += ms
      await settle()
    },
    ask,
    async withdraw(leadId) {
      const path = `/receipt/${leadIds.tokenOf(leadId)}/withdraw`
      const { status } = await ask('POST', path)
      if (status !== 200) throw new Error(`withdrawing answered ${status}`)
    },
  }
}

/** A delivery that is leased while it is under way is not sent again: a test would not end. */
function withoutSecondLeases(store: Store): Store {
  const { deliveries } = store
  const lease = deliveries.lease.bind(deliveries)
  const finish = deliveries.finish.bind(deliveries)
  const leased = new Map<string, number>()
  const twice = new Set<string>()
  deliveries.lease = async (asked) => {
    const found = await lease(asked)
    for (const { id } of found) {
      if ((leased.get(id) ?? 0) > asked.now) twice.add(id)
      leased.set(id, asked.leaseUntil)
    }
    return found.filter(({ id }) => !twice.has(id))
  }
  deliveries.finish = async (delivery, ...rest) => {
    await finish(delivery, ...rest)
    leased.delete(delivery.id)
  }
  return store
}

export function settingsOf(env: Record<string, string>): Settings {
  const read = readSettings({ BASE_URL: baseUrl, ...env })
  if ('problems' in read) throw new Error(read.problems.join(' '))
  return read.settings
}

export function listeningLog(lines: string[]): Log {
  const log = (level: string) => (event: string, facts?: object) => {
    lines.push(JSON.stringify({ level, event, ...facts }))
  }
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    flush() {},
    drain: () => Promise.resolve(),
  }
}

export async function findDelivery(
  store: Pick<Store, 'deliveries'>,
  leadId: string,
  channel: string,
): Promise<Delivery | undefined> {
  return (await store.deliveries.ofLead(leadId)).find((each) => each.channel === channel)
}
