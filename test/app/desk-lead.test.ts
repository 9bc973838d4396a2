import assert from 'node:assert/strict'
import test from 'node:test'
import { erasePerson } from '../../src/desk/erase.ts'
import { leadAt, openDesk } from '../support/desk.ts'
import { nowMs } from '../support/leads.ts'

test('erasing a person goes by email, by phone too where that is asked for, and reaches nobody else [erase.person]', async (t) => {
  const { store, database } = openDesk(t)
  const person = { email: 'robin@example.com', phone: '0491 570 006' }
  for (let minute = 0; minute < 60; minute += 1) {
    await store.leads.keep(leadAt(minute, { ...person, message: `Request ${minute}` }))
  }
  await store.leads.keep(leadAt(60, { phone: '+61 491 570 006' }))
  await store.leads.keep(leadAt(61))
  await store.leads.keep(leadAt(62, { phone: '0491 570 006' }))
  const countErased = async () => (await store.views.countStates(99)).erased
  const about = { leadId: leadAt(5).id, by: 'ann', at: nowMs }
  await erasePerson(store, { ...about, leadId: leadAt(60).id }, false)
  assert.equal(await countErased(), 1)
  await erasePerson(store, about, true)
  assert.deepEqual([await countErased(), (await store.views.countStates(99)).new], [62, 1])
  const [events = []] = await store.leads.eventsOf([(await store.leads.find(leadAt(5).id))!])
  assert.deepEqual(JSON.parse(events.at(-1)!.data), { from: 'new', to: 'erased', by: 'ann' })
  for (const left of [
    'select lead_id as id from search_doc',
    `select id from lead where email_key <> '' or phone_key <> ''`,
  ]) {
    const rows = await database.execute(left)
    assert.deepEqual(
      rows.map((row) => row['id']),
      [leadAt(61).id],
      left,
    )
  }
  await erasePerson(store, { ...about, leadId: leadAt(99).id }, true)
  assert.equal(await countErased(), 62)
})
