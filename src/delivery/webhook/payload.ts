/** What a webhook carries: `{id, type, created_at, data}`, described in the API description. */
import { fields } from '../../contract/fields.ts'
import type { LeadSummary, WebhookPayload } from '../../contract/webhooks.ts'
import type { BackupState } from '../../store/backup-state.ts'
import type { Lead } from '../../store/rows.ts'
import type { Message } from '../channel.ts'
import type { Notice } from '../notice.ts'

/** Every notice but that of a digest of letters. */
export type Told = Exclude<Notice, { kind: 'leads.gathered' }>

export function toPayload(
  { id, at, notice }: Omit<Message, 'notice'> & { notice: Told },
  baseUrl: string,
): WebhookPayload {
  return { id, type: notice.kind, created_at: time(at), data: dataOf(notice, baseUrl) }
}

function dataOf(notice: Told, baseUrl: string): object {
  switch (notice.kind) {
    case 'leads.held':
    case 'leads.flood':
      return { count: notice.total, leads: notice.leads.map(toSummary), ...spanOf(notice.span) }
    case 'leads.week':
      return {
        received: notice.received,
        channels: notice.channels.map(shownChannel),
        ...shownBackup(notice.backup),
        ...spanOf(notice.span),
      }
    case 'delivery.dead':
      return { channel: notice.channel, count: notice.total, leads: notice.leads.map(toSummary) }
    case 'canary.check':
      return {}
    case 'canary.failed':
      return { day: notice.date, channels: notice.channels }
    case 'disk.low':
      return { free_mib: notice.freeMib, machine: notice.machine }
    case 'backup.late':
      return {
        made_at: notice.madeAt === 0 ? null : time(notice.madeAt),
        machine: notice.machine,
      }
    case 'service.test':
      return { site: baseUrl }
    case 'lead.received':
    case 'lead.released':
    case 'lead.waiting':
    case 'lead.withdrawn':
    case 'lead.state_changed':
      return { lead: toLeadData(notice.lead) }
  }
}

function shownBackup({ made, drilledAt }: BackupState): object {
  if (made === undefined) return {}
  const checkedAt = drilledAt === undefined ? null : time(drilledAt)
  return { backup: { made_at: time(made.at), bytes: made.bytes, checked_at: checkedAt } }
}

/** Under the names that a request uses. */
function toLeadData(lead: Lead): object {
  const values = fields.map(({ name, key }) => [name, lead.values[key]])
  return {
    ...toSummary(lead),
    state_changed_at: time(lead.stateChangedAt),
    ...Object.fromEntries(values),
    unlisted: lead.unlisted === '' ? {} : (JSON.parse(lead.unlisted) as object),
    door: lead.door,
    agent: lead.agent,
  }
}

function toSummary({ id, reference, state, receivedAt }: Lead): LeadSummary {
  return { id, reference, state, received_at: time(receivedAt) }
}

function shownChannel(count: { channel: string; waiting: number; dead: number }): object {
  const { channel, waiting, dead } = count
  return { channel, waiting, dead }
}

function spanOf({ from, before }: { from: number; before: number }): object {
  return { from: time(from), until: time(before) }
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
