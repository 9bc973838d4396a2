import assert from 'node:assert/strict'
import test from 'node:test'
import { createTapLinks } from '../../src/lead/tap-link.ts'
import type { TapMove } from '../../src/lead/tap-link.ts'
import { openTestDelivery, ownersBrowser, secret } from '../support/delivery.ts'
import { eventsOf } from '../support/events.ts'
import { robin } from '../support/people.ts'

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
    assert.equal(page.text.match(/<button/g)?.length, 1)
    assert.doesNotMatch(page.text, /Robin|hardwood|robin@/)
    assert.ok(page.headers.includes('no-store') && page.headers.includes('noindex'))
    const done = await service.ask('POST', path, { headers: ownersBrowser })
    assert.deepEqual(
      [done.status, done.headers.at(done.headers.indexOf('Location') + 1)],
      [303, path],
    )
    assert.equal(await state(), move)
    assert.doesNotMatch((await service.ask('GET', path)).text, /<button/)
    await service.ask('POST', path, { headers: ownersBrowser })
    assert.equal((await eventsOf(service.store, id)).length, events)
  })
}

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
  assert.doesNotMatch(page.text, /<button/)
  assert.equal((await service.ask('POST', path, { headers: ownersBrowser })).status, 303)
  assert.equal((await service.store.findLead(id))!.state, 'withdrawn')
})
