/** `lead-intake test-notification`: sends a test through every channel and prints the answers. */
import { readVariable } from '../config.ts'
import { planChannels } from '../delivery/channel-plan.ts'
import { outcomeOf } from '../delivery/channel.ts'
import { openChannels } from '../delivery/channels.ts'
import { readSecret } from '../store/secret.ts'
import { readBusinessOf } from './business-of.ts'
import { withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
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
    const common = { plans, settings, business, baseUrl, secret, store, now }
    const channels = await openChannels({ ...common, variable: readVariable })
    const message = { id: `test-${now()}`, at: now(), notice: { kind: 'service.test' } } as const
    const results = await Promise.all(
      channels.map(async ({ name, timeoutMs, send }) => {
        const sent = await send(message, AbortSignal.timeout(timeoutMs))
        return { channel: name, outcome: outcomeOf(sent), answer: sent.answer }
      }),
    )
    for (const { close } of channels) close()
    if (json) await print(toJson(results))
    else {
      const rows = results.map(({ channel, outcome, answer }) => [channel, outcome, answer])
      await print(toTable(['channel', 'outcome', 'answer'], rows))
    }
    const bad = results.filter(({ outcome }) => outcome !== 'delivered').length
    if (bad > 0) throw new CommandFailed('unwell', `${bad} of ${results.length} channels failed.`)
  })
}
