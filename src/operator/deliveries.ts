/** `lead-intake deliveries`: list and retry notifications; `test-notification`: try every channel. */
import { type Settings } from '../config.ts'
import { outcomeOf } from '../delivery/channel.ts'
import { openChannels, planChannels } from '../delivery/channels.ts'
import { mailFailureWords } from '../delivery/mail/smtp.ts'
import { toTime } from '../desk/export.ts'
import { howToType } from '../how-to-type.ts'
import { type Delivery } from '../store/deliveries/rows.ts'
import { readSecret } from '../store/secret.ts'
import { type Store } from '../store/store.ts'
import { findOlderService } from './healthcheck.ts'
import { findOne } from './leads.ts'
import { readBusinessOf, withStore, withStoreToRead } from './open.ts'
import { CommandFailed, toJson } from './output.ts'
import { type Shell } from './shell.ts'

type ListOptions = { waiting?: true; dead?: true; channel?: string; limit: number; json?: true }

export async function listDeliveries(
  shell: Shell,
  name: string | undefined,
  { waiting, dead, channel, limit, json }: ListOptions,
): Promise<void> {
  if (name !== undefined) return showTries(shell, name, json === true)
  const outcome = waiting ? 'waiting' : dead ? 'dead' : undefined
  const list = await withStoreToRead(shell, (store) =>
    store.listDeliveries({ limit, ...(outcome && { outcome }), ...(channel && { channel }) }),
  )
  const columns = ['id', 'kind', 'state', 'attempts', 'due_at', 'problem'] as const
  await shell.printRows(list.map(toShownDelivery), { columns, json, none: 'No deliveries.' })
}

async function showTries(shell: Shell, name: string, json: boolean): Promise<void> {
  const shown = await withStoreToRead(shell, async (store) =>
    Promise.all(
      (await findDeliveries(store, name)).map(async (delivery) => {
        const tries = await store.triesOf(delivery.id)
        const inWords = tries.map(({ at, number, outcome, answer, ms }) => {
          return { at: toTime(at), number, outcome, answer, ms }
        })
        return { ...toShownDelivery(delivery), tries: inWords }
      }),
    ),
  )
  if (json) return shell.print(toJson(shown))
  if (shown.length === 0) return shell.print('No deliveries.\n')
  for (const { id, kind, state, tries } of shown) {
    await shell.print(`\n${id}  ${kind}  ${state}\n`)
    await shell.printRows(tries, { columns: ['at', 'number', 'outcome', 'answer', 'ms'] })
  }
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

/** The delivery with this id, or all deliveries of the lead with this reference or id. */
async function findDeliveries(store: Store, name: string): Promise<Delivery[]> {
  const one = await store.findDelivery(name)
  return one === undefined ? store.deliveriesOf((await findOne(store, name)).id) : [one]
}

export async function retryDeliveries(
  shell: Shell,
  name: string | undefined,
  { channel, json }: { channel?: string; json?: true },
): Promise<void> {
  const at = Date.now()
  const retried = await withStore(shell, async (store) => {
    if (name === undefined) return store.retryDeliveries(channel ? { channel } : {}, at)
    let count = 0
    for (const { id, channel: through } of await findDeliveries(store, name)) {
      if ((channel ?? through) === through) count += await store.retryDeliveries({ id }, at)
    }
    return count
  })
  if (json) return shell.print(toJson({ retried }))
  const when = retried > 0 ? ' A running service sends them within half a minute.' : ''
  await shell.print(`Deliveries to retry: ${retried}.${when}\n`)
}

export async function testNotification(shell: Shell, { json }: { json?: true }): Promise<void> {
  await withStoreToRead(shell, async (store, settings) => {
    const results = await tryChannels(shell, store, settings)
    await shell.printRows(results, { columns: ['channel', 'outcome', 'answer', 'words'], json })
    if (!json) {
      const older = await findOlderService(settings)
      if (older !== undefined) await shell.print(`Leads are not sent like this yet: ${older}.\n`)
    }
    const bad = results.filter(({ outcome }) => outcome !== 'delivered').length
    if (bad === 0 && !json) await shell.print(next)
    if (bad > 0) throw new CommandFailed('unwell', `${bad} of ${results.length} channels failed.`)
  })
}

const next = `"${howToType('deliveries retry')}" sends at once what failed before.\n`

type Tried = { channel: string; outcome: string; answer: string; words?: string }

async function tryChannels(
  { environment }: Shell,
  store: Store,
  settings: Settings,
): Promise<Tried[]> {
  const business = readBusinessOf(settings)
  const plans = planChannels(settings, business).filter(({ wants }) => wants('service.test'))
  if (plans.length === 0) {
    throw new CommandFailed(
      'usage',
      'Neither SMTP_URL nor a webhook is set, so there is no channel to test.',
    )
  }
  const now = Date.now
  const { BASE_URL: baseUrl = '', DATA_DIR } = settings
  const secret = readSecret(DATA_DIR)
  const variable = (name: string) => environment[name]
  const common = { plans, business, baseUrl, secret, store, now }
  const channels = openChannels({ ...common, variable })
  const message = { id: `test-${now()}`, at: now(), notice: { kind: 'service.test' } } as const
  const tried = await Promise.all(
    channels.map(async (channel) => {
      const { name, timeoutMs } = channel
      const sent = await channel.send(message, AbortSignal.timeout(timeoutMs))
      const plan = plans.find((each) => each.name === name)!
      const isExplained = sent.kind !== 'delivered' && plan.way !== 'webhook'
      return {
        channel: name,
        outcome: outcomeOf(sent),
        answer: sent.answer,
        ...(isExplained && { words: mailFailureWords(sent, plan.server.url) }),
      }
    }),
  )
  for (const channel of channels) channel.close()
  return tried
}
