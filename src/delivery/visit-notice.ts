/** Reads what an email about a visit says. The rule is `newsOf`. */
import {
  isSameVisit,
  newsOf,
  seenVisit,
  type VisitEmail,
  type VisitNews,
} from '../contract/visit.ts'
import { aboutVisit } from '../store/deliveries/about.ts'
import type { Delivery } from '../store/deliveries/rows.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'

/** `said`: what the address knows once the email is sent. */
export type VisitNotice = { kind: 'lead.visit'; lead: Lead; news: VisitNews; said: VisitEmail }

/** Returns `undefined` if the visit has changed since, because that change has an email of its own. */
export async function readVisitNotice(
  store: Store,
  { leadId, about }: Pick<Delivery, 'leadId' | 'about'>,
  now: number,
): Promise<{ at: number; notice: VisitNotice } | undefined> {
  const lead = await store.leads.find(leadId)
  const { visit, answers } = aboutVisit.read(about)
  if (lead === undefined || !isSameVisit(visit, seenVisit(lead))) return undefined
  const emails = await store.deliveries.visitEmailsOf(leadId)
  const news = newsOf(lead, emails, { now, answers })
  if (news === undefined) return undefined
  const isOff = news.kind === 'off'
  const { at, place } = isOff ? news.before : news.visit
  const said = { to: lead.emailKey, at, place, isOff, answers }
  return { at: lead.stateChangedAt, notice: { kind: 'lead.visit', lead, news, said } }
}
