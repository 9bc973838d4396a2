import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { actPath, leadPath, listPath, paths } from '../../src/doors/inbox/paths.ts'
import { aDesk, bringSession, openOwnSite, takeNetworkAway } from '../support/browser.ts'
import { mailedCode } from '../support/inbox.ts'
import { printLink, signIn } from '../support/operator.ts'
import { patienceMs } from '../support/until.ts'
import { bot, robin as everything } from '../support/leads.ts'
import { bringAxe, listenTo, misfits, violations } from '../support/page-checks.ts'
import { postLead } from '../support/service.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink } from '../support/smtp.ts'

const mail = await openMailSink({ after })
// A passkey belongs to a host name; 127.0.0.1 is none.
const site = await openOwnSite({ after }, { host: 'localhost', settings: byMail(mail) })
const robin = { name: 'Robin', email: 'robin@example.com' }
await signIn(site, site, robin)

/** A link within a line of text may be lower: it is as high as its line. */
const leastTargetPx = 48

test('an evening: in by the printed address, a passkey, out, in with it, members, out everywhere else', async (t) => {
  const page = await site.visit(t)
  const troubles = listenTo(page, site.url)
  await addVirtualDevice(page)
  await page.goto(await printLink(site, site))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${paths.passkeys}`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('; not used yet; ').waitFor()
  await page.getByLabel('Name').fill('My phone')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.waitForLoadState()
  assert.equal(await page.getByLabel('Name').inputValue(), 'My phone')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('This device already has a passkey.').waitFor()

  await page.goto(paths.settings)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`**${paths.signIn}`)
  // The virtual device answers the offer in the email field by itself, without a press.
  await page.waitForURL(`**${paths.list}`)
  await page.getByRole('heading', { name: 'Today' }).waitFor()

  await page.goto(paths.members)
  await page.getByLabel('Name').fill('Sam')
  await page.getByLabel('Email').fill('sam@example.com')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('sam@example.com').waitFor()

  const sams = await signIn(site, site, { name: 'Sam', email: 'sam@example.com' })
  assert.match(await settingsSeenWith(sams), /Only in this browser/)
  const robins = await site.visit(t)
  await signInByCode(robins, robin.email)
  await page.goto(paths.settings)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByText('only in this browser').waitFor()
  await robins.goto(paths.list)
  await robins.waitForURL(`**${paths.signIn}`)
  assert.match(await settingsSeenWith(sams), /Only in this browser/)

  await page.goto(paths.members)
  await page.getByText('Remove …').click()
  await page.getByRole('button', { name: 'Remove Sam' }).click()
  await page.getByText('sam@example.com').waitFor({ state: 'detached' })
  assert.equal(await settingsSeenWith(sams), '')
  assert.deepEqual(troubles, [])
})

/** Nothing for those who are signed out. */
async function settingsSeenWith(cookie: string): Promise<string> {
  const answer = await fetch(site.url + paths.settings, { headers: { cookie }, redirect: 'manual' })
  if (answer.status === 303) assert.equal(answer.headers.get('location'), paths.signIn)
  return answer.text()
}

test('a list that is still open after signing out elsewhere says so [next.live]', async (t) => {
  const page = await site.visit(t)
  await signInByCode(page, robin.email)
  const other = await page.context().newPage()
  await other.goto(paths.settings)
  await other.getByRole('button', { name: 'Sign out', exact: true }).click()
  await other.waitForURL(`**${paths.signIn}`)
  // As when the member comes back to the tab.
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  await page.getByRole('link', { name: 'You are signed out. Sign in again' }).click()
  await page.waitForURL(`**${paths.signIn}`)
})

test('without scripts: a code by mail, members, sign-out [plain.inbox]', async (t) => {
  const page = await site.visit(t, { javaScriptEnabled: false })
  await page.goto('/inbox')
  await page.waitForURL(`**${paths.signIn}`)
  assert.equal(await page.getByRole('button', { name: 'passkey' }).isVisible(), false)
  await page.getByLabel('Email').fill(robin.email)
  const emails = mail.emails.length
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByLabel('Code').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This code does not work').waitFor()
  await page.getByLabel('Code').fill(await mailedCode(mail, emails + 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${paths.list}`)
  await page.getByRole('link', { name: 'Settings' }).click()
  assert.equal(await page.getByText('Keyboard').isVisible(), false, 'keys need scripts')
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByLabel('Name').fill('Mai')
  await page.getByLabel('Email').fill('mai@example.com')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('mai@example.com').waitFor()
  await page.getByText('Remove …').click()
  await page.getByRole('button', { name: 'Remove Mai' }).click()
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`**${paths.signIn}`)
})

test('without scripts: call, mark as contacted, undo, release, note, in a few taps [move.taps, plain.inbox]', async (t) => {
  const [newest, held] = await sendLeads()
  const page = await site.visit(t, { javaScriptEnabled: false, viewport: phone })
  await page.goto(await printLink(site, site))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.goto(paths.list)
  // One tap from the list to the dial pad.
  const row = page.locator('.lead').filter({ has: page.locator(`[href="${leadPath(newest)}"]`) })
  assert.equal(
    await row.getByRole('link', { name: `Call ${longName}` }).getAttribute('href'),
    'tel:0491570006',
  )
  await row.locator('.open').click()
  const isWithin = await page.locator('.reach').evaluate((bar) => {
    const box = bar.getBoundingClientRect()
    return Math.abs(box.bottom - bar.ownerDocument.defaultView.innerHeight) < 1
  })
  assert.ok(isWithin, 'the bar is at the bottom of the screen')
  await page.getByRole('button', { name: 'Spoke to them' }).click()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('undid the last move: new again').waitFor()
  await page.getByLabel('New note').fill('Rang twice.')
  await page.getByRole('button', { name: 'Save the note' }).click()
  await page.locator('.notes .said').getByText('Rang twice.').waitFor()
  await page.goto('/inbox/?view=held')
  await page.locator(`[name=only][value^="new.${held}."]`).click()
  await page.getByText('Released: ').waitFor()
  assert.equal(site.leads().find(({ id }) => id === held)?.state, 'new')
})

test('a button pressed without signal says that nothing was saved, and keeps what was typed', async (t) => {
  const [newest] = await sendLeads()
  const page = await site.visit(t, { viewport: phone })
  await bringSession(page, await printLink(site, site))
  await page.goto(leadPath(newest))
  await page.getByLabel('New note').fill('They have a dog.')
  await page.context().setOffline(true)
  const spoke = page.getByRole('button', { name: 'Spoke to them' })
  await spoke.click()
  await spoke.click()
  // The second press puts a new sentence in place of the first.
  await page
    .locator('form > [role=alert]:first-child', { hasText: /^No signal: nothing was saved\./ })
    .waitFor()
  assert.equal(await page.getByLabel('New note').inputValue(), 'They have a dog.')
  assert.equal(site.leads().find(({ id }) => id === newest)?.state, 'new')
  await page.context().setOffline(false)
  await spoke.click()
  await page.getByText('Contacted: ').waitFor()
  await page.locator('.notes .said').getByText('They have a dog.').waitFor()
})

test('on a machine without a network, the inbox that runs on it can be used', async (t) => {
  const [newest] = await sendLeads()
  const page = await site.visit(t)
  await takeNetworkAway(page)
  await page.goto(await printLink(site, site))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith(paths.link))
  await page.goto(leadPath(newest))
  await page.getByRole('button', { name: 'Spoke to them' }).click()
  await page.getByText('Contacted: ').waitFor()
})

const phone = { width: 390, height: 844 }
const twoNumbers = '02 5550 7788 ext 12 / 0491 570 006'
const longName = `<b>Alexandria</b> ${'Konstantinopolous-'.repeat(6)}Worthington`

async function sendLeads(): Promise<[string, string]> {
  const known = new Set(site.leads().map(({ id }) => id))
  const unlisted = { 'preferred <i>days</i>': ['Friday', 'x'.repeat(300)] }
  const message = `A deck.\n${'unbroken'.repeat(60)} ${known.size}`
  for (const body of [
    { ...everything, name_1: longName, textarea_1: message, ...unlisted },
    { ...bot, ...unlisted, name_1: longName, phone_1: twoNumbers, textarea_1: message },
  ]) {
    assert.equal((await postLead(site.url, body)).status, 200)
  }
  const fresh = site.leads().filter(({ id }) => !known.has(id))
  const idIn = (state: string) => fresh.find((lead) => lead.state === state)!.id
  return [idIn('new'), idIn('held')]
}

const views = {
  'a small phone by day': {
    viewport: { width: 320, height: 640 },
    colorScheme: 'light',
    rules: 'all but targets',
  },
  // Its colours are those of the small phone.
  'a phone by day': {
    viewport: phone,
    colorScheme: 'light',
    rules: 'none',
  },
  'a desk by night': {
    viewport: aDesk,
    colorScheme: 'dark',
    rules: 'contrast',
  },
} as const

test('every page fits, breaks no word, is accessible, and has targets of 48 px [axe.pages]', async (t) => {
  const page = await site.visit(t, { reducedMotion: 'reduce' })
  await bringAxe(page)
  const troubles = listenTo(page, site.url)
  const out = [paths.signIn, paths.signInCode, '/inbox/no-such-page', await printLink(site, site)]
  const [newest, held] = await sendLeads()
  const inside = [
    paths.list,
    '/inbox/?view=held',
    leadPath(held, { view: 'held' }),
    actPath(held, 'details'),
    actPath(held, 'erase'),
    paths.export,
    actPath(held, 'export'),
    paths.add,
    listPath({ view: 'booked' }),
    listPath({ view: 'proposals' }),
    paths.search,
    listPath({ view: 'spam' }),
    paths.figures,
    paths.settings,
    paths.passkeys,
    paths.devices,
    paths.members,
  ]
  await page.goto(paths.signIn)
  await page.getByLabel('Email').fill('stranger@example.com')
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.waitForURL(`**${paths.signInCode}`)
  for (const path of out) await look(page, path)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith(paths.link))
  change(`insert into push_device select id, id, '', '', '', '', 'Android', 0 from member`)
  for (const path of inside) await look(page, path)
  await page.goto(leadPath(newest))
  await page.getByLabel('New note').fill('See https://example.com/plans or 0491 570 156.')
  await page.getByRole('button', { name: 'Save the note' }).click()
  await page.locator('.notes .said').getByText('example.com/plans').waitFor()
  for (const part of road) {
    change(`update lead set added_street = '12 Example Street', added_phone = '(02) 5550 0100', ${part}
      where id = '${newest}'`)
    await look(page, leadPath(newest))
    // Narrower than a desk with a list beside the request.
    await page.setViewportSize({ ...aDesk, width: 1200 })
    assert.deepEqual((await misfits(page)).coveredTargets, [], part)
  }
  change('delete from push_device')
  change('delete from passkey')
  await look(page, paths.settings)
  for (const q of ['Alexandria', `nobody ${'x'.repeat(80)}`]) {
    await page.goto(paths.search)
    await page.getByLabel('Search').fill(q)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${paths.search}?**`)
    await look(page, page.url())
  }
  change(`update session set proved_at = proved_at - ${11 * 60_000}`)
  await page.goto(paths.export)
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  await look(page, paths.signIn)
  assert.deepEqual(troubles, [])
})

/** A request whose customer asks for another time; then a proposal; then lost. */
const road = [
  `state = 'consultation_booked', next_at = 4e12, next_for = 'visit', visit_shown = 1, asked_at = 1`,
  `state = 'proposal_sent', next_at = 4e12, next_for = 'ring', asked_at = null`,
  `state = 'lost', next_at = null, next_for = null`,
  `lost_why = 'someone_else'`,
]

test('the figures fit a phone with a font wider than ours, and with the spacing that a reader may set', async (t) => {
  await sendLeads()
  // Our policy refuses the style sheets of a test.
  const page = await site.visit(t, { reducedMotion: 'reduce', bypassCSP: true })
  await bringSession(page, await printLink(site, site))
  await page.goto(paths.figures)
  await openAll(page)
  await page.evaluate("document.head.append(document.createElement('style'))")
  for (const width of [320, 390]) {
    await page.setViewportSize({ ...phone, width })
    for (const [name, { style, mayBreak }] of Object.entries(wideTexts)) {
      const rule = JSON.stringify(`* { ${style} }`)
      await page.evaluate(`document.head.lastElementChild.textContent = ${rule}`)
      const { sidewaysPx, brokenWords } = await misfits(page)
      const found = { name, width, sidewaysPx, broken: mayBreak ? [] : brokenWords }
      assert.deepEqual(found, { name, width, sidewaysPx: 0, broken: [] })
    }
  }
})

const wideFont = 'font-family: "DejaVu Sans", Verdana, monospace !important;'
/** WCAG 2.2, 1.4.12. */
const spacing = 'letter-spacing: 0.12em !important; word-spacing: 0.16em !important;'
const wideTexts = {
  'a wide font': { style: wideFont, mayBreak: false },
  'a wide font, bold': { style: `${wideFont} font-weight: 700 !important`, mayBreak: false },
  'the spacing of WCAG': { style: spacing, mayBreak: true },
  'a wide font with that spacing': { style: wideFont + spacing, mayBreak: true },
}

/** What a tap would unfold, without the cost of a tap. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
}

/** Turned after each page, which begins as the last one ended: to draw it anew takes as long as to load it. */
const viewsInTurn = Object.entries(views)

async function look(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await openAll(page)
  for (const [on, { viewport, colorScheme, rules }] of viewsInTurn) {
    await Promise.all([page.setViewportSize(viewport), page.emulateMedia({ colorScheme })])
    const found = {
      where: `${path} on ${on}`,
      ...(await misfits(page, leastTargetPx)),
      violations: rules === 'none' ? [] : await violations(page, rules),
    }
    const { where } = found
    const targets = { smallTargets: [], coveredTargets: [] }
    const well = { where, sidewaysPx: 0, brokenWords: [], ...targets, violations: [] }
    assert.deepEqual(found, well)
  }
  viewsInTurn.reverse()
}

/** A device that makes and keeps passkeys, and answers at once. */
async function addVirtualDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable', { enableUI: false })
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function signInByCode(page: Page, email: string): Promise<void> {
  const emails = mail.emails.length
  await page.goto(paths.signIn)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Email me a code' }).click()
  await page.getByLabel('Code').fill(await mailedCode(mail, emails + 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${paths.list}`)
}

function change(sql: string): void {
  const database = new DatabaseSync(join(site.dataDir, 'leads.sqlite'), { timeout: patienceMs })
  database.exec(sql)
  database.close()
}
