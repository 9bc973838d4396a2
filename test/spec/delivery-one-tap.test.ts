import assert from 'node:assert/strict'
import test from 'node:test'
import { createTapLinks } from '../../src/lead/tap-link.ts'
import type { TapMove } from '../../src/lead/tap-link.ts'
import { openTestDelivery, ownersBrowser, secret } from '../support/delivery.ts'
import { eventsOf } from '../support/events.ts'
import { bot, robin } from '../support/people.ts'

const taps = createTapLinks(secret)
const day = 24 * 60 * 60_000

for (const [move, events] of [
  ['contacted', 2],
  ['consultation_booked', 3],
  ['not_suitable', 2],
  ['spam', 2],
] satisfies [TapMove, number][]) {
  test(`one tap marks a lead as ${move}; looking at the page does not`, async (t) => {
    const service = await openTestDelivery(t)
    const id = await service.take(robin)
    const path = taps.pathFor({ leadId: id, move }, service.clock.now)
    const state = async () => (await service.store.findLead(id))!.state
    for (const method of ['GET', 'HEAD', 'GET']) {
      assert.equal((await service.ask(method, path)).status, 200)
    }
    assert.equal(await state(), 'new')
    const page = await service.ask('GET', path)
    assert.equal(mainOf(page.text).match(/<button/g)?.length, 1)
    assert.doesNotMatch(page.text, /Robin|robin@/)
    assert.doesNotMatch(mainOf(page.text), /hardwood/)
    assert.ok(page.headers.includes('no-store') && page.headers.includes('noindex'))
    const done = await service.ask('POST', path, { headers: ownersBrowser })
    assert.deepEqual(
      [done.status, done.headers.at(done.headers.indexOf('Location') + 1)],
      [303, path],
    )
    assert.equal(await state(), move)
    await service.ask('POST', path, { headers: ownersBrowser })
    assert.equal((await eventsOf(service.store, id)).length, events)

    // For a day the page offers to take it back, and that is one more event.
    const after = await service.ask('GET', path)
    assert.match(after.text, /brings back: new\./)
    assert.equal((await service.ask('POST', path, { body: 'undo=1' })).status, 403)
    assert.equal(await state(), move)
    service.clock.now += day
    await service.ask('POST', path, { headers: ownersBrowser, body: 'undo=1' })
    assert.equal(await state(), 'new')
    assert.equal((await eventsOf(service.store, id)).length, events + 1)
    assert.equal(page.text, (await service.ask('GET', path)).text)

    await service.ask('POST', path, { headers: ownersBrowser })
    service.clock.now += day + 1
    assert.doesNotMatch(mainOf((await service.ask('GET', path)).text), /<button/)
    await service.ask('POST', path, { headers: ownersBrowser, body: 'undo=1' })
    assert.equal(await state(), move)
  })
}

for (const move of ['spam', 'not_suitable'] as const) {
  test(`a lead that was marked as contacted can still be marked as ${move}, and that undone`, async (t) => {
    const service = await openTestDelivery(t)
    const id = await service.take(robin)
    const state = async () => (await service.store.findLead(id))!.state
    const tap = async (to: TapMove, body = '') => {
      const path = taps.pathFor({ leadId: id, move: to }, service.clock.now)
      await service.ask('POST', path, { headers: ownersBrowser, body })
      service.clock.now += 60_000
      return state()
    }
    assert.equal(await tap('contacted'), 'contacted')
    assert.equal(await tap(move), move)
    assert.equal(await tap(move, 'undo=1'), 'contacted')
    assert.equal(await tap(move), move)
    const other = taps.pathFor({ leadId: id, move: 'consultation_booked' }, service.clock.now)
    const page = await service.ask('GET', other)
    if (move === 'spam') assert.match(page.text, /cannot go to[^]*brings back: contacted\./)
  })
}

test('what was released by mistake is held again, an undo stays, and a withdrawal is not undone', async (t) => {
  const service = await openTestDelivery(t)
  const id = await service.take(bot)
  const path = taps.pathFor({ leadId: id, move: 'new' }, service.clock.now)
  const state = async () => (await service.store.findLead(id))!.state
  await service.ask('POST', path, { headers: ownersBrowser })
  assert.equal(await state(), 'new')
  service.clock.now += 1_000
  await service.ask('POST', path, { headers: ownersBrowser, body: 'undo=1' })
  assert.equal(await state(), 'held')
  service.clock.now += 1_000
  await service.ask('POST', path, { headers: ownersBrowser, body: 'undo=1' })
  assert.equal(await state(), 'held')
  await service.withdraw(id)
  await service.ask('POST', path, { headers: ownersBrowser, body: 'undo=1' })
  assert.equal(await state(), 'withdrawn')
})

test('a link that was changed, made up or is too old does nothing', async (t) => {
  const service = await openTestDelivery(t)
  const id = await service.take(robin)
  const path = taps.pathFor({ leadId: id, move: 'spam' }, service.clock.now)
  const other = createTapLinks(Buffer.alloc(32, 8)).pathFor(
    { leadId: id, move: 'spam' },
    service.clock.now,
  )
  const changed = [...path].map((_, at) => path.slice(0, at) + 'x' + path.slice(at + 1)).slice(5)
  for (const wrong of [...changed, other, '/tap/', '/tap/x', `${path}=`, `${path}A`]) {
    if (wrong === path) continue
    assert.equal((await service.ask('POST', wrong)).status, 404, wrong)
  }
  service.clock.now += 31 * day
  const old = await service.ask('POST', path, { headers: ownersBrowser })
  assert.equal(old.status, 410)
  assert.equal((await service.store.findLead(id))!.state, 'new')
})

test('a move that is no longer possible is explained', async (t) => {
  const service = await openTestDelivery(t)
  const id = await service.take(robin)
  const lead = await service.store.findLead(id)
  await service.store.moveLead(lead!, { to: 'withdrawn', by: 'sender', at: service.clock.now })
  const path = taps.pathFor({ leadId: id, move: 'contacted' }, service.clock.now)
  const page = await service.ask('GET', path)
  assert.match(page.text, /withdrawn by the sender/)
  assert.doesNotMatch(mainOf(page.text), /<button/)
  assert.equal((await service.ask('POST', path, { headers: ownersBrowser })).status, 303)
  assert.equal((await service.store.findLead(id))!.state, 'withdrawn')
})

/** Without the menu in the head, which is a button on phones. */
function mainOf(page: string): string {
  return page.slice(page.indexOf('<main'))
}
