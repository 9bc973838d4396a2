import assert from 'node:assert/strict'
import test from 'node:test'
import { hourMs } from '../time.ts'
import type { Next, State } from './states.ts'
import { lastMet, newsOf, type Visit, type VisitEmail } from './visit.ts'

const now = Date.parse('2026-11-18T23:00:00Z')
const [thursday, friday] = [30, 54].map((hours) => visitAt(now + hours * hourMs)) as [Visit, Visit]

function visitAt(at: number, parts: Partial<Visit> = {}): Visit {
  return { what: 'visit', at, place: '12 Example Street', isSeen: true, ...parts }
}

function leadWith(date: Visit | undefined, parts: { state?: State; email?: string } = {}) {
  const { state = date ? 'consultation_booked' : 'contacted', email = 'wendy@example.com' } = parts
  return { state, date, askedAt: undefined, emailKey: 'wendy', values: { email } } as const
}

function said({ at, place }: Visit, parts: Partial<VisitEmail> = {}): VisitEmail {
  return { to: 'wendy', at, place, isOff: false, answers: undefined, ...parts }
}

test('what an email says follows from the visit and from what the last email said [deliver.visit]', () => {
  const kinds = (date: Visit | undefined, emails: VisitEmail[], answers?: number) =>
    newsOf(leadWith(date), emails, { now, answers })?.kind
  const off = said(thursday, { isOff: true })
  assert.equal(kinds(thursday, []), 'new')
  assert.equal(kinds(thursday, [said(thursday)]), undefined, 'known')
  assert.equal(kinds(friday, [said(thursday)]), 'replaces')
  assert.equal(kinds({ ...thursday, place: '' }, [said(thursday)]), 'replaces')
  assert.equal(kinds(undefined, [said(thursday)]), 'off')
  assert.equal(kinds(undefined, [off]), undefined, 'off already')
  assert.equal(kinds(undefined, []), undefined, 'never told')
  assert.equal(kinds(thursday, [off]), 'on again')
  assert.equal(kinds(friday, [off]), 'new')
  assert.equal(kinds(thursday, [said(thursday)], 1), 'stays')
  assert.equal(kinds(thursday, [said(thursday, { answers: 1 })], 1), undefined, 'answered')
})

test('an email about a visit that is hidden or over, or to somebody who hears of none, says nothing [deliver.visit]', () => {
  const begun = visitAt(now - 1)
  const emails = [said(thursday)]
  const news = (lead: ReturnType<typeof leadWith>, all = emails) => newsOf(lead, all, { now })
  assert.equal(news(leadWith({ ...friday, isSeen: false })), undefined)
  assert.equal(news(leadWith(begun)), undefined)
  assert.equal(news(leadWith(undefined), [said(begun)]), undefined, 'nor is a past one called off')
  assert.equal(news(leadWith(friday), [said(begun)])?.kind, 'new', 'nor replaced')
  assert.equal(news(leadWith(undefined, { state: 'spam' })), undefined)
  assert.equal(news(leadWith(friday, { email: '' })), undefined)
})

test('a corrected address gets the visit as new, and hears that it is off [deliver.visit]', () => {
  const emails = [said(thursday, { to: 'wrong' })]
  assert.equal(newsOf(leadWith(thursday), emails, { now })?.kind, 'new')
  assert.equal(newsOf(leadWith(friday), emails, { now })?.kind, 'new')
  assert.equal(newsOf(leadWith(undefined), emails, { now })?.kind, 'off')
})

test('a visit has taken place once its hour has passed, unless somebody said that it did not happen', () => {
  const booked = 'consultation_booked' as const
  const visit: Next = { at: now, what: 'visit' }
  const first = { number: 1, at: now - hourMs, from: 'new', to: booked, next: visit } as const
  const metAt = (events: Parameters<typeof lastMet>[1], at: number) =>
    lastMet({ state: booked }, events, at)?.at
  assert.equal(metAt([first], now + hourMs - 1), undefined)
  assert.equal(metAt([first], now + hourMs), now)
  const then = { number: 2, from: booked, at: now + 2 * hourMs }
  assert.equal(metAt([first, { ...then, to: 'won' }], now + 3 * hourMs), now)
  assert.equal(metAt([first, { ...then, to: 'contacted' }], now + 3 * hourMs), undefined)
  const early = { ...then, at: now, to: 'lost' } as const
  assert.equal(metAt([first, early], now + 3 * hourMs), undefined, 'called off in time')
})
