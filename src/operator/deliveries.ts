/** The commands that list and retry deliveries, and that test every channel. */
import { type Settings } from '../config.ts'
import { howToType, plural } from '../words.ts'
import { outcomeOf } from '../delivery/channel.ts'
import { noChannel, openChannels, planTested } from '../delivery/channels.ts'
import { toTime } from '../desk/export.ts'
import type { Delivery } from '../store/deliveries/rows.ts'
import { readSecret } from '../store/secret.ts'
import { openLog } from '../log.ts'
import type { Store } from '../store/store.ts'
import { askRunning } from './healthcheck.ts'
import { findOne } from './leads.ts'
import { readBusinessOf, withStore, withStoreToRead } from './open.ts'
import { CommandFailed, type Shell } from './shell.ts'

type DeliveriesListOptions = { waiting?: true; dead?: true; limit: number; json?: true }

export async function listDeliveries(
  shell: Shell,
  name: string | undefined,
  options: DeliveriesListOptions,
): Promise<void> {
  const { limit, json } = options
  const outcome = wantedOutcome(options)
  const list = await withStoreToRead(shell, async (store) =>
    name === undefined
      ? store.deliveries.list({ limit, ...(outcome && { outcome }) })
      : store.deliveries.ofLead((await findOne(store, name)).id),
  )
  const columns = ['id', 'kind', 'state', 'attempts', 'due_at', 'problem'] as const
  await shell.printRows(list.map(toShownDelivery), { columns, json, none: 'No deliveries.' })
}

function wantedOutcome({ waiting, dead }: Pick<DeliveriesListOptions, 'waiting' | 'dead'>) {
  if (waiting) return 'waiting'
  return dead ? 'dead' : undefined
}

function toShownDelivery(delivery: Delivery) {
  const { id, leadId, channel, kind, outcome, attempts, dueAt, doneAt, problem } = delivery
  return {
    id,
    lead: leadId,
    channel,
    kind,
    state: outcome === '' ? 'waiting' : outcome,
    attempts,
    due_at: toTime(dueAt),
    done_at: doneAt === undefined ? '' : toTime(doneAt),
    problem,
  }
}

export async function retryDeliveries(shell: Shell): Promise<void> {
  const retried = await withStore(shell, (store) => store.deliveries.retry(Date.now()))
  const when = retried > 0 ? ' A running service sends them within half a minute.' : ''
  await shell.print(`Deliveries to retry: ${retried}.${when}\n`)
}

export async function testNotification(shell: Shell): Promise<void> {
  await withStoreToRead(shell, async (store, settings) => {
    const results = await tryChannels(shell, store, settings)
    await shell.printRows(results, { columns: ['channel', 'outcome', 'answer', 'words'] })
    const { doubt: older } = await askRunning(settings)
    if (older !== undefined) await shell.print(`Not in effect yet: ${older}.\n`)
    const bad = results.filter(({ outcome }) => outcome !== 'delivered').length
    if (bad > 0)
      throw new CommandFailed('unwell', `${bad} of ${plural(results.length, 'channel')} failed.`)
    await shell.print(`"${howToType('deliveries retry')}" sends at once what failed before.\n`)
  })
}

type Tried = { channel: string; outcome: string; answer: string; words?: string }

async function tryChannels(shell: Shell, store: Store, settings: Settings): Promise<Tried[]> {
  const { BASE_URL: baseUrl, DATA_DIR } = settings
  const business = readBusinessOf(settings)
  const plans = planTested(settings, business)
  if (plans.length === 0) {
    throw new CommandFailed('usage', `There is no channel to test: ${noChannel}.`)
  }
  const now = Date.now
  const secret = readSecret(DATA_DIR)
  const variable = (name: string) => shell.environment[name]
  const log = openLog(settings.LOG_LEVEL)
  const parts = { settings, business, baseUrl, secret, variable, store, log, now }
  const channels = openChannels(plans, parts)
  const message = { id: `test-${now()}`, at: now(), notice: { kind: 'service.test' } } as const
  return Promise.all(
    channels.map(async (channel) => {
      const sent = await channel.send(message, AbortSignal.timeout(channel.timeoutMs))
      channel.close?.()
      const tried = { channel: channel.name, outcome: outcomeOf(sent), answer: sent.answer }
      if (sent.kind === 'delivered' || channel.explain === undefined) return tried
      return { ...tried, words: channel.explain(sent) }
    }),
  )
}
