/** The commands of `src/lead/life.test.ts` through the database, with a mail worker beside them. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { recipientsOf } from '../../src/contract/notices.ts'
import type { Notice } from '../../src/delivery/notice.ts'
import { readNotice } from '../../src/delivery/notices.ts'
import { actOn, type ChangingStore } from '../../src/lead/act.ts'
import { erase, isOpen, type History } from '../../src/lead/life.ts'
import type { NamedVisit, VisitNews } from '../../src/contract/visit.ts'
import type { Delivery } from '../../src/store/deliveries/rows.ts'
import { fromRow, type Engine } from '../../src/store/engine/engine.ts'
import type { LeadChange } from '../../src/store/leads/changes.ts'
import type { Note } from '../../src/store/leads/notes.ts'
import { searchTextOf } from '../../src/store/leads/search-text.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { Store } from '../../src/store/store.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { leadAt } from '../support/desk.ts'
import { newDatabase, onPostgres, type TestDatabase } from '../support/engines.ts'
import * as life from '../support/life-model.ts'
import type { Cleaner } from '../support/service.ts'

const sizeOfTrial = process.env['STORY_LIFE_COMMANDS']
/** The rules are the same on both engines. On PostgreSQL the suite tries what its SQL does, and the trial the rest. */
const wanted = Number(sizeOfTrial ?? (onPostgres ? 150 : 500))
/** The trial has other commands each time. One that failed is run again by the seed that it names. */
const ofTrial = process.env['STORY_LIFE_SEED'] ?? Date.now() % 1_000_000
const seed = sizeOfTrial === undefined ? 39 : Number(ofTrial)
/** The trial has several databases at once, so that no core waits for an answer. */
const worlds = sizeOfTrial === undefined ? 1 : 4
/** A life has about 21. With a margin, because the trial has other lives each time. */
const commandsOfLife = 19
/** Opening a store takes as long as ten commands. */
const livesOfStore = 8

/**
 * `told`: what the emails that left last said of each request to each address. `sent`: how many emails
 * left. `answered`: the last asking for another time of each request that an email answered by keeping
 * it. `unheard`: the requests that the person took back, of which the owner has not heard yet.
 */
type Story = {
  person: life.Person
  at: number
  told: Told[]
  sent: number
  answered: Map<number, number>
  unheard: Set<string>
  blocked: life.Blocked
}
/**
 * `which` of the requests the email was about. `to`: the key of the address. `isOff`: the email called
 * the visit off. `isExcused`: the visit was put into the past since, the request was marked as spam, or
 * lost its email: nobody is mailed of that.
 */
type Told = {
  visit: NamedVisit
  which: number
  to: string
  isOff: boolean
  isExcused?: boolean | undefined
}

test('the database holds what the rules say, and each email is true when it leaves [undo.move, move.overtaken, erase.shown]', async (t) => {
  const seeds = Array.from({ length: worlds }, (_, number) => seed + number)
  const ran = await runWorlds(t, seeds)
  const lives = ran.reduce((sum, world) => sum + world.lives, 0)
  const commands = ran.reduce((sum, world) => sum + world.commands, 0)
  t.diagnostic(JSON.stringify({ story: 'life', seed, worlds, lives, commands }))
  assert.ok(commands >= wanted, `${commands} commands`)
})

type Ran = { lives: number; commands: number }

/** When one fails, the others end with the life that they are at, and close their databases in peace. */
async function runWorlds(t: Cleaner, seeds: readonly number[]): Promise<Ran[]> {
  const failure = new AbortController()
  const running = seeds.map(async (each) => {
    try {
      return await runWorld(t, each, failure.signal)
    } catch (error) {
      failure.abort(error)
      throw error
    }
  })
  await Promise.allSettled(running)
  return Promise.all(running)
}

/** One life after the other in a database of their own. */
async function runWorld(t: Cleaner, ownSeed: number, failure: AbortSignal): Promise<Ran> {
  const database = newDatabase(t)
  let [lives, commands] = [0, 0]
  let opened = open(database)
  t.after(() => opened.store.close())
  const property = fc.asyncProperty(life.commands, async (all) => {
    if (failure.aborted) return
    const story = await begin(opened.store, (lives += 1))
    for (const [index, asked] of all.entries()) {
      commands += 1
      if (index === 10 && lives % livesOfStore === 0) {
        await opened.store.close()
        opened = open(database)
      }
      await act(opened, story, asked)
      await checkMoment(opened.store, story, index)
    }
    await end(opened.store, story)
    await checkForgotten(opened.engine, story)
  })
  const numRuns = Math.ceil(wanted / worlds / commandsOfLife)
  // Shrinking takes minutes: the suite names seed and commands at once, and the trial shrinks them.
  const endOnFailure = sizeOfTrial === undefined
  await fc.assert(property, { numRuns, seed: ownSeed, endOnFailure })
  return { lives, commands }
}

function open(database: TestDatabase): Opened {
  const engine = database.open()
  const recipients = { ...recipientsOf(() => ['mail']), 'lead.visit': ['sender'] } as const
  const store = new Store(engine, recipients)
  return { engine, store }
}

async function begin(store: Store, n: number): Promise<Story> {
  const email = `quux${n}@example.com`
  const otherEmail = n % 3 === 1 ? `quux${n}-2@example.com` : email
  const person: life.Person = [
    await keep(store, 3 * n, { email, state: n % 3 === 0 ? 'held' : 'new' }),
    await keep(store, 3 * n + 1, { email: otherEmail, state: 'new' }),
    await keep(store, 3 * n + 2, { email, state: 'new' }),
  ]
  const { receivedAt: at } = person.at(-1)!.lead
  return { person, at, told: [], sent: 0, answered: new Map(), unheard: new Set(), blocked: [] }
}

async function keep(
  store: Store,
  n: number,
  { email, state }: { email: string; state: 'new' | 'held' },
): Promise<life.ModelLead> {
  const words = { name: 'Quux', email, message: `A quux deck ${n}` }
  const judgement = { score: 100, reasons: state === 'held' && n % 4 === 0 ? ['blocked'] : [] }
  const sent = leadAt(n, words, { state, judgement, deliverTo: ['mail', 'sender'] })
  await store.leads.keep(sent)
  const lead = (await store.leads.find(sent.id))!
  return life.toModel(lead, (await store.leads.historyOf(lead)).events)
}

type Opened = { engine: Engine; store: Store }

async function act({ engine, store }: Opened, story: Story, asked: life.Command): Promise<void> {
  story.at = life.timeOf(story.person, asked, story.at)
  excuse(story)
  if (asked.mail !== 'waits') await sendMail(store, story, asked.mail)
  await checkTold(engine, story)
  await take(store, story, life.stepOf(story.person, asked, story.at))
  await store.search.fillNext()
  await checkBeside(engine, story)
}

/** Today is five queries, so it is read after every second command. */
async function checkMoment(store: Store, { person, at }: Story, index: number): Promise<void> {
  const isRead = index % 2 === 0
  const today = isRead
    ? await store.views.ofToday({ today: { now: at, until: at }, limit: 1_000 })
    : []
  const ids = today.map(({ id }) => id)
  for (const model of person) {
    const isInToday = isRead ? ids.includes(model.lead.id) : life.isInToday(model, at)
    life.checkMoment(model, at, isInToday)
  }
  if (isRead) await checkCounted(store, person)
}

/** The figures count each matter once. */
async function checkCounted(store: Store, person: life.Person): Promise<void> {
  const counted = await store.views.toCount(person[0]!.lead.receivedAt)
  const ids = counted.map(({ id }) => id)
  for (const { lead } of person) {
    const isLeftOut = ['joined', 'held', 'spam', 'erased'].includes(lead.state)
    assert.equal(ids.includes(lead.id), !isLeftOut, `${lead.state} in figures`)
  }
}

const rowsBeside = `
  select 'note' as what, lead_id, number, at, member_id, words from note where lead_id in ($1, $2, $3)
  union all
  select 'search', lead_id, 0, 0, '', words from search_doc where lead_id in ($1, $2, $3)
  union all
  select 'blocked', lead_id, 0, 0, '', key from blocked where lead_id in ($1, $2, $3)
  union all
  select 'email', lead_id, is_off, at, email_key, place from visit_email where lead_id in ($1, $2, $3)`

/** What the tables beside the lead hold. */
async function checkBeside(engine: Engine, { person, blocked, told }: Story): Promise<void> {
  const ids = person.map(({ lead }) => lead.id)
  const rows = (await engine.read(rowsBeside, ids)).map(fromRow<Note & { what: string }>)
  const expected = person.flatMap(({ lead, notes }) => {
    const words = searchTextOf(
      lead,
      notes.map((note) => note.words),
    )
    const searched = { what: 'search', leadId: lead.id, number: 0, at: 0, memberId: '', words }
    const noted = notes.map((note) => ({ what: 'note', ...note }))
    return lead.state === 'erased' ? noted : [...noted, searched]
  })
  const keys = blocked.map(({ key: words, leadId }) => {
    return { what: 'blocked', leadId, number: 0, at: 0, memberId: '', words }
  })
  const emails = told.map(({ visit, which, to: memberId, isOff }) => {
    const { at, place: words } = visit
    return { what: 'email', leadId: ids[which]!, number: Number(isOff), at, memberId, words }
  })
  const kept = emails.filter(({ leadId }) => !isErased(person, leadId))
  assert.deepEqual(inOrder(rows), inOrder([...expected, ...keys, ...kept]))
}

function isErased(person: life.Person, leadId: string): boolean {
  return person.some(({ lead }) => lead.id === leadId && lead.state === 'erased')
}

/** The order of the words that a lead is found by does not matter. */
function inOrder(rows: readonly (Note & { what: string })[]): string[] {
  return rows
    .map(({ what, leadId, number, at, memberId, words }) => {
      const own = what === 'search' ? words.trim().split(/ +/).sort().join(' ') : words
      return JSON.stringify([what, leadId, number, at, memberId, own])
    })
    .sort()
}

async function take(store: Store, story: Story, step: life.Step): Promise<void> {
  const { person, at, unheard } = story
  const read = person[step.which]!
  const noted = life.noteMeanwhile(read, step, at)
  const model = noted ? life.withChange(read, noted) : read
  const decision = life.decide(model, step)
  const isChange = decision.kind === 'change'
  person[step.which] = model
  // The others see the note of the colleague, too, also if the act is refused.
  life.acquaint(person)
  life.applyTo(person, step.which, decision)
  const now = person[step.which]!
  const outcome = await actOn(watched(store, read, noted), read.lead.id, step.decide)
  const kind = isChange || decision.kind === 'already' ? 'done' : decision.kind
  assert.deepEqual(outcome, { kind, lead: now.lead })
  if (!isChange) return
  story.blocked = life.withBlocks(story.blocked, model.lead, decision.change)
  const { by } = decision.change.event.data
  const isTakenBack = isOpen(model.lead) || model.lead.state === 'joined'
  if (by === 'sender' && step.what !== 'ask' && isTakenBack) unheard.add(model.lead.id)
}

/**
 * Compares what an act reads with the model. A change that was `noted` comes once, after the lead was
 * read: the act then changes nothing, and begins again.
 */
function watched(store: Store, was: life.ModelLead, noted?: LeadChange): ChangingStore {
  let model = was
  const leads: ChangingStore['leads'] = {
    apply: (lead, decided, also) => store.leads.apply(lead, decided, also),
    async find(id) {
      const lead = await store.leads.find(id)
      assert.deepEqual(lead, model.lead)
      return lead
    },
    async historyOf(lead) {
      const history = await store.leads.historyOf(lead)
      assert.deepEqual(history, historyIn(model))
      if (noted && model === was) {
        model = life.withChange(was, noted)
        assert.deepEqual(await store.leads.apply(lead, noted), model.lead)
      }
      return history
    },
  }
  return { leads }
}

function historyIn({
  events,
  visitBefore,
  detailsBefore,
  notes,
  ...family
}: life.ModelLead): History {
  const { first, joined } = family
  return { events, visitBefore, detailsBefore, notes, first, joined }
}

/** Two workers, of which one has a clock that is ahead by more than the time between most commands. */
const clocksAheadMs = [0, 10 * minuteMs]

/** Each channel sends what is due, one after the other. */
async function sendMail(store: Store, story: Story, mail: 'fails' | 'leaves'): Promise<void> {
  for (const channel of ['mail', 'sender']) {
    const lease = async () => {
      // No two emails leave at the same moment.
      story.at += 1
      story.sent += 1
      const now = story.at + clocksAheadMs[story.sent % 2]!
      const [delivery] = await store.deliveries.lease({
        channel,
        now,
        leaseUntil: now + 1,
        limit: 1,
      })
      return delivery && { delivery, now }
    }
    while (await isDue(store, story, channel)) {
      const leased = (await lease()) ?? (await lease())
      assert.ok(leased, 'it is due, and no worker gets it')
      await sendOne(store, story, { mail, ...leased })
    }
  }
}

/** Whether one of the workers has something to send: to ask costs less than a lease of nothing. */
async function isDue(store: Store, { at }: Story, channel: string): Promise<boolean> {
  const due = await store.deliveries.nextDue(channel, at)
  return due !== undefined && due <= at + Math.max(...clocksAheadMs)
}

type Leased = { delivery: Delivery; now: number }

async function sendOne(
  store: Store,
  story: Story,
  { mail, delivery, now: at }: Leased & { mail: 'fails' | 'leaves' },
): Promise<void> {
  const lead = story.person.map((model) => model.lead).find(({ id }) => id === delivery.leadId)
  // Emails of a life that failed may be left.
  if (lead === undefined) return store.deliveries.finish(delivery, { ending: dropped, at })
  const hours = { timeZone: 'Australia/Sydney', hours: [] }
  const dated = await readNotice({ store, delivery, now: at, opening: hours })
  if (mail === 'fails') {
    const note = { at, outcome: 'refused', answer: `450 ${lead.values.name}`, ms: 1 }
    const ending = { kind: 'again', dueAt: at + 5 * minuteMs } as const
    return store.deliveries.finish(delivery, { ending, at, note })
  }
  const ending = dated ? ({ kind: 'delivered' } as const) : dropped
  const said = dated?.notice.kind === 'lead.visit' ? dated.notice.said : undefined
  await store.deliveries.finish(delivery, { ending, at, said })
  if (dated) checkEmail(story, lead, dated.notice, at)
}

const dropped = { kind: 'dropped' } as const

function checkEmail(story: Story, lead: Lead, notice: Notice, at: number): void {
  const isGone = lead.state === 'withdrawn' || lead.state === 'erased'
  if (notice.kind === 'lead.withdrawn') {
    story.unheard.delete(lead.id)
    return assert.ok(isGone)
  }
  // A program hears of each move, also after the next one.
  assert.ok(!isGone || notice.kind === 'lead.state_changed', `${notice.kind}: ${lead.state}`)
  if (notice.kind !== 'lead.visit') return
  const { news } = notice
  const visit = news.kind === 'off' ? undefined : named(news.visit)
  assert.deepEqual(visit, life.visitSeen(lead))
  assert.ok((news.kind === 'off' ? news.before : news.visit).at > at, 'the visit is over')
  assert.ok(visit !== undefined || lead.date?.what !== 'visit', 'hidden, but not called off')
  assert.ok(!['held', 'spam'].includes(lead.state), lead.state)
  checkNews(story, lead, news, at)
}

function named({ at, place }: NamedVisit): NamedVisit {
  return { at, place }
}

const waitingEmails = `
  select lead_id from delivery
  where lead_id in ($1, $2, $3) and kind = 'lead.visit' and outcome = ''`

/** Once all emails about a request have left, the person knows its visit if it lies ahead, and no other. */
async function checkTold(engine: Engine, story: Story): Promise<void> {
  const ids = story.person.map(({ lead }) => lead.id)
  const waiting = (await engine.read(waitingEmails, ids)).map((row) => row['lead_id'])
  for (const [which, { lead }] of story.person.entries()) {
    if (waiting.includes(lead.id)) continue
    const visit = life.visitSeen(lead)
    const isAhead = visit !== undefined && visit.at > story.at + Math.max(...clocksAheadMs)
    const known = story.told.find((each) => isTo(each, which, lead) && !each.isOff)
    if (isAhead && lead.values.email !== '')
      assert.deepEqual(known?.visit, visit, 'a visit that nobody told her of')
    assert.deepEqual(expectedInVain(story, which), [], 'nobody called it off')
  }
}

function isTo({ which, to }: Told, request: number, { emailKey }: Lead): boolean {
  return which === request && to === emailKey
}

/** Leaves out what nobody is mailed of. */
function excuse(story: Story): void {
  story.told = story.told.filter(({ which }) => story.person[which]!.lead.state !== 'erased')
  for (const each of story.told)
    each.isExcused ||= isLeftUnsaid(story.person[each.which]!.lead, story.at)
}

function isLeftUnsaid({ date, state, values }: Lead, at: number): boolean {
  const isOver = date?.what === 'visit' && date.at <= at + Math.max(...clocksAheadMs)
  return isOver || state === 'spam' || values.email === ''
}

/** Visits of the request that she was told of at her present address, that lie ahead, and that it has not. */
function expectedInVain({ person, told, at }: Story, which: number): Told[] {
  const { lead } = person[which]!
  const seen = life.visitSeen(lead)
  // Of a hidden visit the owner tells the person himself.
  const isHidden = lead.date?.what === 'visit' && seen === undefined
  if (isHidden || lead.state === 'withdrawn') return []
  // For the worker whose clock is ahead, the visit is over sooner, and nobody calls it off then.
  const over = at + Math.max(...clocksAheadMs)
  return told.filter((each) => {
    const isExpected = isTo(each, which, lead) && !each.isOff && !each.isExcused
    return isExpected && each.visit.at > over && !isSame(each.visit, seen)
  })
}

/** Each email is true, given what the last one to this address said of the request. */
function checkNews(story: Story, lead: Lead, news: VisitNews, at: number): void {
  const which = story.person.findIndex((model) => model.lead === lead)
  const ahead = story.told.filter((each) => each.which === which && each.visit.at > at)
  const own = ahead.find((each) => isTo(each, which, lead))
  const live = own?.isOff ? undefined : own
  switch (news.kind) {
    case 'new':
      assert.ok(live === undefined, 'a visit that she expects')
      assert.notEqual(own?.visit.at, news.visit.at, 'it was off')
      break
    case 'on again':
      assert.ok(own?.isOff, 'it was never off')
      assert.equal(own.visit.at, news.visit.at)
      break
    case 'replaces':
      assert.deepEqual(named(news.before), live?.visit, 'a visit that she does not know of')
      assert.notDeepEqual(named(news.visit), live?.visit, 'told twice')
      break
    case 'stays':
      assert.deepEqual(named(news.visit), live?.visit, 'it was never told')
      checkAnswer(story, which)
      break
    case 'off': {
      // A visit is called off at a new address, too.
      const known = ahead.filter((each) => !each.isOff && (!live || each === live))
      const isKnown = known.some(({ visit }) => isSame(visit, named(news.before)))
      assert.ok(isKnown, 'a visit that she does not know of')
    }
  }
  const isOff = news.kind === 'off'
  const said = { visit: named(isOff ? news.before : news.visit), which, to: lead.emailKey, isOff }
  const rest = story.told.filter((each) => !isTo(each, which, lead))
  story.told = [...rest.filter((each) => !isOff || each.which !== which), said]
}

/** The visit stays, and the person who asked for another time has not heard so yet. */
function checkAnswer({ person, answered }: Story, which: number): void {
  const model = person[which]!
  const askedAt = life.lastAsking(model)
  assert.equal(model.lead.askedAt, undefined, 'she still asks')
  assert.ok(askedAt > (answered.get(which) ?? 0), 'told twice')
  answered.set(which, askedAt)
}

const isSame = isDeepStrictEqual

/** Erases the leads, and lets their last emails leave, so that the next life begins without any. */
async function end(store: Store, story: Story): Promise<void> {
  const { person, at, unheard } = story
  for (const model of person) {
    // What the last act wrote is read here.
    await watched(store, model).leads.find(model.lead.id)
    await watched(store, model).leads.historyOf(model.lead)
  }
  for (const model of person) {
    await actOn(store, model.lead.id, erase({ by: 'owner', at }))
    model.lead = (await store.leads.find(model.lead.id))!
  }
  await sendMail(store, { ...story, at: at + dayMs }, 'leaves')
  // Brings nothing back.
  await store.search.fillNext()
  assert.deepEqual([...unheard], [], 'the owner never hears that the request was taken back')
}

async function checkForgotten(engine: Engine, { person }: Story): Promise<void> {
  for (const { lead } of person) {
    const read = (sql: string) => engine.read(sql, [lead.id])
    for (const table of [
      'search_doc',
      'note',
      'visit_before',
      'visit_email',
      'detail_before',
      'dedup',
    ]) {
      assert.deepEqual(await read(`select * from ${table} where lead_id = $1`), [], table)
    }
    const rest = [
      ...(await read('select * from lead where id = $1')),
      ...(await read('select * from event where lead_id = $1')),
      ...(await read('select * from delivery where lead_id = $1')),
      ...(await read('select * from blocked where lead_id = $1')),
      ...(await read(`select * from delivery_try where delivery_id like $1 || '%'`)),
    ]
    // The number of a lead may have these four digits, too.
    assert.doesNotMatch(JSON.stringify(rest), /quux|0491 ?570/i)
  }
}
