/**
 * The email about a visit. What it says follows from two things: the visits that the customer expects
 * after the emails about all requests of the address, and the visits that these requests have now.
 */
import {
  hasHiddenVisit,
  hearsOfVisits,
  isSameVisit,
  seenVisit,
  visitOf,
  type NamedVisit,
} from '../contract/visit.ts'
import { aboutVisit, type AboutVisit } from '../store/deliveries/about.ts'
import type { Delivery } from '../store/deliveries/rows.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'

/** More requests of one address are not looked at. */
const mostRequests = 50

/** An email that was sent. */
type Email = AboutVisit & { leadId: string }

/** The customer expects this visit, because an email about the request `leadId` named it. */
type Expected = { visit: NamedVisit; leadId: string; to: string | undefined }

/**
 * `before`: the visit that it replaces, keeps or calls off. `isOnAgain`: an email called it off.
 * `said`: what was told, once it is sent.
 */
export type VisitNews = {
  lead: Lead
  visit: NamedVisit | undefined
  before: NamedVisit | undefined
  isOnAgain: boolean
  said: string
}

/** Returns `undefined` if the customer knows it, or need not know it any more. */
export async function readVisitNews(
  store: Store,
  { leadId, about }: Pick<Delivery, 'leadId' | 'about'>,
  now: number,
): Promise<VisitNews | undefined> {
  const lead = await store.leads.find(leadId)
  const { visit, answers } = aboutVisit.read(about)
  if (lead === undefined || !isStillSo(lead, visit, now)) return undefined
  const requests = await requestsOf(store, lead)
  const emails = await emailsAbout(store, requests)
  const expected = emails.reduce(expectedAfter, []).filter((each) => each.visit.at > now)
  const known = expected.find((each) => isTo(lead, each) && isSameVisit(each.visit, visit))
  const off = visitThatIsOff(lead, visit, { requests, expected })
  const replaced = off ?? (isAnswer(lead, answers, emails) ? known : undefined)
  if (replaced === undefined && (known !== undefined || visit === undefined)) return undefined
  const before = replaced ? { leadId: replaced.leadId, at: replaced.visit.at } : null
  const said = aboutVisit.write({ visit, to: lead.emailKey, answers, before })
  const isOnAgain = replaced === undefined && isCalledOff(lead, visit, emails)
  return { lead, visit, before: replaced?.visit, isOnAgain, said }
}

function isStillSo(lead: Lead, visit: NamedVisit | undefined, now: number): boolean {
  if (!hearsOfVisits(lead) || hasHiddenVisit(lead)) return false
  return isSameVisit(visit, seenVisit(lead)) && (visit === undefined || visit.at > now)
}

/** The requests of the same address. */
async function requestsOf(store: Store, lead: Lead): Promise<Lead[]> {
  const all = await store.views.ofPerson([lead.emailKey], { limit: mostRequests })
  return [lead, ...all.filter(({ id }) => id !== lead.id)]
}

async function emailsAbout(store: Store, requests: readonly Lead[]): Promise<Email[]> {
  const sent = await store.deliveries.visitEmailsOf(requests.map(({ id }) => id))
  return sent.map(({ leadId, about }) => ({ leadId, ...aboutVisit.read(about) }))
}

function expectedAfter(expected: readonly Expected[], email: Email): Expected[] {
  const rest = expected.filter((each) => !isReplacedBy(email, each))
  const { visit, leadId, to } = email
  return visit === undefined ? rest : [...rest, { visit, leadId, to }]
}

function isReplacedBy(email: Email, { visit, leadId, to }: Expected): boolean {
  const isOwn = leadId === email.leadId
  // Emails of earlier versions only know of their own request.
  if (email.before === undefined) return isOwn && (email.visit === undefined || to === email.to)
  const { before } = email
  const isReplaced = leadId === before?.leadId && visit.at === before.at
  if (to === email.to) return isReplaced || isSameVisit(visit, email.visit)
  // Who hears that the visit is called off need not hear it again for an earlier address.
  return isOwn && email.visit === undefined
}

/**
 * A visit that the customer expects, but that none of the requests has: preferably one that an email
 * about this request named. That a visit is called off, the customer also hears at a new address.
 */
function visitThatIsOff(
  lead: Lead,
  visit: NamedVisit | undefined,
  { requests, expected }: { requests: readonly Lead[]; expected: readonly Expected[] },
): Expected | undefined {
  const heard = requests.filter(hearsOfVisits)
  const off = expected.filter((each) => {
    const request = heard.find(({ id }) => id === each.leadId)
    if (request === undefined || hasHiddenVisit(request)) return false
    return !heard.some((other) => isSameVisit(visitOf(other), each.visit))
  })
  const isOwn = (each: Expected) => each.leadId === lead.id
  const own = off.findLast((each) => isOwn(each) && (visit === undefined || isTo(lead, each)))
  return own ?? off.findLast((each) => isTo(lead, each))
}

/** Whether the last email of the address that named this time called the visit off. */
function isCalledOff(lead: Lead, visit: NamedVisit | undefined, emails: readonly Email[]): boolean {
  const isAbout = (at: number | undefined) => at !== undefined && at === visit?.at
  const last = emails.findLast((email) => {
    return isTo(lead, email) && (isAbout(email.visit?.at) || isAbout(email.before?.at))
  })
  return last !== undefined && last.visit === undefined
}

/** The owner may have corrected the address since. */
function isTo({ emailKey }: Lead, { to = emailKey }: Pick<AboutVisit, 'to'>): boolean {
  return to === emailKey
}

/** Whether it answers a customer who asked for another time, who has not asked again since. */
function isAnswer(lead: Lead, answers: number | undefined, emails: readonly Email[]): boolean {
  if (answers === undefined || lead.askedAt !== undefined) return false
  return !emails.some((email) => email.leadId === lead.id && email.answers === answers)
}
