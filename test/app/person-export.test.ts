/** Who asks what is kept about him gets all of it in a file, and nothing of others. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { openLeads } from '../../src/store/open.ts'
import { leadAt } from '../support/desk.ts'
import { newInstallation } from '../support/engines.ts'
import { nowMs } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'

const hostile = `<script>alert('x')</script> & "Robin"`

test('all leads of one person are exported with history and notes', async (t) => {
  const { place } = await newInstallation(t)
  const { dataDir, env } = place
  const store = await openLeads({ DATA_DIR: dataDir, DATABASE_URL: env['DATABASE_URL'] })
  const robin = { name: 'Robin', email: 'robin@example.com', phone: '0491 570 006' }
  try {
    await store.keepLead(leadAt(1, { ...robin, message: hostile }))
    await store.keepLead(leadAt(2, { ...robin, email: 'other@example.com', message: 'by phone' }))
    await store.keepLead(leadAt(3, { name: 'Sam', email: 'sam@example.com', message: 'Sparrow' }))
    const first = (await store.findLead(leadAt(1).id))!
    await store.addNote(first, { at: nowMs, memberId: 'ann', words: 'Likes <b>merbau</b>' })
    await store.keepLead(leadAt(60 * 24 * 365, { ...robin, message: 'again' }))
  } finally {
    await store.close()
  }
  const { reference } = leadAt(1)
  const command = (...args: string[]) => leadIntake(place, ['leads', 'export', ...args])

  // Anybody can write a number.
  assert.doesNotMatch((await command('--person', reference)).out, /other@|by phone/)
  const json = await command('--person', reference, '--also-phone')
  assert.equal(json.code, 0, json.error)
  const leads = JSON.parse(json.out) as {
    reference: string
    textarea_1: string
    notes: { words: string }[]
    events: { kind: string }[]
  }[]
  assert.deepEqual(
    leads.map((lead) => lead.textarea_1),
    ['again', 'by phone', hostile],
  )
  const [, , whole] = leads
  assert.equal(whole!.reference, reference)
  assert.deepEqual(
    whole!.notes.map(({ words }) => words),
    ['Likes <b>merbau</b>'],
  )
  assert.deepEqual(
    whole!.events.map(({ kind }) => kind),
    ['lead.received', 'lead.noted'],
  )
  assert.doesNotMatch(json.out, /Sparrow|sam@/)

  assert.equal((await command('--person', reference, '--state', 'new')).code, 2)
  assert.equal((await command('--person', 'C-00000-00000')).code, 3)
})
