import assert from 'node:assert/strict'
import test from 'node:test'
import { moveLead, photoOf } from '../support/life.ts'
import {
  beginBackup,
  beginDrill,
  endBackup,
  isBackupOverdue,
  noteBackup,
  noteLost,
  noteDrill,
  readBackupState,
} from '../../src/store/backup-state.ts'
import { moveByMember, planByMember, undoByMember } from '../support/acts.ts'
import { readWholeLead } from '../../src/desk/whole-lead.ts'
import { inSentence } from '../../src/desk/story.ts'
import { leadPath, listPath } from '../../src/doors/inbox/paths.ts'
import { actOn, joinLeads, type Act } from '../../src/lead/act.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { askForAnotherTime, correct } from '../../src/lead/life.ts'
import { createPersonKeys } from '../../src/lead/person-keys.ts'
import { NightlyErasing } from '../../src/lead/retention.ts'
import { detailsOf } from '../../src/store/leads/details.ts'
import { newSqliteDatabase } from '../support/engines.ts'
import { openTestDelivery, secret, type TestDelivery } from '../support/delivery.ts'
import { bot, robin, sam, valuesOf } from '../support/leads.ts'
import {
  bothChannels,
  byMail,
  openWebhookSink,
  verified,
  webhookSecret,
  type WebhookSink,
} from '../support/sink.ts'
import type { Cleaner } from '../support/service.ts'
import { openMailSink, parseEmail, type CaughtEmail, type MailSink } from '../support/smtp.ts'

const minute = 60_000
const hour = 60 * minute
/** In November Sydney is eleven hours ahead. */
const sydney = (text: string) => Date.parse(`${text}:00+11:00`)

async function subjects(mail: MailSink): Promise<(string | undefined)[]> {
  const emails = await Promise.all(mail.emails.map(parseEmail))
  return emails.map(({ subject }) => subject)
}

async function dateOf(email: CaughtEmail): Promise<number> {
  return Date.parse((await parseEmail(email)).date!)
}

async function runDuties(service: TestDelivery): Promise<void> {
  await service.delivery.jobs.run()
  await service.settle()
}

test('a held lead reaches nobody until the morning email, and a released one like a new one [deliver.held]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, {
    env: byMail(mail),
    now: sydney('2026-11-17T22:00'),
  })
  await service.take({ ...bot, email_1: 'other@example.com', textarea_1: 'Other words.' })
  service.clock.now += 1
  const id = await service.take(bot)
  await service.settle()
  assert.equal(mail.emails.length, 0)

  service.clock.now = sydney('2026-11-18T07:01')
  await runDuties(service)
  assert.deepEqual(await subjects(mail), ['Today: 2 held'])
  const { html } = await parseEmail(mail.emails[0]!)
  await runDuties(service)
  service.clock.now = sydney('2026-11-19T07:01')
  await runDuties(service)
  assert.equal(mail.emails.length, 1, 'a second email would tell nothing new')

  assert.ok(html!.includes(`href="https://decks.example.com/inbox/lead/${id}"`))
  const held = (await service.store.leads.find(id))!
  await moveLead(service.store, held, { to: 'new', by: 'owner', at: service.clock.now })
  await service.settle()
  assert.deepEqual((await subjects(mail)).slice(1), ['SEO Team: Rank your site higher.'])
})

test('the morning email shows the likeliest people first among the held, then the newest [deliver.held]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const service = await openTestDelivery(t, {
    env: bothChannels(mail, hook),
    now: sydney('2026-11-17T22:00'),
  })
  const links = Array.from({ length: 6 }, (_, n) => `https://example.com/${n}`).join(' ')
  const held = [
    ...Array.from({ length: 12 }, (_, n) => ({ ...bot, name_1: `Early ${n}` })),
    { ...sam, name_1: 'A person', textarea_1: links },
    { ...bot, name_1: 'Worst', textarea_1: links },
    ...Array.from({ length: 12 }, (_, n) => ({ ...bot, name_1: `Late ${n}` })),
  ]
  const ids: string[] = []
  for (const [n, body] of held.entries()) {
    service.clock.now += 1_000
    ids.push(await service.take({ ...body, email_1: `person-${n}@example.com` }))
  }
  service.clock.now = sydney('2026-11-18T07:01')
  await runDuties(service)

  const late = Array.from({ length: 12 }, (_, n) => `Late ${11 - n}`)
  const early = Array.from({ length: 7 }, (_, n) => `Early ${11 - n}`)
  const { text } = await parseEmail(mail.emails[0]!)
  const names = Array.from(
    text!.matchAll(/^(A person|Worst|(?:Late|Early) .*)$/gm),
    ([name]) => name,
  )
  assert.deepEqual(names, ['A person', ...late, ...early])
  const open = `https://decks.example.com${listPath({ view: 'held' })}\n`
  assert.ok(text!.includes('\n\nand 6 more\n\n') && text!.includes(open), text ?? '')
  const event = verified(hook.received[0]!).data as { held: { leads: { id: string }[] } }
  assert.deepEqual([event.held.leads[0]?.id, event.held.leads[1]?.id], [ids[12], ids.at(-1)])
})

test('each morning while a request waits one email names it, from whichever node, and none else [deliver.morning]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const database = newSqliteDatabase(t)
  const options = { database, env: bothChannels(mail, hook), now: sydney('2026-11-20T15:00') }
  const [service, other] = [await openTestDelivery(t, options), await openTestDelivery(t, options)]
  const opens = async (text: string) => {
    mail.emails.splice(0)
    for (const each of [service, other]) each.clock.now = sydney(text)
    await Promise.all([runDuties(service), runDuties(other)])
    return subjects(mail)
  }
  const waiting = await service.take({
    ...robin,
    textarea_1: 'Hello there,\n\nA hardwood deck off the kitchen.\nDown to the lawn.',
  })
  service.clock.now += 1
  await service.take(bot)
  await service.settle()

  await service.store.photos.keep(photoOf(waiting, 'sender', service.clock.now))
  await service.settle()
  assert.equal(mail.emails.length, 1, 'photos have no email of their own')

  assert.deepEqual(await opens('2026-11-21T07:59'), [])
  const saturday = await opens('2026-11-21T08:00')
  assert.deepEqual(saturday, ['Today: 1 new'])
  assert.equal(await dateOf(mail.emails[0]!), sydney('2026-11-21T08:00'))
  const { text, html } = await parseEmail(mail.emails[0]!)
  assert.match(
    text!,
    /Robin Example, Lismore\n> Hello there, A hardwood deck .*lawn\.\nwaiting since yesterday; 1 photo\n/,
  )
  assert.match(html!, /href="tel:0491570006"/)
  assert.ok(html!.includes(`href="https://decks.example.com${leadPath(waiting)}"`))
  assert.match(text!, /\nHeld: these look like spam\n-+\n\nSEO Team\n> Rank your site higher\.\n/)

  assert.deepEqual(await opens('2026-11-22T08:00'), [], 'closed on a Sunday')
  service.clock.now = sydney('2026-11-23T03:00')
  await takeMany(service, 1, 24)
  await service.settle()
  assert.deepEqual(await opens('2026-11-23T07:00'), ['Today: 25 new'])
  const monday = (await parseEmail(mail.emails[0]!)).text!
  assert.match(monday, /\nPerson 14\nwaiting since 3:00 am\n[^]*\n\nand 5 more, then the newest:\n/)
  assert.match(monday, /newest:\n\nPerson 20\n[^]*\nPerson 24\nwaiting since 3:00 am\n/)
  assert.doesNotMatch(monday, /Person 1[5-9]|Held/)
  assert.equal(monday.match(/Open the inbox: /g)?.length, 1)

  const all = await service.store.views.list({ states: ['new'], limit: 100 })
  const by = { by: 'owner', at: service.clock.now }
  for (const [index, lead] of all.entries()) {
    const next = {
      0: { at: sydney('2026-11-25T15:00'), what: 'visit' as const },
      1: { at: sydney('2026-11-24T16:00'), what: 'ring' as const },
    }[index]
    const to = next?.what === 'visit' ? 'consultation_booked' : 'contacted'
    await moveLead(service.store, lead, { to, next, place: '12 Example Street', ...by })
  }
  assert.deepEqual(await opens('2026-11-24T07:00'), ['Today: 1 to ring'])
  assert.deepEqual(await opens('2026-11-25T07:00'), ['Today: 1 visit, 1 to ring'])
  const visits = (await parseEmail(mail.emails[0]!)).text!
  assert.match(visits, /Visits[^]*today, 3 pm, 12 Example Street[^]*To ring/)
  const {
    new: fresh,
    to_ring: rings,
    visits: event,
  } = verified(hook.received.at(-1)!).data as Record<string, { count: number }>
  assert.deepEqual(
    [fresh, rings, event].map((list) => list?.count),
    [0, 1, 1],
  )
})

test('the morning email counts visits of today, on closed days until it opens again, and those to close [deliver.morning]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = bothChannels(mail, hook)
  const service = await openTestDelivery(t, { env, now: sydney('2026-11-16T15:00') })
  const visits = {
    Past: '2026-11-17T10:00',
    Early: '2026-11-21T07:30',
    Today: '2026-11-21T15:00',
    Sunday: '2026-11-22T10:00',
    Monday: '2026-11-23T10:00',
  }
  for (const [name, at] of Object.entries(visits)) {
    service.clock.now += 1
    const id = await service.take({ ...robin, name_1: name, email_1: `${name}@example.com` })
    const lead = (await service.store.leads.find(id))!
    const next = { at: sydney(at), what: 'visit' } as const
    const by = { by: 'owner', at: service.clock.now }
    await moveLead(service.store, lead, { to: 'consultation_booked', next, place: 'Gate 7', ...by })
  }
  await service.settle()
  const opens = async (text: string) => {
    mail.emails.splice(0)
    service.clock.now = sydney(text)
    await runDuties(service)
    return parseEmail(mail.emails[0]!)
  }
  const saturday = await opens('2026-11-21T08:00')
  assert.equal(saturday.subject, 'Today: 2 visits, 1 visit on Sunday, 1 to close')
  assert.match(saturday.text!, /\nVisits\n-+\n\nEarly, Lismore\n[^]*\nToday, Lismore\n/)
  assert.match(
    saturday.text!,
    /\nVisits on Sunday\n-+\n\nSunday, Lismore\n.*\nSunday 22 November, 10 am, Gate 7\n/,
  )
  assert.match(
    saturday.text!,
    /\nVisits to close: how did they go\?\n-+\n\nPast, Lismore\n.*\nwas on Tuesday 17 November, 10 am/,
  )
  assert.doesNotMatch(saturday.text!, /Monday/)
  const data = verified(hook.received.at(-1)!).data as Record<string, { count: number }>
  assert.equal(data['visits']?.count, 4, 'a program gets them all')
  const monday = await opens('2026-11-23T07:00')
  assert.equal(monday.subject, 'Today: 1 visit, 4 to close')
})

test('the email about a request names its place once, however it was typed [deliver.email]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: byMail(mail) })
  const places = {
    '2480': '2480, Lismore',
    Bangalow: 'Bangalow',
    'bangalow 2479': 'bangalow 2479',
    Ballina: 'Ballina and Lennox Head',
    Elsewhere: 'Elsewhere',
  }
  for (const [typed, shown] of Object.entries(places)) {
    await service.take({
      ...robin,
      email_1: `${typed.replace(' ', '-')}@example.com`,
      text_1: typed,
    })
    await service.settle()
    const { text } = await parseEmail(mail.emails.at(-1)!)
    assert.equal(/^Postcode: (.*)$/m.exec(text!)?.[1], shown)
  }
})

test('the history says why a customer got no email: it is one a day [deliver.email]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: { ...byMail(mail), CONFIRM_TO_SENDER: 'on' } })
  await service.take(robin)
  await service.settle()
  const again = await service.take({ ...robin, textarea_1: 'And a pergola.' })
  await service.settle()
  const whole = (await readWholeLead(service.store, [], again))!
  const words = {
    when: () => 'now',
    nameOf: () => 'You',
    cameBy: 'the form',
    whyHeld: [],
    lead: whole.lead,
  }
  const sentences = whole.story.map((entry) => inSentence(entry, words))
  assert.match(
    sentences.join('\n'),
    /not sent, because a customer gets at most one email a day about requests\./,
  )
})

test('the morning email names open requests that nobody touched for seven days [next.back]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = bothChannels(mail, hook)
  const service = await openTestDelivery(t, { env, now: sydney('2026-11-16T15:00') })
  const lead = (await service.store.leads.find(await service.take(robin)))!
  const by = { by: 'owner', at: service.clock.now }
  await moveLead(service.store, lead, { to: 'contacted', ...by })
  await service.settle()
  const opens = async (text: string) => {
    mail.emails.splice(0)
    service.clock.now = sydney(text)
    await runDuties(service)
    return subjects(mail)
  }
  assert.deepEqual(await opens('2026-11-20T07:00'), [])
  assert.deepEqual(await opens('2026-11-24T07:00'), ['Today: 1 without a date'])
  const { text } = await parseEmail(mail.emails[0]!)
  assert.match(text!, /Without a date\n-+\n\nRobin Example, Lismore\n.*\nno date for 8 days\n/)
  const { undated } = verified(hook.received.at(-1)!).data as Record<string, { count: number }>
  assert.equal(undated?.count, 1)
})

test('the morning email first names who asks for another time, and says which calls follow up a proposal [next.asked]', async (t) => {
  const mail = await openMailSink(t)
  const now = sydney('2026-11-20T15:00')
  const service = await openTestDelivery(t, { env: byMail(mail), now })
  const by = { by: 'owner', at: now }
  const move = async (name: string, date: Omit<Parameters<typeof moveLead>[2], 'by' | 'at'>) => {
    const id = await service.take({ ...sam, name_1: name, email_1: `${name}@example.com` })
    await moveLead(service.store, (await service.store.leads.find(id))!, { ...date, ...by })
    return id
  }
  const visit = (text: string) => ({ at: sydney(text), what: 'visit' }) as const
  const ring = (text: string) => ({ at: sydney(text), what: 'ring' }) as const
  const booked = { to: 'consultation_booked', shown: true, place: '8 Dibbs Street' } as const
  const wendy = await move('Wendy', { ...booked, next: visit('2026-11-30T10:00') })
  const kim = await move('Kim', { ...booked, next: visit('2026-11-21T10:00') })
  const proposed = await move('Ali', { ...booked, next: visit('2026-11-19T10:00') })
  const lead = (await service.store.leads.find(proposed))!
  await moveLead(service.store, lead, {
    to: 'proposal_sent',
    next: ring('2026-11-21T09:00'),
    ...by,
  })
  await move('Bo', { to: 'contacted', next: ring('2026-11-21T11:00') })
  for (const words of ['Timber only', 'Also a gate']) {
    const leadId = await service.take({ ...sam, name_1: 'Kim', textarea_1: words })
    await joinLeads(service.store, { leadId, ...by }, kim)
  }
  await actOn(service.store, wendy, askForAnotherTime('Not the 30th, please', { at: now + 1 }))
  await service.settle()
  mail.emails.splice(0)
  service.clock.now = sydney('2026-11-21T08:00')
  await runDuties(service)
  assert.deepEqual(await subjects(mail), [
    'Another time, please: Wendy, Mon 30 Nov, 10 am',
    'Today: 1 to answer, 1 visit, 2 to ring',
  ])
  const { text } = await parseEmail(mail.emails[1]!)
  assert.match(
    text!,
    /Another time, please\n-+\n\nWendy\n> Not the 30th, please\nvisit Monday 30 November, 10 am, 8 Dibbs Street\n[^]*Visits\n-+\n\nKim\n[^]*today, 10 am, 8 Dibbs Street; 2 messages\n/,
  )
  assert.match(text!, /To ring\n-+\n\nAli\nfollow up today, 9 am\n[^]*Bo\ntoday, 11 am\n/)
  assert.equal(text!.match(/^Wendy$/gm)?.length, 1)

  service.clock.now = sydney('2026-12-01T08:00')
  await runDuties(service)
  const later = await parseEmail(mail.emails.at(-1)!)
  assert.doesNotMatch(later.text!, /Another time/, 'the visit is over')
  assert.match(later.text!, /Visits to close: how did they go\?\n-+\n[^]*Wendy\n/)
})

test('the morning email says what retention erases within a week, and nothing before that [deliver.morning]', async (t) => {
  const mail = await openMailSink(t)
  const env = { ...byMail(mail), RETENTION: 'on' }
  const service = await openTestDelivery(t, { env, now: sydney('2026-11-17T22:00') })
  await service.take(robin)
  for (const email_1 of ['one@example.com', 'two@example.com']) {
    service.clock.now += 1
    await service.take({ ...bot, email_1, textarea_1: `Words of ${email_1}` })
  }
  await service.settle()
  const lastLetterOn = async (day: string) => {
    service.clock.now = sydney(`${day}T07:01`)
    await runDuties(service)
    return (await parseEmail(mail.emails.at(-1)!)).text!
  }
  const ranOn = (day: string) => service.store.marks.put('retention', sydney(`${day}T00:05`))
  // Held leads go after 90 days, on 15 February.
  await ranOn('2027-02-08')
  assert.doesNotMatch(await lastLetterOn('2027-02-08'), /erased/)
  assert.match(
    await lastLetterOn('2027-02-09'),
    /Within a week these are erased for good, as you have set it: 2 held\./,
  )
})

test('while retention only counts, each morning email says what would go, from when on, and why it waits [deliver.morning]', async (t) => {
  const mail = await openMailSink(t)
  const env = { ...byMail(mail), RETENTION: 'on' }
  const service = await openTestDelivery(t, { env, now: sydney('2026-11-17T22:00') })
  const { store, clock } = service
  await service.take({ ...bot, textarea_1: 'Words of a bot' })
  const nightly = new NightlyErasing({
    store,
    retention: { spam: 30, held: 90, closed: 365 },
    isNight: () => true,
    report() {},
    reportFailure: (_, error) => assert.fail(String(error)),
    now: () => clock.now,
  })
  const emailAfterNight = async (day: string, runs = true) => {
    clock.now = sydney(`${day}T00:05`)
    if (runs) await nightly.runIfDue()
    mail.emails.length = 0
    clock.now = sydney(`${day}T07:01`)
    await runDuties(service)
    return mail.emails.length === 0 ? undefined : parseEmail(mail.emails.at(-1)!)
  }
  const [held] = await store.views.list({ limit: 1 })
  assert.equal(held?.state, 'held')
  // The service was off until 1 March, a Monday, and nothing else waits.
  const first = await emailAfterNight('2027-03-01')
  assert.equal(first?.subject, 'Today: 1 request to be erased')
  assert.match(
    first.text!,
    /From Monday 8 March 2027 on these are erased for good, as you have set it: 1 held\. Until then nothing is erased, because retention had not run in the three days before: it was just switched on, the service was off, or its clock was wrong\. The clock says that it is Monday,? 1 March 2027 at 7:01\sam; if that is wrong, set the clock\./,
  )
  for (const day of ['02', '03', '04', '05']) {
    const email = await emailAfterNight(`2027-03-${day}`)
    assert.match(email!.text!, /From Monday 8 March 2027 on these are erased/, day)
  }
  for (const day of ['06', '07']) await emailAfterNight(`2027-03-${day}`)
  assert.equal((await store.leads.find(held.id))!.state, 'held')
  assert.equal(await emailAfterNight('2027-03-08'), undefined, 'nothing is left to say')
  assert.equal((await store.leads.find(held.id))!.state, 'erased')
})

test('the email about a second request of a person says that it is one [deliver.email]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: byMail(mail) })
  const ids: string[] = []
  for (const textarea_1 of ['A deck.', 'And a pergola.']) {
    ids.push(await service.take({ ...robin, textarea_1 }))
    await service.settle()
  }
  await service.withdraw(ids[1]!)
  await service.settle()
  const [first, second, withdrawn] = await Promise.all(mail.emails.map(parseEmail))
  assert.match(second!.text!, /\n\nThis is their 2nd request\.\n/)
  for (const other of [first, withdrawn]) assert.doesNotMatch(other!.text!, /request\./)
})

test('on a day when the business is closed no morning email comes, and no job fails [deliver.morning]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: byMail(mail), now: sydney('2026-11-15T09:00') })
  await service.take(robin)
  await service.settle()
  await runDuties(service)
  assert.equal(mail.emails.length, 1, 'the email about the request')
  assert.deepEqual(
    service.lines.filter((line) => line.includes('failed')),
    [],
  )
})

test('on the day when clocks go back the morning email comes once [deliver.morning]', async (t) => {
  const mail = await openMailSink(t)
  const hours = [{ days: ['Sunday'] as const, opens: '00:00', closes: '23:00' }]
  const start = Date.parse('2027-04-04T00:00:00+11:00')
  const options = { env: byMail(mail), now: start - hour, business: { hours } }
  const service = await openTestDelivery(t, options)
  await service.take(robin)
  await service.settle()
  mail.emails.splice(0)
  for (let passed = 0; passed < 5; passed += 1) {
    service.clock.now = start + passed * hour
    await runDuties(service)
  }
  assert.equal(mail.emails.length, 1)
})

test('a disk that runs low is announced once a day, through every channel, and not when there is room', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const disk = { freeBytes: 600 * 2 ** 20, freeMib: 600, isLow: false }
  const service = await openTestDelivery(t, {
    env: bothChannels(mail, hook),
    now: sydney('2026-11-18T12:00'),
    readDisk: () => Promise.resolve(disk),
  })
  await runDuties(service)
  assert.equal(mail.emails.length, 0)
  Object.assign(disk, { freeMib: 123, isLow: true })
  for (const hours of [0, 1, 22, 2, 1]) {
    service.clock.now += hours * hour
    await runDuties(service)
  }
  const subject = 'The disk is nearly full: 123 MiB left'
  assert.deepEqual(await subjects(mail), [subject, subject])
  assert.deepEqual(
    hook.received.map((each) => verified(each).type),
    ['disk.low', 'disk.low'],
  )
})

test('backups that fail are announced once a day, and not while the newest is young', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const service = await openTestDelivery(t, {
    env: { ...bothChannels(mail, hook), BACKUP_TO: '/backups', BACKUP_EVERY: '1h' },
    now: sydney('2026-11-18T12:00'),
  })
  const { store, clock } = service
  await noteBackup(store, clock.now, 1_000)
  assert.ok(await beginBackup(store, clock.now, hour))
  await endBackup(store, 'failed')
  service.clock.now += hour
  await runDuties(service)
  assert.deepEqual(await subjects(mail), [])
  for (const hours of [2, 1, 22, 2, 1]) {
    service.clock.now += hours * hour
    await runDuties(service)
  }
  assert.deepEqual(await subjects(mail), ['Backups fail', 'Backups fail'])
  const { text } = await parseEmail(mail.emails[0]!)
  assert.match(text!, /The newest one is from Wed, 18 Nov, 12:00 pm\./)
  assert.deepEqual(
    hook.received.map((each) => verified(each).type),
    ['backup.late', 'backup.late'],
  )
})

test('backups that are gone from their folder are announced at once, though the last one is young', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, {
    env: { ...byMail(mail), BACKUP_TO: '/backups', BACKUP_EVERY: '1h' },
    now: sydney('2026-11-18T12:00'),
  })
  const { store, clock } = service
  await noteBackup(store, clock.now, 1_000)
  await runDuties(service)
  assert.deepEqual(await subjects(mail), [])
  await noteLost(store, clock.now)
  await runDuties(service)
  assert.deepEqual(await subjects(mail), ['Backups fail'])
  const { text } = await parseEmail(mail.emails[0]!)
  assert.match(text!, /cannot make backups\. There is no backup\./)
})

test('after one day with the clock a year ahead, backups, morning emails and alarms come as ever', async (t) => {
  const mail = await openMailSink(t)
  const disk = { freeBytes: 123 * 2 ** 20, freeMib: 123, isLow: true }
  const service = await openTestDelivery(t, {
    env: { ...byMail(mail), BACKUP_TO: '/backups', BACKUP_EVERY: '1h' },
    now: sydney('2027-11-17T07:00'),
    readDisk: () => Promise.resolve(disk),
  })
  const { store, clock } = service
  const backUp = async (outcome: 'done' | 'failed') => {
    const isBegun = await beginBackup(store, clock.now, hour)
    if (outcome === 'done') await noteBackup(store, clock.now, 1_000)
    await endBackup(store, outcome)
    return isBegun
  }
  await runDuties(service)
  assert.ok(await backUp('done'))
  assert.ok(await beginDrill(store, clock.now))
  await noteDrill(store, clock.now)

  mail.emails.splice(0)
  clock.now = sydney('2026-11-17T22:00')
  await service.take(bot)
  clock.now = sydney('2026-11-18T07:01')
  await store.forgetFuture(clock.now)
  const state = await readBackupState(store, clock.now)
  assert.deepEqual(state, {}, 'what is recorded of the future counts as never')
  assert.ok(isBackupOverdue(state, hour, clock.now))
  assert.ok(await beginDrill(store, clock.now))
  assert.ok(!(await beginDrill(store, clock.now)), 'by one node only')
  assert.ok(await backUp('failed'))
  assert.ok(!(await beginBackup(store, clock.now, hour)), 'by one node only')
  await runDuties(service)
  assert.equal(mail.emails.length, 3)
  assert.deepEqual(
    new Set(await subjects(mail)),
    new Set(['Backups fail', 'The disk is nearly full: 123 MiB left', 'Today: 1 held']),
  )
  clock.now += hour
  assert.ok(await backUp('done'))
  assert.equal((await readBackupState(store, clock.now)).made?.at, clock.now)
})

test('a sender gets one note a day where that is switched on, and it repeats nothing typed', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, {
    env: { ...byMail(mail), CONFIRM_TO_SENDER: 'on' },
  })
  const person = { ...robin, phone_1: '(02) 5550 0100', text_1: 'Pottsville 2489' }
  await service.take(person)
  await service.take({ ...person, email_1: 'Robin@Example.com', textarea_1: 'Once more.' })
  await service.settle()
  const notes = () => mail.emails.filter(({ recipients }) => /robin/i.test(recipients[0]!))
  assert.equal(notes().length, 1)
  const { text, html, subject, replyTo } = await parseEmail(notes()[0]!)
  assert.doesNotMatch(`${text}${html}${subject}`, /Robin|hardwood|5550 0100|Pottsville/)
  assert.equal(subject, 'Thank you, your request is with me')
  const { answers } = service.site.business
  assert.ok(text!.includes(answers!) && text!.includes('Example Decks & Pergolas'), text)
  assert.deepEqual(replyTo, [{ name: '', address: 'sam@example.com' }])
  const receipt = /https:\/\/decks\.example\.com(\/receipt\/[\w-]+)/.exec(text!)![1]!
  assert.equal((await service.ask('GET', receipt)).status, 200)
  service.clock.now += 25 * hour
  await service.take({ ...robin, textarea_1: 'The next day.' })
  await service.settle()
  assert.equal(notes().length, 2)
})

test('a mailbox gets one note a day, however its address is written', async (t) => {
  const mail = await openMailSink(t)
  const env = { ...byMail(mail), CONFIRM_TO_SENDER: 'on' }
  const service = await openTestDelivery(t, { env })
  const addresses = [
    'robin.example@gmail.com',
    'r.o.b.i.n.example+deck@gmail.com',
    'RobinExample@googlemail.com',
    'robin.example@example.com',
    'robin.example+deck@example.com',
    'robinexample@example.com',
  ]
  for (const address of addresses) {
    await service.take({ ...robin, email_1: address })
    await service.settle()
  }
  const notes = mail.emails.flatMap(({ recipients }) => recipients).filter((to) => /^r/i.test(to))
  const first = ['robin.example@gmail.com', 'robin.example@example.com', 'robinexample@example.com']
  assert.deepEqual(notes, first)
})

test('a sender is mailed a shown visit that is booked, changed or called off, where that is switched on [deliver.visit]', async (t) => {
  // The hourly limit is for emails that strangers can cause.
  const { service, act, emails } = await openVisits(t, { emailsPerHour: 1 })
  const thursday = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  const place = '12 Example Street, Lismore'
  const book = () =>
    moveByMember(service.store, act(), 'consultation_booked', {
      next: thursday,
      place,
      shown: true,
    })
  await book()
  await book()
  await planByMember(service.store, act(), { next: thursday, place, shown: true })
  assert.equal((await emails()).length, 0, 'the owner may still undo it')
  await service.pass(2 * minute)
  const [booked, ...more] = await emails()
  assert.equal(more.length, 0)
  assert.equal(booked?.subject, 'Your Consultation: Thursday 19 November, 3 pm')
  assert.match(booked.text!, /\n\nI will come to 12 Example Street, Lismore\.\n\nI look forward/)
  assert.match(booked.text!, /ask for another, reply to this email, or ring me on 0491 570 006\./)
  assert.match(
    booked.text!,
    /Another time, or your calendar: https:\/\/decks\.example\.com\/receipt/,
  )
  assert.equal(booked.text!.split('https://decks.example.com/receipt').length, 2, 'one link to it')
  assert.match(booked.html!, /prefers-color-scheme: dark/)
  assert.deepEqual(booked.replyTo, [{ name: '', address: 'sam@example.com' }])

  const subjectsAfter = async (change: () => Promise<unknown>) => {
    const before = (await emails()).length
    await change()
    await service.pass(2 * minute + 1_000)
    return (await emails()).slice(before).map(({ subject }) => subject)
  }
  const plan = (change: object) => () => planByMember(service.store, act(), change)
  const friday = { at: sydney('2026-11-20T09:30'), what: 'visit' } as const
  const changed = 'Your Consultation is now: Friday 20 November, 9:30 am'
  assert.deepEqual(await subjectsAfter(plan({ next: friday })), [changed])
  assert.match((await emails()).at(-1)!.text!, /\n\nThis replaces Thursday 19 November, 3 pm\.\n/)
  const elsewhere = 'Your Consultation has a new place: Friday 20 November, 9:30 am'
  assert.deepEqual(await subjectsAfter(plan({ next: friday, place: 'At the gate' })), [elsewhere])
  assert.deepEqual(await subjectsAfter(plan({ next: friday, shown: false })), [], 'hidden only')
  assert.deepEqual(await subjectsAfter(plan({ next: friday, shown: true })), [], 'emailed before')
  assert.deepEqual(await subjectsAfter(plan({ call: 'tried' })), [])
  const slip = async () => {
    await moveByMember(service.store, act(), 'lost')
    await undoByMember(service.store, act())
  }
  assert.deepEqual(await subjectsAfter(slip), [], 'undone in time')
  const off = 'Your Consultation is called off'
  assert.deepEqual(await subjectsAfter(plan({})), [off])
  assert.match((await emails()).at(-1)!.text!, /My visit on Friday 20 November, 9:30 am, is off\./)
  const onAgain = 'Your Consultation is on again: Friday 20 November, 9:30 am'
  assert.deepEqual(await subjectsAfter(plan({ next: friday })), [onAgain])
  const won = () => moveByMember(service.store, act(), 'won')
  assert.deepEqual(await subjectsAfter(won), [off], 'won before the visit')
  assert.doesNotMatch((await emails()).at(-1)!.text!, /another day/)
  const undo = () => undoByMember(service.store, act())
  assert.deepEqual(await subjectsAfter(undo), [onAgain])
  assert.deepEqual(await subjectsAfter(plan({})), [off])
  const monday = { at: sydney('2026-11-23T09:30'), what: 'visit' } as const
  assert.deepEqual(
    await subjectsAfter(plan({ next: monday })),
    ['Your Consultation: Monday 23 November, 9:30 am'],
    'another time is a new one',
  )
  assert.deepEqual(await subjectsAfter(plan({ next: friday })), [changed])
  service.clock.now = sydney('2026-11-20T11:00')
  assert.deepEqual(await subjectsAfter(won), [], 'the visit has been')
})

test('a visit that was changed by mistake and undone mails nobody, and the place before is back [deliver.visit]', async (t) => {
  const { service, id, act, emails } = await openVisits(t)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  const place = '12 Example Street, Lismore'
  const told = { next, place, shown: true }
  await moveByMember(service.store, act(), 'consultation_booked', told)
  await service.pass(2 * minute)
  const other = { at: sydney('2026-11-20T09:30'), what: 'visit' } as const
  await planByMember(service.store, act(), { next: other, place: '99 Example Road, Ballina' })
  await undoByMember(service.store, act())
  await service.pass(2 * minute)
  assert.deepEqual(
    (await emails()).map(({ subject }) => subject),
    ['Your Consultation: Thursday 19 November, 3 pm'],
  )
  const { date, visitPlace } = (await service.store.leads.find(id))!
  assert.deepEqual([date?.at, visitPlace], [next.at, place])
})

test('a visit that an email has named is called off, though it was hidden since [deliver.visit]', async (t) => {
  const { service, act, emails } = await openVisits(t)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next, shown: true })
  await service.pass(3 * minute)
  await planByMember(service.store, act(), { next, shown: false })
  await service.pass(3 * minute)
  assert.equal((await emails()).length, 1, 'hidden only')
  await planByMember(service.store, act(), {})
  await service.pass(3 * minute)
  assert.equal((await emails()).at(-1)?.subject, 'Your Consultation is called off')

  await planByMember(service.store, act(), { next, shown: false })
  await planByMember(service.store, act(), {})
  await service.pass(3 * minute)
  assert.equal((await emails()).length, 2, 'no email had named this one')
})

test('a visit that is changed before its email left is announced once, with the day that counts [deliver.visit]', async (t) => {
  const { service, act, emails } = await openVisits(t)
  const tuesday = { at: sydney('2026-11-17T15:00'), what: 'visit' } as const
  const wednesday = { at: sydney('2026-11-18T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next: tuesday, shown: true })
  await service.pass(minute)
  await planByMember(service.store, act(), { next: wednesday })
  await service.pass(minute)
  assert.deepEqual(await emails(), [], 'Tuesday is no longer true')
  await service.pass(minute)
  assert.deepEqual(
    (await emails()).map(({ subject }) => subject),
    ['Your Consultation: Wednesday 18 November, 3 pm'],
  )
})

test('emails about a visit name the right day, though two workers have clocks that differ by three minutes [deliver.visit]', async (t) => {
  const { service, act, emails } = await openVisits(t)
  const wednesday = { at: sydney('2026-11-18T15:00'), what: 'visit' } as const
  const thursday = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  const aheadMs = 3 * minute
  await moveByMember(service.store, act(), 'consultation_booked', { next: wednesday, shown: true })
  // The worker whose clock is ahead sends the first email, the other one the rest.
  await service.pass(2 * minute + aheadMs)
  service.clock.now -= aheadMs - 10_000
  await planByMember(service.store, act(), { next: thursday })
  await service.pass(2 * minute)
  await planByMember(service.store, act(), {})
  await service.pass(2 * minute + 1_000)
  const texts = (await emails()).map(({ text }) => text!)
  assert.equal(texts.length, 3)
  assert.match(texts[1]!, /This replaces Wednesday 18 November, 3 pm\./)
  assert.match(texts[2]!, /My visit on Thursday 19 November, 3 pm, is off\./)
})

test('a visit that is over is not written about, though its email had to wait [deliver.visit]', async (t) => {
  const { service, id, act, emails } = await openVisits(t)
  const visit = { at: sydney('2026-11-16T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next: visit, shown: true })
  // No mail server took it before.
  service.clock.now = visit.at
  await service.pass(hour)
  assert.deepEqual(await emails(), [])
  const rows = await service.store.deliveries.ofLead(id)
  assert.deepEqual(
    rows.filter(({ kind }) => kind === 'lead.visit').map(({ outcome }) => outcome),
    ['dropped'],
  )

  const later = { at: sydney('2026-11-18T15:00'), what: 'visit' } as const
  await planByMember(service.store, act(), { next: later })
  await service.pass(2 * minute)
  assert.equal((await emails()).length, 1)
  await planByMember(service.store, act(), {})
  service.clock.now = later.at
  await service.pass(hour)
  assert.equal((await emails()).length, 1, 'nor is a past visit called off')
})

test('a past visit that the owner enters all the same is announced to nobody [deliver.visit]', async (t) => {
  const { service, id, act, emails } = await openVisits(t)
  const next = { at: sydney('2026-11-13T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next, shown: true })
  const { story } = (await readWholeLead(service.store, [], id))!
  const notices = story.filter((entry) => 'notice' in entry && entry.notice === 'lead.visit')
  assert.deepEqual(notices, [], 'the story announces no email')
  await service.pass(2 * minute)
  assert.deepEqual(await emails(), [])
})

test('a request that was withdrawn before its emails left goes to programs only [deliver.withdrawn]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = { ...bothChannels(mail, hook), CONFIRM_TO_SENDER: 'on' }
  const service = await openTestDelivery(t, { env })
  mail.mood = { onConnect: 'drop' }
  hook.mood = { status: 500 }
  const id = await service.take(robin)
  const held = await service.take(bot)
  await service.settle()
  const { clock, store } = service
  const lead = (await store.leads.find(held))!
  await moveLead(store, lead, { to: 'new', by: 'ann', at: clock.now })
  await service.settle()
  for (const each of [id, held]) await service.withdraw(each)
  await service.settle()
  mail.mood = hook.mood = {}
  await service.pass(10 * minute)
  const names = ['Robin Example, Lismore', 'SEO Team']
  const withdrawn = new Set(names.map((name) => `Request withdrawn: ${name}`))
  assert.deepEqual(new Set(await subjects(mail)), withdrawn)
  assert.deepEqual(
    mail.emails.map(({ recipients }) => recipients),
    [['owner@example.com'], ['owner@example.com']],
  )
  const types = hook.received.map((each) => verified(each).type)
  const events = ['lead.received', 'lead.released', 'lead.withdrawn', 'lead.withdrawn']
  assert.deepEqual(types.toSorted(), events)
})

test('no email about a visit goes to a sender who withdrew or erased, nor where it is off [deliver.visit, erase.sender]', async (t) => {
  for (const [setting, end] of [
    ['off', undefined],
    ['on', 'withdraw'],
    ['on', 'erase'],
  ] as const) {
    const mail = await openMailSink(t)
    const env = { ...byMail(mail), VISIT_TO_SENDER: setting }
    const service = await openTestDelivery(t, { env })
    const { id, act, emails } = await visitsOf(service, mail)
    const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
    const date = { next, place: '12 Example Street', shown: true }
    await moveByMember(service.store, act(), 'consultation_booked', date)
    const receipt = `/receipt/${new LeadIds(secret).tokenOf(id)}`
    if (end) assert.equal((await service.ask('POST', `${receipt}/${end}`)).status, 200)
    await service.pass(2 * minute)
    assert.deepEqual(await emails(), [])
    const { reference } = (await service.store.leads.find(id))!
    if (end === 'erase') {
      const email = await parseEmail(mail.emails.at(-1)!)
      assert.equal(email.subject, `Request withdrawn: ${reference}`)
      assert.match(email.text!, /Your visit is called off: Thursday 19 November, 3 pm\.\n/)
    }
    const rows = await service.store.deliveries.ofLead(id)
    assert.equal(JSON.stringify(rows).includes('Example Street'), end === 'withdraw')
  }
})

test('the owner gets one email for each asking for another time, with the words of the customer [deliver.asked]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  // The hourly limit is for emails that strangers can cause.
  const service = await openTestDelivery(t, { env: bothChannels(mail, hook), emailsPerHour: 1 })
  const { id, act } = await visitsOf(service, mail)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  const place = '12 Example Street, Lismore'
  await moveByMember(service.store, act(), 'consultation_booked', { next, place, shown: true })
  await service.settle()
  const before = mail.emails.length

  await askForTime(service, id, 'Could we make it <Friday>?')
  await askForTime(service, id, 'Could we make it <Friday>?')
  await service.settle()
  assert.equal(mail.emails.length - before, 1, 'a double press asks once')
  const email = await parseEmail(mail.emails.at(-1)!)
  assert.equal(email.subject, 'Another time, please: Robin Example, Thu 19 Nov, 3 pm')
  assert.deepEqual(email.replyTo, [{ name: '', address: robin.email_1 }])
  assert.match(
    email.text!,
    /Your visit stays until you change it: Thursday 19 November, 3 pm, 12 Example Street, Lismore\.\n/,
  )
  assert.match(email.text!, /Robin Example writes:\n> Could we make it <Friday>\?\n/)
  assert.match(email.html!, /Could we make it &lt;Friday&gt;\?/)
  assert.match(email.text!, new RegExp(`Open in the inbox: \\S+${leadPath(id)}\n`))
  const event = verified(hook.received.at(-1)!)
  assert.equal(event.type, 'lead.asked')
  assert.doesNotMatch(JSON.stringify(event), /Friday/, 'a note is for members')

  await service.pass(2 * minute)
  await askForTime(service, id, 'Or on Monday.')
  await service.settle()
  assert.equal(mail.emails.length - before, 2)
  const again = (await parseEmail(mail.emails.at(-1)!)).text!
  assert.match(again, /> Or on Monday\.\n/)
  assert.doesNotMatch(again, /Friday/)
})

test('two askings for another time that wait together each have their own words [deliver.asked]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: byMail(mail) })
  mail.mood = { onConnect: 'drop' }
  const { id, act } = await visitsOf(service, mail)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next, shown: true })
  for (const words of ['Friday?', 'Or on Monday.']) {
    await askForTime(service, id, words)
    await service.pass(minute)
  }
  mail.mood = {}
  await service.pass(30 * minute)
  const emails = await Promise.all(mail.emails.map(parseEmail))
  const asked = emails.filter(({ subject }) => subject?.startsWith('Another time'))
  assert.deepEqual(
    asked.map(({ text }) => /^> (.*)$/m.exec(text!)?.[1]),
    ['Friday?', 'Or on Monday.'],
  )
})

test("the owner's email has the second phone and the street that were added to the details", async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: byMail(mail) })
  const { id, act } = await visitsOf(service, mail)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next, shown: true })
  const added = { phone: '', secondPhone: '0491 570 156', street: '12 Example Street\nLismore' }
  const details = { ...detailsOf((await service.store.leads.find(id))!), ...added }
  await actOn(service.store, id, correct(details, act()))
  await askForTime(service, id, 'Friday?')
  await service.settle()
  const { text, html } = await parseEmail(mail.emails.at(-1)!)
  assert.match(text!, /\nName: Robin Example\nSecond phone: 0491 570 156\nEmail: robin@/)
  assert.match(text!, /\nStreet: 12 Example Street Lismore\nReceived: /)
  assert.match(html!, /<a href="tel:0491570156"[^>]*>0491 570 156<\/a>/)
  assert.match(html!, /<a href="tel:0491570156"[^>]*>Call<\/a>/, 'there is no other number')
})

test('an asking that the owner has answered before its email left goes to programs only [deliver.asked]', async (t) => {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const service = await openTestDelivery(t, { env: bothChannels(mail, hook) })
  mail.mood = { onConnect: 'drop' }
  const { id, act } = await visitsOf(service, mail)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next, shown: true })
  await askForTime(service, id, 'Friday?')
  await service.settle()
  const friday = { at: sydney('2026-11-20T15:00'), what: 'visit' } as const
  await planByMember(service.store, act(), { next: friday })
  mail.mood = {}
  await service.pass(10 * minute)
  const [first, ...more] = await subjects(mail)
  assert.match(first!, /^Robin Example, Lismore: /)
  assert.deepEqual(more, [])
  assert.equal(hook.received.filter((each) => verified(each).type === 'lead.asked').length, 1)
})

test('a customer who asked for another time is mailed once that the time stays [deliver.kept]', async (t) => {
  const { service, id, act, emails } = await openVisits(t)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  const place = '12 Example Street, Lismore'
  const keep = () => planByMember(service.store, act(), { next })
  await moveByMember(service.store, act(), 'consultation_booked', { next, place, shown: true })
  await service.pass(2 * minute)
  await askForTime(service, id, 'Friday?')
  await service.pass(minute)

  await keep()
  await undoByMember(service.store, act())
  await service.pass(2 * minute)
  assert.equal((await emails()).length, 1, 'undone in time')
  await keep()
  await service.pass(minute)
  assert.equal((await emails()).length, 1, 'the owner may still undo it')
  await service.pass(minute)
  const [, kept, ...more] = await emails()
  assert.equal(more.length, 0)
  assert.equal(kept?.subject, 'Your Consultation stays: Thursday 19 November, 3 pm')
  assert.match(
    kept.text!,
    /\n\nI have read your request for another time\. My visit stays on Thursday 19 November, 3 pm\.\n\nI will come to 12 Example Street, Lismore\.\n/,
  )
  await undoByMember(service.store, act())
  await keep()
  await service.pass(2 * minute)
  assert.equal((await emails()).length, 2, 'emailed before')

  await askForTime(service, id, 'Or on Monday?')
  await keep()
  await service.pass(minute)
  await askForTime(service, id, 'Please!')
  await service.pass(minute)
  assert.equal((await emails()).length, 2, 'she asked again, so that was not the last word')
  const friday = { at: sydney('2026-11-20T15:00'), what: 'visit' } as const
  await keep()
  await planByMember(service.store, act(), { next: friday })
  await service.pass(2 * minute)
  assert.deepEqual(
    (await emails()).slice(2).map(({ subject }) => subject),
    ['Your Consultation is now: Friday 20 November, 3 pm'],
  )
})

test('a corrected email address gets the visit that lies ahead, once [deliver.readdressed]', async (t) => {
  const { service, mail, act } = await openVisits(t)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  const emailsAfter = emailsOf(service, mail)
  const thursday = 'Your Consultation: Thursday 19 November, 3 pm'
  const [first, typed, right] = [robin.email_1, 'robni@example.com', 'rob@example.com']
  const correctTo = (email: string) => correctEmail(service, act(), email)
  const { store } = service

  await moveByMember(store, act(), 'consultation_booked', { next, shown: true })
  await service.pass(minute)
  assert.deepEqual(await emailsAfter(() => correctTo(typed)), [[typed, thursday]], 'only there')
  assert.deepEqual(await emailsAfter(() => correctTo(typed.toUpperCase())), [], 'the same mailbox')
  const slip = async () => {
    await correctTo(first)
    await undoByMember(store, act())
  }
  assert.deepEqual(await emailsAfter(slip), [], 'undone in time')
  assert.deepEqual(await emailsAfter(() => correctTo(right)), [[right, thursday]])
  assert.deepEqual(await emailsAfter(() => undoByMember(store, act())), [], 'emailed before')
  assert.deepEqual(await emailsAfter(() => correctTo('')), [])
  const change = async () => {
    await correctTo(first)
    await planByMember(store, act(), { next: { ...next, at: next.at + hour } })
  }
  const later = 'Your Consultation: Thursday 19 November, 4 pm'
  assert.deepEqual(
    await emailsAfter(change),
    [[first, later]],
    'never told before, so not "is now"',
  )
  const callOff = async () => {
    await planByMember(store, act(), {})
    await correctTo(right)
  }
  const off = 'Your Consultation is called off'
  assert.deepEqual(
    await emailsAfter(callOff),
    [[right, off]],
    'what was told elsewhere is off, too',
  )
  assert.deepEqual(await emailsAfter(() => correctTo(first)), [], 'no visit lies ahead')
})

/** Returns whom the customer's emails went to that an act caused, and their subjects. */
function emailsOf(service: TestDelivery, mail: MailSink) {
  return async (act: () => Promise<unknown>) => {
    const before = mail.emails.length
    await act()
    await service.pass(3 * minute)
    const emails = mail.emails.slice(before)
    const parsed = await Promise.all(emails.map(parseEmail))
    return emails.map(({ recipients }, index) => [recipients[0], parsed[index]!.subject])
  }
}

async function correctEmail(service: TestDelivery, act: Act, email: string): Promise<void> {
  const lead = (await service.store.leads.find(act.leadId))!
  const keys = createPersonKeys(secret)({ email, phone: '' })
  const details = { ...detailsOf(lead), email, emailKey: keys[0] ?? '' }
  assert.equal((await actOn(service.store, act.leadId, correct(details, act))).kind, 'done')
}

test('nobody is mailed that the time stays of a visit that is hidden or over [deliver.kept]', async (t) => {
  const { service, id, act, emails } = await openVisits(t)
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  await moveByMember(service.store, act(), 'consultation_booked', { next, shown: true })
  await service.pass(2 * minute)
  await askForTime(service, id, 'Friday?')
  await planByMember(service.store, act(), { next, shown: false })
  await service.pass(2 * minute)
  assert.equal((await emails()).length, 1, 'hidden')
  await undoByMember(service.store, act())
  service.clock.now = next.at - minute
  await planByMember(service.store, act(), { next })
  await service.pass(2 * minute)
  assert.equal((await emails()).length, 1, 'over')
})

test('a request without an email address gets no email, and nothing fails [deliver.visit]', async (t) => {
  const mail = await openMailSink(t)
  const env = { ...byMail(mail), VISIT_TO_SENDER: 'on', CONFIRM_TO_SENDER: 'on' }
  const service = await openTestDelivery(t, { env })
  const values = valuesOf({ name: 'Wendy Cho' })
  const by = 'ann'
  const leadId = await service.taker.addLead({ values, by, nonce: 'n1', emailsCustomer: true })
  const next = { at: sydney('2026-11-19T15:00'), what: 'visit' } as const
  const act = { leadId, version: undefined, by, at: service.clock.now }
  await moveByMember(service.store, act, 'consultation_booked', { next, shown: true })
  await service.pass(2 * minute)
  assert.equal(mail.emails.length, 0)
  assert.deepEqual(await service.store.deliveries.ofLead(leadId), [], 'the story announces none')

  await askForTime(service, leadId, 'Friday?')
  await service.settle()
  const email = await parseEmail(mail.emails[0]!)
  assert.equal(email.subject, 'Another time, please: Wendy Cho, Thu 19 Nov, 3 pm')
  assert.equal(email.replyTo, undefined)
  assert.doesNotMatch(email.html!, /mailto:/)
})

async function askForTime(service: TestDelivery, leadId: string, words: string): Promise<void> {
  const path = `/receipt/${new LeadIds(secret).tokenOf(leadId)}/another-time`
  const headers = { 'content-type': 'application/json' }
  const { status } = await service.ask('POST', path, { headers, body: JSON.stringify({ words }) })
  assert.equal(status, 200)
}

/** A service that mails visits to the customer, with a request. */
async function openVisits(t: Cleaner, options: { emailsPerHour?: number } = {}) {
  const mail = await openMailSink(t)
  const env = { ...byMail(mail), VISIT_TO_SENDER: 'on' }
  const service = await openTestDelivery(t, { env, ...options })
  return { service, mail, ...(await visitsOf(service, mail)) }
}

async function visitsOf(service: TestDelivery, mail: MailSink) {
  const id = await service.take(robin)
  await service.settle()
  return {
    id,
    act: () => ({ leadId: id, version: undefined, by: 'ann', at: service.clock.now }),
    emails: () =>
      Promise.all(
        mail.emails.filter(({ recipients }) => recipients.includes(robin.email_1)).map(parseEmail),
      ),
  }
}

test('endpoints of business.yaml get the events they ask for, and every alarm', async (t) => {
  const [crm, all] = [await openWebhookSink(t), await openWebhookSink(t)]
  const env = { CRM_SECRET: webhookSecret, ALL_SECRET: webhookSecret }
  const webhooks = [
    { name: 'crm', url: crm.url, events: ['lead.state_changed'], secret: 'CRM_SECRET' },
    { name: 'all', url: all.url, secret: 'ALL_SECRET' },
  ]
  const service = await openTestDelivery(t, {
    env,
    business: { webhooks },
  })
  const id = await service.take(robin)
  await service.delivery.settled()
  const lead = await service.store.leads.find(id)
  await moveLead(service.store, lead!, { to: 'contacted', by: 'owner', at: service.clock.now })
  await service.settle()
  const types = (sink: WebhookSink) => sink.received.map((each) => verified(each).type)
  assert.deepEqual(types(crm), ['lead.state_changed'])
  assert.deepEqual(types(all), ['lead.received', 'lead.state_changed'])
  all.mood = { status: 410 }
  await service.take(sam)
  await service.settle()
  await service.pass(11 * 60_000)
  assert.deepEqual(types(crm), ['lead.state_changed', 'delivery.dead'])
})

test('after thirty emails an hour one email says how many more there are [deliver.thirty]', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, {
    now: sydney('2026-11-16T20:05'),
    env: byMail(mail),
    emailsPerHour: 30,
  })
  const names = await takeMany(service, 1, 42)
  await service.settle()
  assert.deepEqual((await requestsIn(mail)).toSorted(), names.slice(0, 30).toSorted())

  await service.pass(54 * minute)
  assert.equal(mail.emails.length, 30)
  await service.pass(minute)
  assert.equal(mail.emails.length, 31)
  const { subject, text } = await parseEmail(mail.emails[30]!)
  assert.equal(subject, '12 more: open the inbox')
  assert.match(
    text!,
    /^12 more requests\n[^]*Open the inbox: https:\/\/decks\.example\.com\/inbox\/\n/,
  )
  assert.doesNotMatch(text!, /Person/)
  const told = await service.store.deliveries.noticeStatesOf(
    (await service.store.views.list({ limit: 1 })).map(({ id }) => id),
  )
  assert.deepEqual([...told.values()], ['sent'])

  await takeMany(service, 43, 3)
  await service.settle()
  assert.equal(mail.emails.length, 31, 'still too many in an hour')
  await service.pass(10 * minute)
  await takeMany(service, 46, 1)
  await service.settle()
  assert.deepEqual((await requestsIn(mail)).slice(30), ['Person 46'])
  await service.pass(60 * minute)
  assert.equal((await parseEmail(mail.emails[32]!)).subject, '3 more: open the inbox')
})

async function takeMany(service: TestDelivery, from: number, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `Person ${from + n}`)
  for (const name of names) {
    service.clock.now += 1
    const email = `${name.toLowerCase().replace(' ', '-')}@example.com`
    await service.take({ ...sam, name_1: name, email_1: email })
  }
  return names
}

async function requestsIn({ emails }: MailSink): Promise<string[]> {
  const read = await Promise.all(emails.map(parseEmail))
  return read.flatMap(({ subject = '' }) => /^Person \d+$/.exec(subject)?.[0] ?? [])
}
