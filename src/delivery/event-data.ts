/** What programs get of each notice: the `data` of an event. */
import { fields } from '../contract/fields.ts'
import type { LeadNoticeKind } from '../contract/notices.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { NoticeOf, SomeLeads, TodaysWork } from './notice.ts'

export function dataOfLead({ lead }: NoticeOf<LeadNoticeKind>): object {
  return { lead: toLeadData(lead) }
}

export function dataOfToday({ work, held, span }: NoticeOf<'leads.today'>): object {
  return {
    new: toList(withLatest(work.fresh)),
    to_ring: toList(work.rings),
    visits: toList(allVisits(work)),
    undated: toList(work.undated),
    held: { ...toList(held), from: toIso(span.from), until: toIso(span.before) },
  }
}

export function dataOfDead({ channel, ...dead }: NoticeOf<'delivery.dead'>): object {
  return { channel, ...toList(dead) }
}

export function dataOfDisk({ freeMib, machine }: NoticeOf<'disk.low'>): object {
  return { free_mib: freeMib, machine }
}

export function dataOfBackup({ madeAt, machine }: NoticeOf<'backup.late'>): object {
  return { made_at: madeAt === 0 ? null : toIso(madeAt), machine }
}

function toLeadData(lead: Lead): object {
  const present = lead.state === 'erased' ? [] : fields
  const values = present.map(({ name, key }) => [name, lead.values[key]])
  return {
    ...toSummary(lead),
    state_changed_at: toIso(lead.stateChangedAt),
    ...Object.fromEntries(values),
    unlisted: lead.unlisted === '' ? {} : (JSON.parse(lead.unlisted) as object),
    door: lead.door,
    agent: lead.agent,
  }
}

function withLatest({ leads, latest, total }: TodaysWork['fresh']): SomeLeads {
  return { leads: [...leads, ...latest], total }
}

/** All visits of the day, in the order of their dates. */
function allVisits({ visitsToClose, visits, visitsWhileClosed }: TodaysWork): SomeLeads {
  const parts = [visitsToClose, visits, visitsWhileClosed]
  return {
    leads: parts.flatMap(({ leads }) => leads),
    total: parts.reduce((sum, { total }) => sum + total, 0),
  }
}

function toList({ leads, total }: SomeLeads): object {
  return { count: total, leads: leads.map(toSummary) }
}

function toSummary({ id, reference, state, receivedAt }: Lead): object {
  return { id, reference, state, received_at: toIso(receivedAt) }
}

export function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
