/** `lead-intake test-notification`: sends a test through every channel and prints the answers. */
import { readVariable } from '../config.ts'
import type { Settings } from '../config.ts'
import { outcomeOf } from '../delivery/channel.ts'
import { openChannels, planChannels } from '../delivery/channels.ts'
import { mailFailureWords } from '../delivery/mail/smtp.ts'
import { howToType } from '../how-to-type.ts'
import { readSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import { readBusinessOf, withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { findOlderService } from './running.ts'
import { toTable } from './table.ts'

export async function testNotification({ json }: { json?: true }): Promise<void> {
  await withStoreToRead(async (store, settings) => {
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
    const common = { plans, business, baseUrl, secret, store, now }
    const channels = openChannels({ ...common, variable: readVariable })
    const message = { id: `test-${now()}`, at: now(), notice: { kind: 'service.test' } } as const
    const results = await Promise.all(
      channels.map(async (channel) => {
        const { name, timeoutMs } = channel
        const sent = await channel.send(message, AbortSignal.timeout(timeoutMs))
        const way = plans.find((plan) => plan.name === name)!
        const words =
          sent.kind === 'delivered' || way.way === 'webhook'
            ? undefined
            : mailFailureWords(sent, way.server.url)
        return { channel: name, outcome: outcomeOf(sent), answer: sent.answer, words }
      }),
    )
    for (const channel of channels) channel.close()
    if (json) await print(toJson(results))
    else {
      const rows = results.map(({ channel, outcome, answer, words = '' }) => [
        channel,
        outcome,
        answer,
        words,
      ])
      await print(toTable(['channel', 'outcome', 'answer', ''], rows))
    }
    if (!json) for (const words of await adviceAfter(store, settings, results)) await print(words)
    const bad = results.filter(({ outcome }) => outcome !== 'delivered').length
    if (bad > 0) throw new CommandFailed('unwell', `${bad} of ${results.length} channels failed.`)
  })
}

type Result = { channel: string; outcome: string }

/** A channel that works now has not sent what failed before, and this command reads .env anew. */
async function adviceAfter(
  store: Pick<Store, 'listDeliveries'>,
  settings: Settings,
  results: readonly Result[],
): Promise<string[]> {
  const older = await findOlderService(settings)
  const advice = older === undefined ? [] : [`Leads are not sent like this yet: ${older}.\n`]
  for (const { channel, outcome } of results) {
    const waiting = await store.listDeliveries({ outcome: 'waiting', channel, limit: 1000 })
    const late = waiting.filter(({ problem }) => problem !== '').length
    if (outcome !== 'delivered' || late === 0) continue
    advice.push(
      `Failed before and waiting: ${late}. "${howToType(`deliveries retry --channel ${channel}`)}" sends them now.\n`,
    )
  }
  return advice
}
