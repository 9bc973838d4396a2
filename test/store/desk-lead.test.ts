/** One lead with everything that is known of it, its person, and what leaves by export. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { tellingOf } from '../../src/contract/notices.ts'
import { moveByMember, noteByMember } from '../../src/desk/acts.ts'
import { erasePerson } from '../../src/desk/person.ts'
import { pagesOfPerson, pagesOfView, recordExport, writeLeads } from '../../src/desk/export.ts'
import { readWholeLead } from '../../src/desk/whole-lead.ts'
import { areas, leadAt, openDesk } from '../support/desk.ts'
import { nowMs } from '../support/leads.ts'

test('a lead shows all that was told, why it was held, its story and the person’s other leads', async (t) => {
  const { store } = openDesk(t)
  const values = { name: 'Robin Example', email: 'robin@example.com', phone: '0491 570 006' }
  await store.keepLead(leadAt(1, { ...values, postcode: '2480' }))
  await store.keepLead(leadAt(2, { email: 'other@example.com', phone: '+61 491 570 006' }))
  const unlisted = '{"colour":"grey","steps":[1,2]}'
  const judgement = { score: 120, reasons: ['trap', 'links'] }
  await store.keepLead(
    leadAt(
      3,
      { ...values, email: 'ROBIN@example.com', postcode: '2480' },
      { unlisted, judgement, state: 'held' },
    ),
  )
  await store.keepLead(leadAt(4))
  const { id } = leadAt(3)
  const act = async () => {
    const lead = (await store.findLead(id))!
    return { leadId: id, version: lead.version, by: 'ann', at: nowMs + 9e6 + lead.version }
  }
  const tell = tellingOf(() => ['mail'])
  await moveByMember(store, { ...(await act()), tell }, 'new')
  await noteByMember(store, await act(), 'Wants to ring after six.')
  const [leased] = await store.leaseDeliveries({
    channel: 'mail',
    now: nowMs + 9e7,
    leaseUntil: nowMs + 9e8,
    limit: 1,
  })
  await store.finishDelivery(leased!, {
    ending: { kind: 'delivered' },
    at: nowMs + 9e7,
    note: { at: nowMs + 9e7, outcome: 'delivered', answer: '250', ms: 12 },
  })

  const parts = { store, areas }
  const { lead, notes, story, others, personKeys, ...rest } = (await readWholeLead(parts, id))!
  assert.equal(lead.id, id)
  assert.deepEqual(rest, {
    place: 'Lismore',
    unlisted: [
      { name: 'colour', text: 'grey' },
      { name: 'steps', text: '[1,2]' },
    ],
    whyHeld: ['the hidden field was filled in', 'many links'],
    moves: ['contacted', 'not_suitable', 'spam'],
    undoTo: 'held',
    isOpened: false,
  })
  assert.deepEqual(
    story.map((entry) =>
      entry.what === 'event'
        ? [entry.kind, entry.by, entry.to]
        : 'channel' in entry && [
            entry.what,
            entry.channel,
            entry.notice,
            'answer' in entry && entry.answer,
          ],
    ),
    [
      ['lead.held', '', undefined],
      ['lead.released', 'ann', 'new'],
      ['lead.noted', 'ann', undefined],
      ['try', 'mail', 'lead.released', '250'],
    ],
  )
  assert.deepEqual(
    notes.map(({ words }) => words),
    ['Wants to ring after six.'],
  )
  assert.deepEqual(
    others.map((row) => row.id),
    [leadAt(2).id, leadAt(1).id],
  )
  assert.equal(personKeys.length, 2)
  assert.doesNotMatch(personKeys.join(' '), /robin|491/i)
  assert.equal(await readWholeLead(parts, leadAt(9).id), undefined)

  const ofPerson = await store.leadsOfPerson(personKeys, { limit: 9 })
  assert.deepEqual(
    ofPerson.map((each) => each.id),
    [3, 2, 1].map((minute) => leadAt(minute).id),
  )
  const page = { limit: 9, before: leadAt(3).id }
  assert.equal((await store.leadsOfPerson(personKeys, page)).length, 2)
})

test('erasing a person goes by email, by phone too where that is asked for, and reaches nobody else [erase.person]', async (t) => {
  const { store, database } = openDesk(t)
  const person = { email: 'robin@example.com', phone: '0491 570 006' }
  for (let minute = 0; minute < 60; minute += 1) {
    await store.keepLead(leadAt(minute, { ...person, message: `Request ${minute}` }))
  }
  await store.keepLead(leadAt(60, { phone: '+61 491 570 006' }))
  await store.keepLead(leadAt(61))
  await store.keepLead(leadAt(62, { phone: '0491 570 006' }))
  const ofAll = { leadId: leadAt(5).id, by: 'ann', at: nowMs, alsoPhone: true }
  const ofEmail = { ...ofAll, leadId: leadAt(60).id, alsoPhone: false }
  assert.equal(await erasePerson(store, ofEmail), 1)
  assert.equal(await erasePerson(store, ofAll), 61)
  assert.deepEqual(
    [(await store.countStates(99)).erased, (await store.countStates(99)).new],
    [62, 1],
  )
  const [events = []] = await store.eventsOf([(await store.findLead(leadAt(5).id))!])
  assert.deepEqual(JSON.parse(events.at(-1)!.data), { from: 'new', to: 'erased', by: 'ann' })
  for (const table of ['person_key', 'search_doc']) {
    const rows = await database.execute(`select distinct lead_id from ${table}`)
    assert.deepEqual(
      rows.map((row) => row['lead_id']),
      [leadAt(61).id],
      table,
    )
  }
  assert.equal(await erasePerson(store, { ...ofAll, leadId: leadAt(99).id }), 0)
})

test('a tab or a person is exported page by page, and who did it is recorded', async (t) => {
  const { store } = openDesk(t)
  const email = 'robin@example.com'
  for (let minute = 0; minute < 300; minute += 1) {
    await store.keepLead(leadAt(minute, minute < 3 ? { email, message: '=1+1' } : {}))
  }
  const act = { leadId: leadAt(1).id, version: undefined, by: 'ann', at: nowMs }
  await noteByMember(store, act, '+61 is a "formula"')
  const read = async (pieces: AsyncIterable<string>) => {
    const texts: string[] = []
    for await (const piece of pieces) texts.push(piece)
    return texts
  }
  const csv = await read(writeLeads(store, pagesOfView(store, 'todo'), { format: 'csv' }))
  assert.equal(csv.length, 7, 'the names, and six pages')
  const lines = csv.join('').split('\r\n')
  assert.equal(lines.length, 302)
  assert.match(lines[0]!, /^"reference","id",.*,"notes"$/)
  assert.match(lines[1]!, new RegExp(`"${leadAt(0).id}".*"'=1\\+1"`))
  assert.match(lines[2]!, /"[-0-9TZ:.]+ \+61 is a ""formula"""$/)

  const { personKeys } = leadAt(0, { email })
  const options = { format: 'json', withEvents: true } as const
  const json = await read(writeLeads(store, pagesOfPerson(store, personKeys), options))
  const leads = JSON.parse(json.join('')) as { id: string; notes: object[]; events: object[] }[]
  assert.deepEqual(
    leads.map(({ id, notes, events }) => [id, notes.length, events.length]),
    [
      [leadAt(2).id, 0, 1],
      [leadAt(1).id, 1, 2],
      [leadAt(0).id, 0, 1],
    ],
  )
  const empty = await read(writeLeads(store, pagesOfView(store, 'spam'), { format: 'json' }))
  assert.deepEqual(JSON.parse(empty.join('')), [])

  const record = { format: 'csv', by: 'ann', at: nowMs } as const
  await Promise.all([
    recordExport(store, { ...record, of: { view: 'todo' } }),
    recordExport(store, { ...record, of: { personOf: leadAt(1).id } }),
    recordExport(store, { ...record, of: { view: 'all' }, by: 'ben' }),
  ])
  const exports = await store.listExports(10)
  assert.deepEqual(exports.map(({ memberId }) => memberId).toSorted(), ['ann', 'ann', 'ben'])
})
