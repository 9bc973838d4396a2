/** The checks of `doctor` on notifications: are there channels, do deliveries arrive, did the last canary. */
import type { Settings } from '../config.ts'
import { findLastCanary } from '../delivery/by-clock/canary.ts'
import { planChannels } from '../delivery/channel-plan.ts'
import type { ChannelCount } from '../store/deliveries.ts'
import type { Store } from '../store/store.ts'
import type { Finding } from './finding.ts'
import { readBusinessOf } from './business-of.ts'

export async function checkDeliveries(store: Store, settings: Settings): Promise<Finding[]> {
  const planned = planChannels(settings, readBusinessOf(settings)).map(({ name }) => name)
  const counts = await store.countDeliveries(Date.now())
  const findings: Finding[] = []
  for (const count of counts) findings.push(...(await checkChannel(store, count, planned)))
  const quiet = planned.filter((name) => !counts.some(({ channel }) => channel === name))
  for (const name of quiet) findings.push(finding('ok', `deliveries, ${name}`, 'none waiting'))
  if (planned.length > 0 && settings.CANARY === 'on') findings.push(await checkCanary(store))
  return findings
}

export function checkChannels(settings: Settings): Finding {
  const names = planChannels(settings, readBusinessOf(settings)).map(({ name }) => name)
  if (names.length > 0) return finding('ok', 'notifications', `leads go to: ${names.join(', ')}`)
  return finding(
    'warning',
    'notifications',
    'neither SMTP_URL nor a webhook is set; leads are stored, but no notification is sent',
  )
}

async function checkChannel(
  store: Store,
  { channel, waiting, dead, oldestLead }: ChannelCount,
  planned: readonly string[],
): Promise<Finding[]> {
  const check = `deliveries, ${channel}`
  if (!planned.includes(channel) && waiting > 0) {
    const words = `${waiting} waiting for a channel that is no longer set up; set it up again`
    return [finding('warning', check, words)]
  }
  if (dead > 0) {
    const words = `${dead} could not be delivered; see "lead-intake deliveries list --dead", then "lead-intake deliveries retry --channel ${channel}"`
    return [finding('failed', check, words)]
  }
  const oldest = oldestLead === '' ? undefined : await store.findLead(oldestLead)
  const minutes = oldest ? Math.floor((Date.now() - oldest.receivedAt) / 60_000) : 0
  const list = await store.listDeliveries({ outcome: 'waiting', channel, limit: 100 })
  const problem = list.find((delivery) => delivery.problem !== '')?.problem
  if (problem === undefined) return [finding('ok', check, `waiting: ${waiting}`)]
  const words = `waiting: ${waiting}, the oldest for ${minutes} minutes; last problem: ${problem}`
  return [finding('warning', check, words)]
}

async function checkCanary(store: Store): Promise<Finding> {
  const sent = await findLastCanary(store, Date.now())
  if (sent === undefined) return finding('ok', 'daily check', 'has not run yet')
  const deliveries = await store.deliveriesOf(sent.leadId)
  const missing = deliveries.filter(({ outcome }) => outcome !== 'delivered')
  const on = new Date(sent.at).toISOString().slice(0, 16).replace('T', ' ')
  if (missing.length === 0) return finding('ok', 'daily check', `arrived everywhere (${on} UTC)`)
  const names = missing.map(({ channel }) => channel).join(', ')
  return finding('warning', 'daily check', `of ${on} UTC has not arrived at: ${names}`)
}

function finding(result: Finding['result'], check: string, words: string): Finding {
  return { check, result, words }
}
