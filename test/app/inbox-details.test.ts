/** Correcting and completing a request: details, notes, and the links in what people wrote. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { fields as contractFields } from '../../src/contract/fields.ts'
import { actPath, leadPath, paths, type LeadAct } from '../../src/doors/inbox/paths.ts'
import { hourMs, minuteMs } from '../../src/time.ts'
import { openInbox, robin, sam, type TestBrowser } from '../support/inbox.ts'
import { everyField } from '../support/leads.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

const wendy = {
  name_1: 'Wendy Cho',
  email_1: 'wendy@exmaple.com',
  phone_1: '0491 570 006',
  text_1: '2479',
  textarea_1: 'A deck and a pergola',
}

const corrected = {
  name: 'Wendy Choi',
  phone: '0491 570 006',
  secondPhone: '(02) 5550 0100',
  email: 'wendy@example.com',
  postcode: '2479',
  street: '12 Example Street, Bangalow',
}

async function pageOf(browser: TestBrowser, id: string): Promise<string> {
  return (await browser.get(leadPath(id))).text
}

test('the page of a request shows every field that the customer filled in, and every form asks for it', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(everyField)
  const page = await pageOf(browser, id)
  const [toCorrect, toAdd] = [actPath(id, 'details'), paths.add]
  const forms = [await browser.get(toCorrect), await browser.get(toAdd)]
  for (const { key, example } of contractFields) {
    assert.ok(page.includes(`>${example}`), key)
    if (key === 'message') continue
    for (const { text } of forms) assert.match(text, new RegExp(`name="${key}"`))
  }
})

test('corrected details are used everywhere on the page, and what was sent stays readable', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  assert.match(await pageOf(browser, id), /href="[^"]*\/details">Correct, export or erase</)
  const form = (await browser.get(actPath(id, 'details'))).text
  assert.match(form, /name="email"\s+value="wendy@exmaple.com"/)
  const [, version = ''] = /name="version" value="(\d+)"/.exec(form)!
  const view = 'all'
  const saved = await browser.post(actPath(id, 'details'), { ...corrected, version, view })
  assert.deepEqual([saved.status, saved.headers['location']], [303, leadPath(id, { view })])

  const page = await pageOf(browser, id)
  assert.match(page, /<h1><bdi>Wendy Choi</)
  assert.match(page, /href="tel:0491570006">.*?Call<.*href="tel:0255500100">.*?Call\u00A02</s)
  assert.match(page, /mailto:wendy@example\.com/)
  assert.match(
    page,
    /<dt>Email<\/dt><dd><bdi>wendy@example.com<\/bdi>\s*<small>sent as: <bdi>wendy@exmaple.com</,
  )
  assert.match(page, /<dt>Name<\/dt><dd><bdi>Wendy Choi<\/bdi>\s*<small>sent as: <bdi>Wendy Cho</)
  assert.match(page, /<dt>Street and town<\/dt><dd><bdi>12 Example Street, Bangalow<\/bdi><\/dd>/)
  assert.match(page, /name="place" value="12 Example Street, Bangalow"/)
  assert.match(page, /maps\/search\/[^"]*query=12%20Example%20Street/)
  assert.match(page, /<p>Details corrected: <bdi>Wendy Choi</)
  assert.match(page, /You corrected the details: name, second phone, email, street and town\./)
  assert.match((await browser.get(actPath(id, 'details'))).text, /sent as: <bdi>wendy@exmaple.com</)
})

test('a correction is undone from the bar or the page, and takes no move along', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  await browser.post(actPath(id, 'details'), corrected)
  const page = await pageOf(browser, id)
  assert.match(page, />Undo: &quot;details corrected&quot;</)
  const [, of = ''] = /class="done".*?name="of" value="([^"]+)">Undo</s.exec(page)!
  await browser.post(actPath(id, 'undo'), { of })
  const { state, values, street } = (await inbox.store.leads.find(id))!
  assert.deepEqual([state, values.name, street ?? ''], ['contacted', 'Wendy Cho', ''])
  const undone = await pageOf(browser, id)
  assert.match(undone, /<p>Details as before: <bdi>Wendy Cho</)
  assert.match(undone, /You undid the correction\./)
  assert.doesNotMatch(undone, /sent as/)
})

test('after a correction by somebody else, the bar of a move offers no undo', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { browser: other } = await inbox.member(sam)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  await other.post(actPath(id, 'details'), corrected)
  const [, bar = ''] = /class="done" role="status">(.*?)<\/div>/s.exec(await pageOf(browser, id))!
  assert.match(bar, /Contacted/)
  assert.doesNotMatch(bar, /Undo/)
})

test('two members who correct at once: the second sees what the first typed, and loses nothing', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { browser: other } = await inbox.member(sam)
  const id = await inbox.take(wendy)
  const version = String((await inbox.store.leads.find(id))!.version)
  await other.post(actPath(id, 'details'), { ...corrected, version })
  const typed = { ...corrected, name: 'Wendy <Chow>', version }
  const refused = await browser.post(actPath(id, 'details'), typed)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /role="alert">The details were corrected since/)
  assert.match(refused.text, /name="name"\s+value="Wendy &lt;Chow&gt;".*now: <bdi>Wendy Choi</s)
  const [, newer = ''] = /name="version" value="(\d+)"/.exec(refused.text)!
  const again = await browser.post(actPath(id, 'details'), { ...typed, version: newer })
  assert.equal(again.status, 303)
  assert.equal((await inbox.store.leads.find(id))!.values.name, 'Wendy <Chow>')
})

test('a wrong detail is said, and everything typed is still there', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  const wrong = await browser.post(actPath(id, 'details'), { ...corrected, email: 'wendy at home' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /This email address doesn’t look right\./)
  assert.match(
    wrong.text,
    /name="email"\s+value="wendy at home"[^>]*aria-invalid="true"[^>]*autofocus/,
  )
  assert.match(wrong.text, /value="12 Example Street, Bangalow"/)
  const empty = await browser.post(actPath(id, 'details'), {})
  assert.match(empty.text, /Type a name, a number or an email\./)
})

test('a corrected number with a digit missing is asked about once, and one that stays is not', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take({ ...wendy, phone_1: '0491 570 0' })
  const correct = (fields: object) =>
    browser.post(actPath(id, 'details'), { ...corrected, phone: '0491 570 0', ...fields })
  assert.equal((await correct({ name: 'Wendy Chow' })).status, 303)
  const first = await correct({ secondPhone: '(02) 5550 010' })
  assert.equal(first.status, 400)
  assert.match(first.text, /role="alert">This number has 9 digits, Australian numbers have 10\./)
  assert.match(first.text, /name="secondPhone"\s+value="\(02\) 5550 010"[^>]*aria-invalid="true"/)
  const [, asked = ''] = /name="asked" value="([^"]*)"/.exec(first.text)!
  assert.equal((await correct({ secondPhone: '(02) 5550 010', asked })).status, 303)
  assert.equal((await inbox.store.leads.find(id))!.secondPhone, '(02) 5550 010')
})

test('who wrote a note can correct and remove it, and nobody else', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { browser: other } = await inbox.member(sam)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'note'), { words: 'Gate code 1234' })
  const page = await pageOf(browser, id)
  const [, number = ''] = /name="change-note" value="(\d+)"/.exec(page)!
  assert.match(page, /<summary>Edit<.*?name="note-\d"[^>]*>Gate code 1234<\/textarea>/s)
  assert.match(page, /Saved without words, it is removed for good\./)
  assert.doesNotMatch(await pageOf(other, id), /<summary>Edit</)

  const change = (as: TestBrowser, words: string) =>
    as.post(actPath(id, 'change-note'), { 'change-note': number, [`note-${number}`]: words })
  const refused = await change(other, 'No gate')
  assert.equal(refused.status, 409)
  assert.match(
    refused.text,
    /role="alert">Nothing was changed\. Only who wrote a note can change it\./,
  )
  const long = await change(browser, 'x'.repeat(4_001))
  assert.equal(long.status, 400)
  assert.match(long.text, /<details open>\s*<summary>Edit<.*?>x{4001}</s, 'what was typed is kept')

  const saved = await change(browser, 'Gate code 4321')
  assert.deepEqual([saved.status, saved.headers['location']], [303, `${leadPath(id)}#notes`])
  const after = await pageOf(browser, id)
  assert.match(after, /<p class="said" dir="auto">Gate code 4321<.*You changed a note\./s)
  assert.doesNotMatch(after, /1234/)

  assert.equal((await change(other, '')).status, 409)
  // A typed new note is saved, whatever button is pressed.
  const words = 'They have a dog'
  await browser.post(actPath(id, 'change-note'), { 'change-note': number, words })
  const [left, ...none] = await inbox.store.leads.notesOf([{ id }])
  assert.deepEqual([left?.words, none], [words, []])
  assert.match(await pageOf(browser, id), /You removed a note\./)
})

test('a number, an email and a link in a message or a note can be pressed', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const textarea_1 = 'Plans: https://example.com/plans\nMy wife is 0491 570 156 <b>'
  const id = await inbox.take({ ...wendy, textarea_1 })
  await browser.post(actPath(id, 'note'), { words: 'Her office: office@example.com' })
  const page = await pageOf(browser, id)
  const web = 'target="_blank" rel="noopener noreferrer nofollow"'
  assert.ok(
    page.includes(
      `Plans: <a href="https://example.com/plans" ${web}>https://example.com/plans</a>`,
    ),
  )
  assert.ok(page.includes('<a href="tel:0491570156">0491 570 156</a> &lt;b&gt;</p>'))
  assert.ok(page.includes('<a href="mailto:office@example.com">office@example.com</a></p>'))
})

test('a button of the page that is pressed twice at once does its work once, and refuses nobody', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  await browser.post(actPath(id, 'move'), { to: 'contacted' })
  await browser.post(actPath(id, 'note'), { words: 'Gate code 1234' })
  await browser.post(actPath(id, 'move'), { to: 'lost' })
  const [note] = await inbox.store.leads.notesOf([{ id }])
  const version = String((await inbox.store.leads.find(id))!.version)
  const twice = async (act: LeadAct, fields: Record<string, string>) => {
    const press = () => browser.post(actPath(id, act), { version, ...fields })
    const answers = await Promise.all([press(), press()])
    return answers.map(({ status }) => status)
  }
  assert.deepEqual(await twice('details', corrected), [303, 303])
  assert.deepEqual(await twice('lost', { why: 'timing' }), [303, 303])
  assert.deepEqual(await twice('change-note', { 'change-note': String(note!.number) }), [303, 303])
  const lead = (await inbox.store.leads.find(id))!
  assert.deepEqual([lead.values.name, lead.lostWhy], [corrected.name, 'timing'])
  const { events } = await inbox.store.leads.historyOf(lead)
  const count = (kind: string) => events.filter((event) => event.kind === kind).length
  assert.deepEqual([count('lead.corrected'), count('lead.explained')], [1, 1])
})

test('a note that is sent twice is one, with a move and alone; later, or by somebody else, it is another', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const { browser: other } = await inbox.member(sam)
  const id = await inbox.take(wendy)
  const move = () => browser.post(actPath(id, 'move'), { to: 'contacted', words: 'Gate code 1234' })
  const note = (by = browser) => by.post(actPath(id, 'note'), { words: 'Rang twice' })
  for (const press of [move, note]) {
    const atOnce = await Promise.all([press(), press()])
    const answers = [...atOnce, await press()]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303],
    )
  }
  const notes = async () => {
    const all = await inbox.store.leads.notesOf([{ id }])
    return all.map(({ words }) => words)
  }
  assert.deepEqual(await notes(), ['Gate code 1234', 'Rang twice'])
  await note(other)
  assert.equal((await notes()).length, 3)
  inbox.clock.now += minuteMs
  await note()
  assert.equal((await notes()).length, 4)
})

test('a visit from a page that filled in the street of before is not saved, and no email has that street [move.overtaken]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail, { env: { VISIT_TO_SENDER: 'on' } })
  const { browser } = await inbox.member(robin)
  const { browser: other } = await inbox.member(sam)
  const id = await inbox.take({ ...wendy, textarea_1: 'A deck at 12 Example Street, Bangalow' })
  const page = await pageOf(browser, id)
  const shown = /name="version" value="(\d+)".*name="place" value="([^"]*)"/s
  const [, version = '', place = ''] = shown.exec(page)!
  assert.match(place, /^12 Example Street/)
  const details = { ...corrected, email: wendy.email_1, street: '77 Right Road, Lismore' }
  await other.post(actPath(id, 'details'), details)

  const visit = { book: 'visit', day: '2026-11-26', time: '10:00', shown: '1' }
  const refused = await browser.post(actPath(id, 'move'), { ...visit, version, place })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /role="alert">.*just now, so nothing was changed\. Look at the place /)
  assert.match(refused.text, /value="2026-11-26".*value="10:00"/s, 'what was typed is still there')
  const [, newer = '', corrects = ''] = shown.exec(refused.text)!
  assert.equal(corrects, '77 Right Road, Lismore')
  const asked = { ...visit, day: '2026-11-01', version, place }
  const doubtful = await browser.post(actPath(id, 'move'), asked)
  assert.match(doubtful.text, /in the past/)
  assert.equal(shown.exec(doubtful.text)![2], corrects, 'also where the day is asked about')
  const again = { ...visit, version: newer, place: corrects }
  assert.equal((await browser.post(actPath(id, 'move'), again)).status, 303)
  await inbox.pass(2 * minuteMs)
  const emails = await Promise.all(mail.emails.map(parseEmail))
  const about = emails.filter(({ subject }) => subject?.startsWith('Your Consultation'))
  assert.deepEqual(
    about.map(({ text }) => /I will come to (.*)\./.exec(text!)?.[1]),
    ['77 Right Road, Lismore'],
  )
})

test('a correction of the street stops no date that has no place, or has the new street [move.overtaken]', async (t) => {
  const inbox = await openInbox(t)
  const { browser } = await inbox.member(robin)
  const id = await inbox.take(wendy)
  const version = String((await inbox.store.leads.find(id))!.version)
  await browser.post(actPath(id, 'details'), corrected)
  const ring = String(inbox.clock.now + hourMs)
  const rung = await browser.post(actPath(id, 'plan'), { ring, version, place: 'the old one' })
  assert.equal(rung.status, 303)
  const next = String((await inbox.store.leads.find(id))!.version)
  const moved = { ...corrected, street: '77 Right Road, Lismore' }
  await browser.post(actPath(id, 'details'), moved)
  const visit = { book: 'visit', day: '2026-11-26', time: '10:00', place: moved.street }
  assert.equal((await browser.post(actPath(id, 'move'), { ...visit, version: next })).status, 303)
  assert.equal((await inbox.store.leads.find(id))!.visitPlace, moved.street)
})
