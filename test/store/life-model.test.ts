/** The commands of `src/lead/life.test.ts` through the database, with a mail worker beside them. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { recipientsOf } from '../../src/contract/notices.ts'
import { readNotice, type Notice } from '../../src/delivery/notice.ts'
import { actOn, eraseLead, type ChangingStore } from '../../src/lead/act.ts'
import { hasSameEmail, isOpen } from '../../src/lead/life.ts'
import type { NamedVisit } from '../../src/store/deliveries/about.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import type { LeadChange } from '../../src/store/leads/changes.ts'
import { searchTextOf } from '../../src/store/leads/search-text.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { Store } from '../../src/store/store.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { leadAt } from '../support/desk.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import * as life from '../support/life-model.ts'

const sizeOfTrial = process.env['STORY_LIFE_COMMANDS']
/** The rules are the same on both engines, and SQLite answers sooner. */
const wanted = Number(sizeOfTrial ?? (onPostgres ? 500 : 1_000))
/** The trial has other commands each time. */
const seed = sizeOfTrial === undefined ? 39 : Date.now() % 1_000_000

/**
 * `told`: the visits that the person expects after the emails that left. `answered`: the last asking
 * for another time of each request that an email answered by keeping it. `unheard`: the requests that the
 * person took back, of which the owner has not heard yet.
 */
type Story = {
  person: life.Person
  at: number
  told: Told[]
  answered: Map<number, number>
  unheard: Set<string>
  blocked: life.Blocked
}
/** `which` of the two requests has the visit. `givenTo`: the request that it was moved to. `to`: whose email. */
type Told = { visit: NamedVisit; which: number; to: string; givenTo?: number }

test('the database holds what the rules say, and each email is true when it leaves [undo.move, move.overtaken, erase.shown]', async (t) => {
  const database = newDatabase(t)
  let [lives, run] = [0, 0]
  let opened = open()
  t.after(() => opened.store.close())
  const property = fc.asyncProperty(life.commands, async (all) => {
    const story = await begin(opened.store, (lives += 1))
    for (const [index, asked] of all.entries()) {
      run += 1
      // Opening a store takes as long as ten commands.
      if (index === 10 && lives % 4 === 0) {
        await opened.store.close()
        opened = open()
      }
      await act(opened, story, asked)
    }
    await end(opened.store, story)
    await checkForgotten(opened.engine, story)
  })
  await fc.assert(property, { numRuns: Math.ceil(wanted / 14), seed })
  t.diagnostic(JSON.stringify({ story: 'life', seed, lives, commands: run }))
  assert.ok(run >= wanted, `${run} commands`)

  function open() {
    const engine = database.open()
    const store = new Store(engine)
    store.leads.sendNoticesTo({ ...recipientsOf(() => ['mail']), 'lead.visit': ['sender'] })
    return { engine, store }
  }
})

async function begin(store: Store, n: number): Promise<Story> {
  const email = `quux${n}@example.com`
  const otherEmail = n % 3 === 1 ? `quux${n}-2@example.com` : email
  const person: life.Person = [
    await keep(store, 2 * n, { email, state: n % 3 === 0 ? 'held' : 'new' }),
    await keep(store, 2 * n + 1, { email: otherEmail, state: 'new' }),
  ]
  const { receivedAt: at } = person[1].lead
  return { person, at, told: [], answered: new Map(), unheard: new Set(), blocked: [] }
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
  const { person } = story
  story.at = life.timeOf(person, asked, story.at)
  const { at } = story
  if (asked.mail !== 'waits') await sendMail(store, story, asked.mail)
  for (const { lead } of person) await checkTold(store, story, lead)
  const [first, second] = life.stepsOf(person, asked, at)
  const isTaken = await take(store, story, first)
  if (isTaken && second && (await take(store, story, second))) carryTold(story, second)
  const today = await store.views.ofToday({ until: at, limit: 1_000 })
  for (const model of person) {
    life.checkMoment(
      model,
      at,
      today.some(({ id }) => id === model.lead.id),
    )
  }
  await checkBeside(engine, story)
}

/** What the tables beside the lead hold. */
async function checkBeside(engine: Engine, { person, blocked }: Story): Promise<void> {
  const ids = person.map(({ lead }) => lead.id)
  const read = (what: string, order: string) =>
    engine.read(`select ${what} where lead_id in ($1, $2) order by ${order}`, ids)
  const [searched, rows] = await Promise.all([
    read('words from search_doc', 'lead_id'),
    read('key, lead_id from blocked', 'key, lead_id'),
  ])
  const texts = person
    .filter(({ lead }) => lead.state !== 'erased')
    .map(({ lead, notes }) =>
      searchTextOf(
        lead,
        notes.map(({ words }) => words),
      ),
    )
  const words = (text: unknown) => String(text).trim().split(/ +/).sort().join(' ')
  assert.deepEqual(
    searched.map((row) => words(row['words'])),
    texts.map(words),
  )
  const expected = blocked.map(({ key, leadId }) => `${key} ${leadId}`)
  assert.deepEqual(
    rows.map((row) => `${row['key']} ${row['lead_id']}`),
    expected.sort(),
  )
}

/** Returns false if nothing was changed. */
async function take(store: Store, story: Story, step: life.Step): Promise<boolean> {
  const { person, at, unheard } = story
  const noted = life.noteMeanwhile(person[step.which]!, step, at)
  const interrupted = noted ? interrupt(store, noted) : store
  if (noted) person[step.which] = life.withChange(person[step.which]!, noted)
  const model = person[step.which]!
  const decision = life.decide(model, step)
  const isDone = decision.kind === 'change' || decision.kind === 'already'
  const outcome = await actOn(interrupted, model.lead.id, step.decide)
  assert.equal(outcome.kind, isDone ? 'done' : decision.kind)
  if (decision.kind === 'change') {
    const again = await store.leads.apply(model.lead, decision.change)
    assert.equal(again, undefined, 'a writer who read the lead before changes nothing')
    person[step.which] = life.withChange(model, decision.change)
    story.blocked = life.withBlocks(story.blocked, model.lead, decision.change)
    const { by } = decision.change.event.data
    const isTakenBack = by === 'sender' && step.what !== 'ask' && isOpen(model.lead)
    if (isTakenBack) unheard.add(model.lead.id)
  }
  const { before: _, ...expected } = person[step.which]!
  const stored = (await store.leads.find(model.lead.id))!
  const [notes, history] = await Promise.all([
    store.leads.notesOf([stored]),
    store.leads.historyOf(stored),
  ])
  assert.deepEqual({ lead: stored, ...history, notes }, expected)
  return decision.kind === 'change'
}

/** Makes another change once, after the lead was read. */
function interrupt(store: Store, change: LeadChange): ChangingStore {
  let isMade = false
  const leads: ChangingStore['leads'] = {
    find: (id) => store.leads.find(id),
    apply: (lead, decided) => store.leads.apply(lead, decided),
    async historyOf(lead) {
      const history = await store.leads.historyOf(lead)
      if (!isMade) await store.leads.apply(lead, change)
      isMade = true
      return history
    },
  }
  return { leads }
}

async function sendMail(store: Store, story: Story, mail: 'fails' | 'leaves'): Promise<void> {
  const { at } = story
  for (const channel of ['mail', 'sender']) {
    const lease = { channel, now: at, leaseUntil: at + 1, limit: 50 }
    for (const each of await store.deliveries.lease(lease)) {
      const dated = await readNotice(store, each, at, { timeZone: 'Australia/Sydney', hours: [] })
      const lead = story.person.map((model) => model.lead).find(({ id }) => id === each.leadId)
      // Emails of a life that failed may be left.
      if (lead === undefined) continue
      const note = { at, outcome: 'refused', answer: `450 ${lead.values.name}`, ms: 1 }
      const again = { ending: { kind: 'again', dueAt: at + 5 * minuteMs }, at, note } as const
      const done = { ending: { kind: dated ? 'delivered' : 'dropped' }, at } as const
      await store.deliveries.finish(each, mail === 'fails' ? again : done)
      if (dated && mail === 'leaves') checkEmail(story, lead, dated.notice)
    }
  }
}

function checkEmail(story: Story, lead: Lead, notice: Notice): void {
  const isGone = lead.state === 'withdrawn' || lead.state === 'erased'
  if (notice.kind === 'lead.withdrawn') {
    story.unheard.delete(lead.id)
    return assert.ok(isGone)
  }
  // A program hears of each move, also after the next one.
  assert.ok(!isGone || notice.kind === 'lead.state_changed', `${notice.kind}: ${lead.state}`)
  if (notice.kind !== 'lead.visit') return
  const { visit, before: told } = notice
  assert.deepEqual(visit, life.visitSeen(lead) ?? null)
  assert.ok((visit ?? told)!.at > story.at, 'the visit is over')
  assert.ok(visit !== null || lead.nextFor !== 'visit', 'hidden, but not called off')
  assert.ok(!['held', 'spam'].includes(lead.state), lead.state)
  checkNews(story, lead, { visit, told })
}

/** Once all emails have left, the person knows each visit that lies ahead, at her present address. */
async function checkTold(store: Store, { person, at, told }: Story, lead: Lead): Promise<void> {
  const which = person.findIndex((model) => model.lead === lead)
  const visit = life.visitSeen(lead)
  const isMailed = visit !== undefined && visit.at > at && lead.values.email !== ''
  const all = await store.deliveries.ofLead(lead.id)
  const isWaiting = all.some(({ kind, outcome }) => kind === 'lead.visit' && outcome === '')
  if (!isMailed || isWaiting) return
  const isKnown = (each: Told) =>
    each.which === which && each.to === lead.emailKey && isSame(each.visit, visit)
  assert.ok(told.some(isKnown), 'a visit that nobody told her of')
}

/** A visit went from one request to the other, or back, and with it what the person was told of it. */
function carryTold({ person, told }: Story, { what, which: giver }: life.Step): void {
  if (!hasSameEmail(person[0].lead, person[1].lead)) return
  if (what === 'give') {
    for (const each of told) if (each.which === giver) each.which = each.givenTo = 1 - giver
    return
  }
  for (const each of told) if (each.which === each.givenTo) each.which = 1 - each.givenTo
  for (const each of told) delete each.givenTo
}

type News = { visit: NamedVisit | null; told: NamedVisit | null }

/** An email replaces a visit that the person expects, calls it off, names the first one, or keeps it. */
function checkNews(story: Story, lead: Lead, news: News): void {
  const { person, told } = story
  const which = person.findIndex((model) => model.lead === lead)
  const isKept = news.visit !== null && isSame(news.told, news.visit)
  if (isKept) checkAnswer(story, which)
  const { emailKey: to } = lead
  const isOwn = (each: Told) => each.which === which && each.to === to
  // The email about one request can replace a visit that an email about the other one named, and a
  // visit is called off at the new address, too.
  const before = told.findLastIndex(
    (each) => isSame(each.visit, news.told) && (each.to === to || news.visit === null),
  )
  if (news.told === null) assert.deepEqual(told.filter(isOwn), [], 'a visit that she knows of')
  else assert.notEqual(before, -1, 'a visit that she does not know of')
  const [replaced] = news.told === null ? [] : told.splice(before, 1)
  if (news.visit === null) {
    // She hears it as one person, whichever addresses she had.
    story.told = told.filter((each) => each.which !== which)
    return
  }
  assert.ok(!told.some((each) => isOwn(each) && isSame(each.visit, news.visit)), 'told twice')
  told.push({ ...replaced, visit: news.visit, which, to })
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
  for (const [which, model] of person.entries()) {
    await eraseLead(store, { leadId: model.lead.id, at })
    person[which] = { ...model, lead: (await store.leads.find(model.lead.id))! }
  }
  await sendMail(store, { ...story, at: at + dayMs }, 'leaves')
  assert.deepEqual([...unheard], [], 'the owner never hears that the request was taken back')
}

async function checkForgotten(engine: Engine, { person }: Story): Promise<void> {
  for (const { lead } of person) {
    const read = (sql: string) => engine.read(sql, [lead.id])
    for (const table of ['search_doc', 'note', 'visit_before', 'detail_before', 'dedup']) {
      assert.deepEqual(await read(`select * from ${table} where lead_id = $1`), [], table)
    }
    const rest = [
      ...(await read('select * from lead where id = $1')),
      ...(await read('select * from event where lead_id = $1')),
      ...(await read('select * from delivery where lead_id = $1')),
      ...(await read('select * from blocked where lead_id = $1')),
      ...(await read(`select * from delivery_try where delivery_id like $1 || '%'`)),
    ]
    assert.doesNotMatch(JSON.stringify(rest), /quux|0491 570/i)
  }
}
