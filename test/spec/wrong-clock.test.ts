/** The clock of the machine was ahead, and is set right: everything goes on at once. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { createAccessLimits } from '../../src/access/limits.ts'
import { createMemberSessions } from '../../src/access/sessions.ts'
import { createFarOffCheck } from '../../src/delivery/by-clock/far-off.ts'
import { createDailyJobs } from '../../src/delivery/by-clock/daily-jobs.ts'
import type { DailyJobParts } from '../../src/delivery/by-clock/daily-jobs.ts'
import { retainByClock } from '../../src/lead/retain-by-clock.ts'
import {
  beginBackup,
  beginDrill,
  endBackup,
  isDrilled,
  noteBackup,
  noteDrill,
  readBackupAge,
  readBackupState,
} from '../../src/store/backup-state.ts'
import { paths } from '../../src/doors/inbox/paths.ts'
import { leadAt, openDesk } from '../support/desk.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { openInbox, robin } from '../support/inbox.ts'
import { sam } from '../support/people.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink } from '../support/smtp.ts'

const cookieName = '__Host-inbox'
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** A Monday, eight in the morning in Sydney. */
const right = Date.UTC(2026, 10, 15, 21)

test('backups, digests, retention, notes and the search index go on after a year ahead', async (t) => {
  const { store } = openDesk(t)
  const clock = { now: right + 365 * day }
  const now = () => clock.now
  const reportFailure = (_: string, error: unknown) => assert.fail(String(error))
  const jobs = createDailyJobs({
    store,
    channelsFor: () => ['mail'],
    business: { timeZone: 'Australia/Sydney' } as DailyJobParts['business'],
    canary: undefined,
    digests: true,
    checkFarOff: async () => {},
    checkDisk: undefined,
    checkBackup: undefined,
    reportFailure,
    wake() {},
    now,
  })
  const erased: string[] = []
  const retaining = retainByClock({
    store,
    retention: { spam: 30, held: 90, closed: 365 },
    isNight: () => true,
    report: (event) => erased.push(event),
    reportFailure,
    now,
  })
  t.after(() => retaining.stop())
  const work = async () => {
    const done = {
      backup: await beginBackup(store, now(), day),
      drill: await beginDrill(store, now()),
      note: await store.firstSince('sender a', now(), { before: now() - day }),
    }
    if (done.backup) await endBackup(store, 'done')
    await jobs.run()
    jobs.stop()
    await retaining.look()
    return done
  }
  const all = { backup: true, drill: true, note: true }
  const digests = async () => (await store.listDeliveries({ limit: 9 })).map(({ kind }) => kind)

  assert.deepEqual(await work(), all)
  await noteBackup(store, now(), 1_000)
  await noteDrill(store, now())
  assert.deepEqual([erased.length, await digests()], [1, ['leads.held']])

  clock.now = right
  assert.deepEqual(await readBackupAge(store, day, now()), {
    age_s: null,
    drill_age_s: null,
    late: true,
  })
  assert.equal(isDrilled(await readBackupState(store, now()), now()), false)
  assert.deepEqual(await work(), all)
  assert.deepEqual([erased.length, (await digests()).length], [2, 3])
  assert.deepEqual(await work(), { backup: false, drill: false, note: false }, 'and each once')
  assert.deepEqual([erased.length, (await digests()).length], [2, 3])
  await noteBackup(store, now(), 1_000)
  assert.equal((await readBackupAge(store, day, now())).late, false)

  await store.keepLead(leadAt(5))
  clock.now += 2 * day
  await jobs.run()
  jobs.stop()
  assert.equal(await store.findOnce('sender a'), undefined, 'forgotten after a day')
})

test('an address is forgotten though a clock that was ahead noted it', async (t) => {
  const { store } = openDesk(t)
  await store.firstSince('sender a', right + 365 * day)
  await store.firstSince('sender b', right)
  await store.forgetOnce('sender ', right, right - day)
  assert.equal(await store.findOnce('sender a'), undefined)
  assert.notEqual(await store.findOnce('sender b'), undefined)
})

test('nobody gets in longer, or is kept out longer, than it would be by a right clock', async (t) => {
  const inbox = await openInbox(t)
  const { access, clock } = inbox
  const { member, browser } = await inbox.member(robin)
  const limits = createAccessLimits({
    store: access,
    keyedHash: (text) => text,
    now: () => clock.now,
  })
  clock.now += day
  const link = await inbox.linkFor(member)
  const later = inbox.browser()
  const sessions = createMemberSessions(access, () => clock.now)
  const visit = (await sessions.find(browser.jar.get(cookieName)!))!
  browser.jar.set(cookieName, (await sessions.refresh(visit))!)
  later.jar.set(cookieName, await sessions.begin(member, 'Phone'))
  for (let n = 0; n < 3; n += 1) await limits.count('letters', robin.email)
  assert.equal((await limits.count('letters', robin.email))?.kind, 'limited')
  assert.equal((await browser.get(paths.export)).status, 200, 'fresh')
  assert.equal((await later.get(paths.list)).status, 200)

  clock.now -= 4 * hour
  assert.equal((await inbox.browser().get(link)).status, 410)
  assert.match((await browser.get(paths.export)).headers['location']!, /step-up/)
  assert.equal((await browser.get(paths.list)).status, 200, 'a session of before goes on')
  assert.equal((await later.get(paths.list)).status, 303, 'a session of the future does not')
  assert.equal((await access.listSessions(clock.now, member.id)).length, 1)
  for (let n = 0; n < 3; n += 1) assert.equal(await limits.count('letters', robin.email), undefined)
  assert.equal((await limits.count('letters', robin.email))?.kind, 'limited', 'counted anew')
})

test('a channel that failed once does not rest until the clock has caught up', async (t) => {
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { database: newDatabase(t), env: byMail(mail) })
  mail.mood = { onMail: 451 }
  await service.take(sam)
  await service.settle()
  mail.mood = {}
  service.clock.now -= hour
  await service.take({ ...sam, email_1: 'other@example.com' })
  await service.settle()
  assert.equal(mail.letters.length, 2, 'the new one, and then the one that failed')
})

test('a letter that failed a year ahead is not put off for a year', async (t) => {
  const mail = await openMailSink(t)
  const env = { ...byMail(mail), DIGESTS: 'off', CANARY: 'off' }
  const database = newDatabase(t)
  const ahead = await openTestDelivery(t, { database, env, now: right + 365 * day })
  mail.mood = { onMail: 451 }
  await ahead.take(sam)
  await ahead.settle()
  await ahead.delivery.stop()
  mail.mood = {}
  const service = await openTestDelivery(t, { database, env, now: right })
  service.delivery.start(service.app.takeLead)
  await service.delivery.jobsDone()
  await service.settle()
  assert.equal(mail.letters.length, 1)
})

test('what is under way when the clock is set right is not sent a second time', async (t) => {
  const { store } = openDesk(t)
  const id = 'leads.week-1.mail'
  const channel = 'mail'
  const ahead = right + 365 * day
  const lease = (now: number) =>
    store.leaseDeliveries({ channel, now, leaseUntil: now + minute, limit: 1 })
  await store.addDeliveries([
    { id, leadId: '', channel, kind: 'leads.week', about: '', dueAt: ahead },
  ])
  assert.equal((await lease(ahead)).length, 1)
  const check = createFarOffCheck({ store, channels: [channel], wake() {}, now: () => right })
  await check()
  assert.equal((await lease(right)).length, 0)
  assert.equal((await lease(right + hour)).length, 1, 'the process that had it was killed')
})
