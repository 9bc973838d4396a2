/** The checks of `doctor` on notifications: are there channels, do deliveries arrive. */
import type { Settings } from '../config.ts'
import { planChannels } from '../delivery/channels.ts'
import { howToType } from '../how-to-type.ts'
import { plural } from '../plural.ts'
import type { ChannelCount } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { Finding } from './finding.ts'
import { readBusinessOf } from './open.ts'

/** Where leads go. `undefined`: the content cannot be read, as the check of the content tells. */
export function channelsOf(settings: Settings): string[] | undefined {
  try {
    return planChannels(settings, readBusinessOf(settings)).map(({ name }) => name)
  } catch {
    return undefined
  }
}

export async function checkDeliveries(
  store: Store,
  planned: readonly string[] | undefined,
): Promise<Finding[]> {
  const late = new Map((await store.countDeliveries(Date.now())).map((row) => [row.channel, row]))
  const all = await store.countDeliveries()
  const findings: Finding[] = []
  for (const { channel, waiting } of all) {
    const isPlanned = planned?.includes(channel) ?? true
    if (isPlanned || waiting === 0) {
      findings.push(await checkChannel(store, late.get(channel) ?? none(channel), waiting))
      continue
    }
    const words = `${waiting} waiting for a channel that is no longer set up; set it up again`
    findings.push(finding('warning', `deliveries, ${channel}`, words))
  }
  const quiet = (planned ?? []).filter((name) => !all.some(({ channel }) => channel === name))
  for (const name of quiet) findings.push(finding('ok', `deliveries, ${name}`, 'none is waiting'))
  return findings
}

export function checkChannels(names: readonly string[]): Finding {
  if (names.length > 0) return finding('ok', 'notifications', `leads go to: ${names.join(', ')}`)
  return finding(
    'warning',
    'notifications',
    'neither SMTP_URL nor a webhook is set; leads are stored, but no notification is sent',
  )
}

/** `waiting`: those that wait for their time, too, such as a reminder. */
async function checkChannel(store: Store, late: ChannelCount, waiting: number): Promise<Finding> {
  const { channel, dead, oldestAt = Date.now() } = late
  const check = `deliveries, ${channel}`
  if (dead > 0) {
    const words = `${dead} could not be delivered; see "${howToType('deliveries list --dead')}", then "${howToType(`deliveries retry --channel ${channel}`)}"`
    return finding('failed', check, words)
  }
  const early = Math.max(0, waiting - late.waiting)
  const others =
    early === 0 ? '' : `; ${early} ${early === 1 ? 'waits for its' : 'wait for their'} time`
  if (late.waiting === 0) return finding('ok', check, `none is late${others}`)
  const minutes = Math.floor((Date.now() - oldestAt) / 60_000)
  const list = await store.listDeliveries({ outcome: 'waiting', channel, limit: 100 })
  const problem = list.find((delivery) => delivery.problem !== '')?.problem
  if (problem === undefined) return finding('ok', check, `due now: ${late.waiting}${others}`)
  const words = `late: ${late.waiting}, the oldest for ${plural(minutes, 'minute')}${others}; last problem: ${problem}`
  return finding('warning', check, words)
}

function none(channel: string): ChannelCount {
  return { channel, waiting: 0, dead: 0, oldestAt: undefined }
}

function finding(result: Finding['result'], check: string, words: string): Finding {
  return { check, result, words }
}
