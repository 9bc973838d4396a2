import assert from 'node:assert/strict'
import test from 'node:test'
import { addNote, moveLead } from '../support/life.ts'
import { moveByMember } from '../support/acts.ts'
import { correctByMember } from '../../src/desk/details.ts'
import { actOn } from '../../src/lead/act.ts'
import { explainLost } from '../../src/lead/life.ts'
import { actPath, paths } from '../../src/doors/inbox/paths.ts'
import { fields } from '../../src/contract/fields.ts'
import { leadAt, typedOf } from '../support/desk.ts'
import { openInbox, robin, type InboxAnswer, type TestInbox } from '../support/inbox.ts'

const minute = 60_000
const email = 'zoe@example.com'

async function openWithLeads(inbox: TestInbox): Promise<void> {
  for (let index = 0; index < 3; index += 1) await inbox.store.leads.keep(leadAt(index))
  await inbox.store.leads.keep(leadAt(3, { name: 'Zoë', email, message: '=1+1' }))
  await inbox.store.leads.keep(leadAt(4, { name: 'Zoë', email }, { state: 'held' }))
}

const exportHeld = `${paths.export}?view=held`

test('a tab is exported as CSV or JSON, logged, under a name that names nobody', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await openWithLeads(inbox)
  assert.match((await browser.get(exportHeld)).text, /value="held" selected>Held \(1\)/)

  const csv = await browser.post(paths.export, { view: 'today', format: 'csv' })
  assert.equal(csv.status, 200)
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8; header=present')
  assert.equal(
    csv.headers['content-disposition'],
    'attachment; filename="requests-today-2026-11-16.csv"',
  )
  assert.equal(csv.headers['cache-control'], 'no-store')
  const lines = csv.text.split('\r\n')
  assert.match(lines[0]!, /^\ufeff"Received","Name"/)
  assert.equal(lines.length, 6)
  assert.match(lines[4]!, /"Zoë".*"'=1\+1"/)
  inbox.clock.now += 1
  const empty = await browser.post(paths.export, { view: 'spam', format: 'csv' })
  assert.deepEqual(empty.text.split('\r\n'), [lines[0], ''], 'its names, where there is no lead')

  inbox.clock.now += 1
  const json = await browser.post(paths.export, { view: 'all', format: 'json' })
  assert.match(json.headers['content-disposition']!, /"requests-all-2026-11-16\.json"/)
  assert.equal((JSON.parse(json.text) as object[]).length, 5)

  const [later, first] = [leadAt(4).id, leadAt(3).id]
  await browser.post(actPath(later, 'move'), { to: 'new' })
  await browser.post(actPath(later, 'join'), { join: first })
  assert.equal((await inbox.store.leads.find(later))!.joinedTo, first)
  assert.match((await browser.get(paths.export)).text, /selected>All \(5\)/, 'joined ones, too')

  const logged = inbox.lines.filter((line) => line.includes('"inbox":"export'))
  assert.match(logged[0]!, /"inbox":"export of today as csv","member":"/)
  assert.doesNotMatch(logged.join('\n'), /Zoë|zoe@/)
})

test('CSV is for a person: local times, words, a place, and a phone number that stays one', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const naomi = { name: 'Naomi', email, phone: '0491570113', postcode: '2481', message: 'A deck' }
  const unlisted = JSON.stringify({ preferred_day: 'Friday', size: 24 })
  await inbox.store.leads.keep(leadAt(1, naomi, { unlisted, door: 'mcp', agent: 'helper 2.1' }))
  const { id, reference, receivedAt } = leadAt(1)
  const lead = (await inbox.store.leads.find(id))!
  // After midnight in Sydney.
  const at = receivedAt + 13 * 60 * minute
  await addNote(inbox.store, lead, { at, memberId: 'ann', words: 'Rang' })
  const noted = (await inbox.store.leads.find(id))!
  await moveLead(inbox.store, noted, { to: 'contacted', by: 'owner', at })
  const phones = ['+61 491 570 112', '0255507788', '1300975707', '0491 570 006 after 5pm']
  for (const [n, phone] of phones.entries()) await inbox.store.leads.keep(leadAt(2 + n, { phone }))

  const { text } = await browser.post(paths.export, { view: 'all', format: 'csv' })
  const [names, ...rows] = text
    .slice(1)
    .split('\r\n')
    .map((row) => row.slice(1, -1).split('","'))
  // A field of a later version has a column of its own, which is empty here.
  const ownNames = fields.map(({ ownerLabel }) => [ownerLabel, ''])
  assert.deepEqual(Object.fromEntries(names!.map((name, n) => [name, rows[4]![n]])), {
    ...Object.fromEntries(ownNames),
    Received: '2026-11-15 11:01',
    Name: 'Naomi',
    Phone: '0491 570 113',
    'Second phone': '',
    Email: email,
    Street: '',
    Place: 'Byron Bay',
    Postcode: '2481',
    Message: 'A deck',
    State: 'contacted',
    Since: '2026-11-16 00:01',
    'Lost because': '',
    Sum: '',
    Next: '',
    'To do': '',
    'Visit place': '',
    'Came by': 'an agent (helper 2.1)',
    'Sent as': '',
    Notes: '2026-11-16 00:01 Rang',
    'Other fields': 'preferred_day: Friday\nsize: 24',
    Reference: reference,
    Id: id,
  })
  assert.deepEqual(
    rows.slice(0, 4).map((row) => row[2]),
    ['0491 570 006 after 5pm', '1300 975 707', '02 5550 7788', '0491 570 112'],
  )
})

test('a file for a spreadsheet has every field that the customer filled in', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const values = Object.fromEntries(fields.map(({ key, example }) => [key, example]))
  await inbox.store.leads.keep(leadAt(1, values))
  const { text } = await browser.post(paths.export, { view: 'all', format: 'csv' })
  for (const { key, ownerLabel, example } of fields) {
    assert.ok(text.includes(`"${example}"`), `${key}: is another column called ${ownerLabel}?`)
  }
})

test('an export has what the owner corrected and added, why a request was lost, and who has no email', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { store, clock } = inbox
  await store.leads.keep(leadAt(1, { name: 'Naomy', phone: '0491570113', email: '' }))
  const { id } = leadAt(1)
  const by = { leadId: id, by: 'owner', at: clock.now }
  const keysOf = () => []
  const typed = typedOf({
    name: 'Naomi',
    phone: '0491570113',
    secondPhone: '0255507788',
    postcode: '2481',
    street: '8 Dibbs Street',
  })
  await correctByMember(store, keysOf, by, typed)
  const follow = { at: clock.now + minute, what: 'ring' } as const
  for (const to of ['contacted', 'proposal_sent'] as const) {
    await moveByMember(store, by, to, { next: follow })
  }
  const csv = async () => {
    const { text } = await browser.post(paths.export, { view: 'all', format: 'csv' })
    const [names, row] = text.slice(1).split('\r\n')
    const cells = (line = '') => line.slice(1, -1).split('","')
    return Object.fromEntries(cells(names).map((name, n) => [name, cells(row)[n]]))
  }
  const sent = await csv()
  assert.deepEqual([sent['State'], sent['To do']], ['proposal sent', 'follow up'])
  await moveByMember(store, by, 'lost')
  await actOn(store, id, explainLost('timing', by))
  const lost = await csv()
  const shown = ['Name', 'Second phone', 'Email', 'Street', 'State', 'Lost because']
  assert.deepEqual(
    shown.map((name) => lost[name]),
    ['Naomi', '02 5550 7788', '', '8 Dibbs Street', 'lost', 'not the right time'],
  )
  const json = await browser.post(paths.export, { view: 'all', format: 'json' })
  const [lead] = JSON.parse(json.text) as Record<string, string>[]
  const { name_1: name, email_1: none, second_phone: phone, street, state, lost_why: why } = lead!
  assert.deepEqual(
    [name, none, phone, street, state, why, lead!['asked_at']],
    ['Naomi', '', '0255507788', '8 Dibbs Street', 'lost', 'timing', ''],
  )
})

test('a person who asks what is kept gets what she sent, and every correction of it', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { store, clock } = inbox
  await store.leads.keep(leadAt(1, { name: 'Naomy', phone: 'O491 570 113', email }))
  const { id } = leadAt(1)
  const typed = { phone: '0491 570 113', email, street: '8 Example Street' }
  for (const name of ['Noemi', 'Naomi']) {
    const by = { leadId: id, by: 'owner', at: clock.now }
    await correctByMember(store, () => [], by, typedOf({ ...typed, name }))
  }
  const { text } = await browser.post(actPath(id, 'export'), { format: 'json' })
  type Shown = { sent_as: object; events: { kind: string; data: { before?: object } }[] }
  const [lead] = JSON.parse(text) as Shown[]
  assert.deepEqual(lead!.sent_as, { name_1: 'Naomy', phone_1: 'O491 570 113', street: '' })
  const corrections = lead!.events.filter(({ kind }) => kind === 'lead.corrected')
  assert.deepEqual(
    corrections.map(({ data }) => (data.before as Record<string, string>)['name_1']),
    ['Naomy', 'Noemi'],
  )
  assert.doesNotMatch(text, /emailKey|phoneKey/)
  const csv = await browser.post(actPath(id, 'export'), { format: 'csv' })
  assert.match(csv.text, /"Name: Naomy\nPhone: O491 570 113"/)
})

test('one person is exported with all of his requests and their history', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  await openWithLeads(inbox)
  const path = actPath(leadAt(3).id, 'export')
  assert.doesNotMatch((await browser.get(path)).text, /value="person"/)
  const { text, headers } = await browser.post(path, { format: 'json' })
  assert.match(headers['content-disposition']!, /"requests-one-person-2026-11-16\.json"/)
  const leads = JSON.parse(text) as { id: string; events: object[] }[]
  assert.deepEqual(
    leads.map(({ id, events }) => [id, events.length]),
    [
      [leadAt(4).id, 1],
      [leadAt(3).id, 1],
    ],
  )
  const nobody = await browser.post(actPath(leadAt(9).id, 'export'), { format: 'json' })
  assert.equal(nobody.status, 404)
})

test('without a fresh proof nothing is exported, and signing in leads back to the same choice [sign-in.again]', async (t) => {
  const inbox = await openInbox(t)
  const { browser, member } = await inbox.member(robin)
  await openWithLeads(inbox)
  const person = actPath(leadAt(3).id, 'export')
  const again = async (asked: InboxAnswer): Promise<InboxAnswer> => {
    assert.deepEqual([asked.status, asked.headers['location']], [303, paths.signIn])
    return browser.post(await inbox.linkFor(member))
  }
  const held = { view: 'held', format: 'json' }
  const evil = { view: 'https://evil.example.com', format: 'csv' }
  for (const [ask, page] of [
    [() => browser.get(exportHeld), exportHeld],
    [() => browser.post(paths.export, held), exportHeld],
    [() => browser.post(paths.export, evil), paths.export],
    [() => browser.post(person, { format: 'json' }), person],
  ] as const) {
    inbox.clock.now += 11 * minute
    const back = await again(await ask())
    assert.equal(back.headers['location'], page)
    assert.doesNotMatch((await browser.get(page)).text, /evil/)
  }
  inbox.clock.now += 11 * minute
  await again(await browser.post(paths.export, held))
  const { text } = await browser.get(exportHeld)
  assert.match(text, /signed in again.*value="held" selected.*value="json" required checked/s)
  assert.doesNotMatch((await browser.get(exportHeld)).text, /signed in again/, 'once')
  assert.ok(!inbox.lines.some((line) => line.includes('"inbox":"export')))
})
