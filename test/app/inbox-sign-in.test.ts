/** Signing in, as pages: what the database has to keep is in `test/store/inbox-sign-in.test.ts`. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { leadAt } from '../support/desk.ts'
import { mailedCode, openInbox, robin, sam, type TestBrowser } from '../support/inbox.ts'
import { openMailSink, type MailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

const minute = 60_000
const hour = 60 * minute
const cookieName = '__Host-inbox'

test('whoever opens a request from an email signs in first, and then sees it [sign-in.email]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  await inbox.member(robin)
  const lead = leadAt(1, { name: 'Zoë' })
  await inbox.store.leads.keep(lead)
  const browser = inbox.browser()
  const refused = await browser.get(leadPath(lead.id))
  assert.deepEqual([refused.status, refused.headers['location']], [303, paths.signIn])
  await browser.post(paths.signIn, { email: robin.email })
  const done = await browser.post(paths.signInCode, { code: await mailedCode(mail, 1) })
  assert.equal(done.headers['location'], leadPath(lead.id))
  assert.match((await browser.get(leadPath(lead.id))).text, /Zoë/)

  await browser.post(paths.signOut, {})
  await browser.get(`${paths.lead}..%2F..%2Fevil`)
  await browser.post(paths.signIn, { email: robin.email })
  const again = await browser.post(paths.signInCode, { code: await mailedCode(mail, 2) })
  assert.equal(again.headers['location'], paths.list, 'once only')
})

test('an unknown email is answered like a known one, without waiting for the email [sign-in.stranger]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  await inbox.member(robin)
  // The mail server never answers: an answer that waited for it would not come.
  mail.mood = { onData: 'hang' }
  const seen = async (email: string) => {
    const browser = inbox.browser({ network: email })
    const pages = [await browser.post(paths.signIn, { email }), await browser.get(paths.signInCode)]
    for (let n = 0; n < 6; n += 1) {
      pages.push(await browser.post(paths.signInCode, { code: 'AAAA AAAA' }))
    }
    for (let n = 0; n < 3; n += 1) pages.push(await browser.post(paths.signIn, { email }))
    return pages.map(({ cookies, ...page }) => ({
      ...page,
      cookies: cookies.map((cookie) => cookie.replace(/=[\w-]{43};/, '=…;')),
    }))
  }
  const ofStranger = await seen('stranger@example.com')
  assert.deepEqual(await inbox.database.execute('select * from ticket'), [], 'nothing is stored')
  assert.deepEqual(await seen(robin.email), ofStranger)
  // The fourth email in an hour is refused, to both.
  assert.deepEqual(
    ofStranger.map(({ status }) => status),
    [303, 200, 403, 403, 403, 403, 403, 403, 303, 303, 429],
  )
})

test('what is no email of at most 254 characters is refused, and counts for nothing [sign-in.stranger]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  await inbox.member(robin)
  const browser = inbox.browser()
  const long = `${'x'.repeat(64_000)}@example.com`
  const tooLong = `x@${'long.'.repeat(50)}example.com`
  for (const email of ['', 'robin', 'robin@', '@', long, tooLong]) {
    // The fourth ask of an address would be one too many.
    for (let n = 0; n < 4; n += 1) {
      const refused = await browser.post(paths.signIn, { email })
      assert.deepEqual([refused.status, refused.cookies], [400, []], email.slice(0, 20))
      assert.match(refused.text, /Type your email address/)
    }
  }
})

test('a browser that was signed in before has emails of its own, whatever its network asks for [sign-in.shut]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  const { browser: samsBrowser } = await inbox.member(sam)
  // Behind a proxy that does not name its clients everybody has one network.
  for (let n = 0; n < 10; n += 1) await inbox.browser().post(paths.signIn, { email: robin.email })
  await until(() => mail.emails.length >= 3, 'the emails of the strangers have come')
  await browser.post(paths.signOut)
  assert.equal((await samsBrowser.post(paths.signIn, { email: robin.email })).status, 429)
  await browser.post(paths.signIn, { email: robin.email })
  const done = await browser.post(paths.signInCode, { code: await mailedCode(mail, 4) })
  assert.equal(done.headers['location'], paths.list)
  for (let n = 0; n < 5; n += 1) {
    assert.equal((await browser.post(paths.signIn, { email: robin.email })).status, 303)
  }
  const limited = await browser.post(paths.signIn, { email: robin.email })
  assert.equal(limited.status, 429)
  assert.ok(Number(limited.headers['retry-after']) > 0)
})

test('strangers who ask for codes from everywhere use up few emails, and shut out no known browser [sign-in.shut]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  await browser.post(paths.signOut)
  const floodOfAsks = async () => {
    const statuses = new Set<number>()
    for (let n = 0; n < 300; n += 1) {
      const stranger = inbox.browser({ network: `198.51.100.${n % 60}` })
      statuses.add((await stranger.post(paths.signIn, { email: robin.email })).status)
    }
    return statuses
  }
  const newBrowser = (network: string) => inbox.browser({ network })

  assert.deepEqual(await floodOfAsks(), new Set([303, 429]))
  const shutOut = newBrowser('203.0.113.9')
  const asked = await shutOut.post(paths.signIn, { email: robin.email })
  assert.deepEqual([asked.status, asked.headers['location']], [303, paths.signInCode])
  const page = await shutOut.get(paths.signInCode)
  assert.match(
    page.text,
    /at most 20 codes an hour.* A passkey, or the command <code>.*inbox link/s,
  )
  await until(() => mail.emails.length >= 20, 'twenty emails have come')
  await browser.post(paths.signIn, { email: robin.email })
  const done = await browser.post(paths.signInCode, { code: await mailedCode(mail, 21) })
  assert.equal(done.headers['location'], paths.list, 'the known browser has an email of its own')
  assert.equal(mail.emails.length, 21)

  inbox.clock.now += hour
  const later = newBrowser('203.0.113.10')
  await later.post(paths.signIn, { email: robin.email })
  const laterDone = await later.post(paths.signInCode, { code: await mailedCode(mail, 22) })
  assert.equal(laterDone.headers['location'], paths.list)
  // 20 emails in the first hour, 20 in this, 20 in the next one, and then none until tomorrow.
  for (const _ of [1, 2, 3]) {
    await floodOfAsks()
    inbox.clock.now += hour
  }
  await until(() => mail.emails.length >= 61, 'sixty emails, and that of the known browser')
  inbox.clock.now += 20 * hour
  const tomorrow = newBrowser('203.0.113.11')
  await tomorrow.post(paths.signIn, { email: robin.email })
  const last = await tomorrow.post(paths.signInCode, { code: await mailedCode(mail, 62) })
  assert.equal(last.headers['location'], paths.list)
  assert.equal(mail.emails.length, 62)
})

test("asks for addresses that are nobody's use up no code of a member [sign-in.shut]", async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  await inbox.member(robin)
  for (let n = 0; n < 100; n += 1) {
    await inbox.browser().post(paths.signIn, { email: `nobody${n}@example.com` })
  }
  const browser = inbox.browser()
  await browser.post(paths.signIn, { email: robin.email })
  const done = await browser.post(paths.signInCode, { code: await mailedCode(mail, 1) })
  assert.equal(done.headers['location'], paths.list)
})

test('without mail no code can be asked for, and the page does not offer it', async (t) => {
  const inbox = await openInbox(t)
  await inbox.member(robin)
  const browser = inbox.browser()
  assert.doesNotMatch((await browser.get(paths.signIn)).text, /Email me a code/)
  const asked = await browser.post(paths.signIn, { email: robin.email })
  assert.deepEqual([asked.status, asked.cookies], [409, []])
})

test('the session cookie: its attributes, and what is no cookie of ours', async (t) => {
  const inbox = await openInbox(t)
  const signedIn = inbox.browser()
  const { cookies } = await signedIn.post(await inbox.linkFor(), robin)
  assert.match(
    cookies.at(-1)!,
    /^__Host-inbox=[\da-f-]{36}\.[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const value = signedIn.jar.get(cookieName)!
  const own = `${cookieName}=${value}`
  const status = async (cookie: string) =>
    (await inbox.browser().get(paths.list, { cookie })).status
  assert.equal(await status(own), 200)
  assert.equal(await status(`a=b; ${own}; c=d`), 200)
  const [id, secret] = value.split('.')
  for (const cookie of [
    `${cookieName}=x; ${own}`,
    `inbox=${value}`,
    `${own}x`,
    `${cookieName}="${value}"`,
    `${cookieName}=${id}.${'A'.repeat(43)}`,
    `${cookieName}=${id}.`,
    `${cookieName}=${id}`,
    `${cookieName}=${secret}.${id}`,
    `${cookieName}=`,
  ]) {
    assert.equal(await status(cookie), 303, cookie)
  }
  // The secret is not in the database.
  const stored = JSON.stringify(await inbox.database.execute('select * from session'))
  assert.ok(stored.includes(id!) && !stored.includes(secret!))
})

test('signing in again: for ten minutes, in one browser, and back with what was typed [sign-in.again, sign-in.words]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(robin)
  const other = inbox.browser()
  await signInByCode(other, mail, robin.email)
  inbox.clock.now += 11 * minute
  const typed = { name: 'Mai', email: 'mai@example.com' }
  const add = (who: TestBrowser, n: number) =>
    who.post(paths.members, { ...typed, email: `mai${n}@example.com` })
  for (const who of [browser, other]) {
    assert.equal((await add(who, 1)).headers['location'], paths.signIn)
  }
  const page = await browser.get(paths.signIn)
  assert.match(page.text, /<h1>Sign in again.*name="email" value="robin@example\.com"/s)
  assert.equal((await browser.get(paths.list)).status, 200, 'he is signed in all the while')

  const done = await signInByCode(browser, mail, robin.email)
  assert.equal(done.headers['location'], paths.members)
  const back = await browser.get(paths.members)
  assert.match(back.text, /signed in again.*value="Mai".*value="mai1@example\.com"/s)
  assert.equal((await inbox.access.listMembers()).length, 1, 'nothing was done yet')
  assert.equal((await add(browser, 1)).headers['location'], paths.members)
  await until(() => mail.emails.length === 3, 'the invitation has come')
  assert.doesNotMatch((await browser.get(paths.members)).text, /signed in again/)
  assert.equal((await add(other, 2)).headers['location'], paths.signIn, 'not the other browser')
  inbox.clock.now += 11 * minute
  assert.equal((await add(browser, 3)).headers['location'], paths.signIn, 'ten minutes later')

  // Without a page that asks for it, a member who opens the sign-in page is sent on.
  const third = inbox.browser()
  await signInByCode(third, mail, robin.email)
  inbox.clock.now += 11 * minute
  assert.equal((await third.get(paths.signIn)).headers['location'], paths.list)
})

test('a search and a move that were sent after the session had ended are there again [sign-in.words]', async (t) => {
  const inbox = await openInbox(t)
  const { member, browser } = await inbox.member(robin)
  for (const [path, fields, page] of [
    [paths.search, { q: 'steep block' }, paths.list],
    [paths.moves, { to: 'spam', view: 'held', lead: 'x' }, `${paths.list}?view=held`],
  ] as const) {
    await inbox.access.endSessions(member.id)
    await browser.post(path, fields)
    const back = await browser.post(await inbox.linkFor(member))
    assert.equal(back.headers['location'], page)
    assert.match((await browser.get(page)).text, /Nothing has been changed yet/)
  }
  await inbox.access.endSessions(member.id)
  await browser.post(paths.search, { q: 'steep block' })
  await browser.post(await inbox.linkFor(member))
  assert.match((await browser.get(paths.list)).text, /value="steep block"/)
  // Signing out forgets it.
  await inbox.access.endSessions(member.id)
  await browser.post(paths.search, { q: 'steep block' })
  await browser.post(paths.signOut)
  await browser.post(await inbox.linkFor(member))
  assert.doesNotMatch((await browser.get(paths.list)).text, /steep block/)
})

test('a way back that is not ours, or that we did not seal, leads to the list', async (t) => {
  const inbox = await openInbox(t)
  const { member } = await inbox.member(robin)
  const browser = inbox.browser()
  for (const path of [`${paths.lead}..%2F..%2Fevil`, `${paths.lead}//evil.example.com`]) {
    await browser.get(path)
    const done = await browser.post(await inbox.linkFor(member))
    assert.doesNotMatch(done.headers['location']!, /evil/)
    await browser.post(paths.signOut)
  }
  browser.jar.set('__Host-inbox-back0', '//evil.example.com')
  const done = await browser.post(await inbox.linkFor(member))
  assert.equal(done.headers['location'], paths.passkeys)
})

test('nobody ends his own membership, so the last member stays', async (t) => {
  const inbox = await openInbox(t)
  const { member, browser } = await inbox.member(robin)
  await browser.post(paths.endMember, { id: member.id })
  assert.equal((await browser.get(paths.list)).status, 200)
})

test('the log says what happened to which member, and no name, email, code or token [log.private]', async (t) => {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { member, browser } = await inbox.member(robin)
  const link = await inbox.linkFor(member)
  await browser.post(link)
  await browser.post(paths.signIn, { email: robin.email })
  const code = await mailedCode(mail, 1)
  await browser.post(paths.signInCode, { code })
  await browser.post(paths.members, sam)
  const log = inbox.lines.join('\n')
  assert.match(log, new RegExp(`"inbox":"in by link","member":"${member.id}"`))
  assert.match(log, /"inbox":"in by code"/)
  assert.match(log, /"inbox":"member added"/)
  const token = link.slice(paths.link.length)
  for (const secret of [robin.email, sam.email, robin.name, token, code, code.replace(' ', '')]) {
    assert.ok(!log.includes(secret), secret)
  }
  // The access line names the route, not the path.
  assert.equal(inbox.app.router.nameOf(link), `${paths.link}*`)
  assert.equal(inbox.app.router.nameOf('/inbox/robin@example.com'), '/inbox/*')
})

async function signInByCode(browser: TestBrowser, mail: MailSink, email: string) {
  const emails = mail.emails.length
  await browser.post(paths.signIn, { email })
  return browser.post(paths.signInCode, { code: await mailedCode(mail, emails + 1) })
}
