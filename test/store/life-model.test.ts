/** The commands of `src/lead/life.test.ts` through the database, with a mail worker beside them. */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { tellingOf } from '../../src/contract/notices.ts'
import { readNotice, type Notice } from '../../src/delivery/notice.ts'
import { actOn, eraseLead } from '../../src/lead/act.ts'
import type { ToldVisit } from '../../src/store/deliveries/about.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { leadAt } from '../support/desk.ts'
import { newDatabase, type TestDatabase } from '../support/engines.ts'
import * as life from '../support/life-model.ts'

const wanted = Number(process.env['STORY_LIFE_COMMANDS'] ?? 500)
/** The trial has other commands each time. */
const seed = wanted > 500 ? Date.now() % 1_000_000 : 39

/** `told`: the visits that emails have named. */
type Story = { model: life.ModelLead; at: number; told: (ToldVisit | null)[] }

test('the database holds what the rules say, and each email is true when it leaves [undo.move, move.overtaken, erase.shown]', async (t) => {
  const database = newDatabase(t)
  let [leads, run] = [0, 0]
  const property = fc.asyncProperty(life.commands, async (all) => {
    const story = {} as Story
    await inStore(database, async (store) => {
      Object.assign(story, await begin(store, (leads += 1)))
      for (const each of all.slice(0, 15)) await step(store, story, each)
    })
    // The store is opened again in the middle of each life.
    await inStore(database, async (store) => {
      for (const each of all.slice(15)) await step(store, story, each)
      await end(store, story)
    })
    await checkForgotten(database, story.model.lead)
    run += all.length
  })
  await fc.assert(property, { numRuns: Math.ceil(wanted / 16), seed })
  t.diagnostic(JSON.stringify({ story: 'life', seed, leads, commands: run }))
  assert.ok(run >= wanted, `${run} commands`)
})

async function inStore(database: TestDatabase, use: (store: Store) => Promise<void>) {
  const store = openStore(database.open())
  store.tellTo({ ...tellingOf(() => ['mail']), 'lead.visit': ['sender'] })
  try {
    await use(store)
  } finally {
    await store.close()
  }
}

async function begin(store: Store, n: number): Promise<Story> {
  const words = { name: 'Quux', email: 'quux@example.com', message: 'A quux deck' }
  const state = n % 3 === 0 ? 'held' : 'new'
  const sent = leadAt(n, words, { state, deliverTo: ['mail', 'sender'] })
  await store.keepLead(sent)
  const lead = (await store.findLead(sent.id))!
  const { events } = await store.historyOf(lead)
  return { model: life.toModel(lead, events), at: sent.receivedAt, told: [] }
}

async function step(store: Store, story: Story, each: life.Command): Promise<void> {
  story.at += each.passMs
  if (each.mail !== 'waits') await sendMail(store, story, each.mail)
  const { model, at } = story
  const { lead } = model
  const decision = life.decide(model, each, at)
  const isDone = decision.kind === 'change' || decision.kind === 'already'
  const outcome = await actOn(store, lead.id, life.toDecide(model, each, at))
  assert.equal(outcome.kind, isDone ? 'done' : decision.kind)
  if (decision.kind === 'change') {
    const again = await store.applyChange(lead, decision.change)
    assert.equal(again, undefined, 'a writer who read the lead before changes nothing')
    story.model = life.withChange(model, decision.change)
  }
  const { before: _, ...expected } = story.model
  const stored = (await store.findLead(lead.id))!
  assert.deepEqual({ lead: stored, ...(await store.historyOf(stored)) }, expected)
}

async function sendMail(store: Store, story: Story, mail: 'fails' | 'leaves'): Promise<void> {
  const { at } = story
  for (const channel of ['mail', 'sender']) {
    const lease = { channel, now: at, leaseUntil: at + 1, limit: 50 }
    for (const each of await store.leaseDeliveries(lease)) {
      const dated = await readNotice(store, each, at, { timeZone: 'Australia/Sydney', hours: [] })
      const again = { kind: 'again', dueAt: at + 5 * minuteMs } as const
      const done = { kind: dated ? 'delivered' : 'dropped' } as const
      await store.finishDelivery(each, { ending: mail === 'fails' ? again : done, at })
      if (dated && mail === 'leaves') checkEmail(story, dated.notice)
    }
  }
}

function checkEmail({ model: { lead }, at, told }: Story, notice: Notice): void {
  const isGone = lead.state === 'withdrawn' || lead.state === 'erased'
  if (notice.kind === 'lead.withdrawn') return assert.ok(isGone)
  // A program hears of each move, also after the next one.
  assert.ok(!isGone || notice.kind === 'lead.state_changed', `${notice.kind}: ${lead.state}`)
  if (notice.kind !== 'lead.visit') return
  const [seen, before] = [life.visitSeen(lead) ?? null, told.at(-1) ?? null]
  assert.deepEqual([notice.visit, notice.before], [seen, before])
  assert.notDeepEqual(seen, before, 'told twice')
  assert.ok((seen ?? before)!.at > at, 'the visit is over')
  assert.ok(seen !== null || lead.nextFor !== 'visit', 'hidden, but not called off')
  assert.ok(!['held', 'spam', 'won'].includes(lead.state), lead.state)
  told.push(seen)
}

/** Erases the lead, and lets its last email leave, so that the next life begins without any. */
async function end(store: Store, story: Story): Promise<void> {
  const { lead } = story.model
  await eraseLead(store, { leadId: lead.id, at: story.at })
  const model = { ...story.model, lead: (await store.findLead(lead.id))! }
  await sendMail(store, { ...story, model, at: story.at + dayMs }, 'leaves')
}

async function checkForgotten({ execute }: TestDatabase, { id }: Pick<Lead, 'id'>): Promise<void> {
  for (const table of [
    'search_doc',
    'note',
    'visit_before',
    'dedup',
    'delivery',
    'event',
    'lead',
  ]) {
    const key = table === 'lead' ? 'id' : 'lead_id'
    const rows = await execute(`select * from ${table} where ${key} = '${id}'`)
    assert.doesNotMatch(JSON.stringify(rows), /quux/i, table)
  }
}
