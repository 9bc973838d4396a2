/** Who asks what is kept about him gets all of it, as a file or a page, and nothing of others. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { PersonFile } from '../../src/desk/person.ts'
import { openLeads } from '../../src/store/open.ts'
import { leadAt } from '../support/desk.ts'
import { newInstallation } from '../support/engines.ts'
import { nowMs } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'

const hostile = `<script>alert('x')</script> & "Robin"`

test('all leads of one person are exported with history, notes and notices, as JSON and as a page', async (t) => {
  const { place } = await newInstallation(t)
  const { dataDir, env } = place
  const store = await openLeads({ DATA_DIR: dataDir, DATABASE_URL: env['DATABASE_URL'] })
  const robin = { name: 'Robin', email: 'robin@example.com', phone: '0491 570 006' }
  try {
    await store.keepLead(leadAt(1, { ...robin, message: hostile }, { deliverTo: ['mail'] }))
    await store.keepLead(leadAt(2, { ...robin, email: 'other@example.com', message: 'by phone' }))
    await store.keepLead(leadAt(3, { name: 'Sam', email: 'sam@example.com', message: 'Sparrow' }))
    const first = (await store.findLead(leadAt(1).id))!
    await store.addNote(first, { at: nowMs, memberId: 'ann', words: 'Likes <b>merbau</b>' })
    const now = nowMs + 1e9
    const [leased] = await store.leaseDeliveries({
      channel: 'mail',
      now,
      leaseUntil: now,
      limit: 1,
    })
    const note = { at: now, outcome: 'delivered', answer: '250', ms: 9 }
    await store.finishDelivery(leased!, { ending: { kind: 'delivered' }, at: now, note })
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
  const { leads } = JSON.parse(json.out) as PersonFile
  assert.deepEqual(
    leads.map(({ lead }) => lead['textarea_1']),
    ['again', 'by phone', hostile],
  )
  const [, , whole] = leads
  assert.equal(whole!.lead['reference'], reference)
  assert.deepEqual(
    whole!.notes.map(({ words }) => words),
    ['Likes <b>merbau</b>'],
  )
  assert.deepEqual(
    whole!.events.map(({ kind }) => kind),
    ['lead.received', 'lead.noted'],
  )
  assert.deepEqual(whole!.notices, [
    {
      notice: 'lead.received',
      channel: 'mail',
      outcome: 'delivered',
      tries: [{ at: new Date(nowMs + 1e9).toISOString(), outcome: 'delivered', answer: '250' }],
    },
  ])
  assert.doesNotMatch(json.out, /Sparrow|sam@/)

  const page = await command('--person', reference, '--also-phone', '--format', 'html')
  assert.equal(page.code, 0, page.error)
  assert.match(page.out, /Requests: 3, newest first/)
  assert.match(
    page.out,
    /&lt;script&gt;alert\(&#39;x&#39;\)&lt;\/script&gt; &amp; &quot;Robin&quot;/,
  )
  assert.doesNotMatch(page.out, /<script|Sparrow|sam@|src=|href=/)

  for (const wrong of [
    ['--format', 'html'],
    ['--person', reference, '--format', 'csv'],
    ['--person', reference, '--state', 'new'],
  ]) {
    assert.equal((await command(...wrong)).code, 2, wrong.join(' '))
  }
  assert.equal((await command('--person', 'C-00000-00000')).code, 3)
})
