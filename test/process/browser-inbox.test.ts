/** The inbox in a real browser: with passkeys of a virtual device, without scripts, on phone and desk. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { openOwnSite } from '../support/browser.ts'
import { mailedCode } from '../support/inbox.ts'
import { addFirstMember, leadIntake } from '../support/operator.ts'
import { patienceMs } from '../support/patience.ts'
import { bot, robin as everything } from '../support/people.ts'
import { listenTo, sidewaysPx, smallTargets, violations } from '../support/page-checks.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink } from '../support/smtp.ts'

const mail = await openMailSink({ after })
// A passkey belongs to a host name; 127.0.0.1 is none.
const site = await openOwnSite({ after }, { host: 'localhost', settings: byMail(mail) })
const robin = { name: 'Robin', email: 'robin@example.com' }
await addFirstMember(site, robin)

/** Of 48 px; a link within a line of text is as high as its line. */
const leastTargetPx = 48

test('an evening: in by the printed address, a passkey, out, in with it, members, out everywhere else', async (t) => {
  const page = await site.visit(t)
  const troubles = listenTo(page, site.url)
  await addVirtualDevice(page)
  await page.goto(await printedAddress())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${paths.passkeys}`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Made today, not used yet').waitFor()
  await page.getByLabel('Name').fill('My phone')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.waitForLoadState()
  assert.equal(await page.getByLabel('Name').inputValue(), 'My phone')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('This device has a passkey already.').waitFor()

  await page.goto(paths.settings)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`**${paths.signIn}`)
  // The virtual device answers the offer in the email field by itself, without a press.
  await page.waitForURL(`**${paths.list}`)
  await page.getByRole('heading', { name: 'To do' }).waitFor()

  await page.goto(paths.members)
  await page.getByLabel('Name').fill('Sam')
  await page.getByLabel('Email').fill('sam@example.com')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('sam@example.com').waitFor()

  // The second member comes in by a code, in a browser of his own.
  const sams = await site.visit(t)
  await signInByCode(sams, 'sam@example.com')
  await sams.goto(paths.settings)
  await sams.getByText('only in this browser').waitFor()
  const robins = await site.visit(t)
  await signInByCode(robins, robin.email)
  await page.goto(paths.settings)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByText('only in this browser').waitFor()
  await robins.goto(paths.list)
  await robins.waitForURL(`**${paths.signIn}`)
  await sams.goto(paths.list)
  await sams.getByRole('heading', { name: 'To do' }).waitFor()

  await page.goto(paths.members)
  await page.getByRole('button', { name: 'End the membership of Sam' }).click()
  await page.getByText('sam@example.com').waitFor({ state: 'detached' })
  await sams.goto(paths.list)
  await sams.waitForURL(`**${paths.signIn}`)
  assert.deepEqual(troubles, [])
})

test('after ten minutes a member signs in again by passkey, and is back with what he typed [sign-in.again, sign-in.words]', async (t) => {
  const page = await site.visit(t)
  await addVirtualDevice(page)
  await page.goto(await printedAddress())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.goto(paths.passkeys)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Made today, not used yet').waitFor()
  await page.goto(paths.members)
  await page.getByLabel('Name').fill('Mai')
  await page.getByLabel('Email').fill('mai@example.com')
  ageProofs()
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`**${paths.members}`)
  await page.getByText('Nothing was changed yet').waitFor()
  assert.equal(await page.getByLabel('Email').inputValue(), 'mai@example.com')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: 'End the membership of Mai' }).click()
  await page.getByText('mai@example.com').waitFor({ state: 'detached' })

  ageProofs()
  await page.goto(paths.passkeys)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`**${paths.passkeys}`)
})

test('without scripts: signing in again by a code before erasing, and back with the choice [sign-in.again, plain.inbox]', async (t) => {
  await sendLeads()
  const [id] = await sendLeads()
  const page = await site.visit(t, { javaScriptEnabled: false, viewport: phone })
  await signInByCode(page, robin.email)
  await page.goto(leadPath(id))
  await page.getByRole('link', { name: 'Erase for good' }).click()
  await page.getByLabel('All with this email').check()
  ageProofs()
  await page.getByRole('button', { name: 'Erase for good' }).click()
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  const letters = mail.letters.length
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.getByLabel('Code').fill(await mailedCode(mail, letters + 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${actPath(id, 'erase')}`)
  assert.ok(await page.getByLabel('All with this email').isChecked())
  assert.equal(site.leads().find((lead) => lead.id === id)?.state, 'new')
  await page.getByLabel('Only this request').check()
  await page.getByRole('button', { name: 'Erase for good' }).click()
  await page.getByText('Erased for good.').waitFor()
  assert.equal(site.leads().find((lead) => lead.id === id)?.state, 'erased')
})

test('the button signs in where the email field offers nothing', async (t) => {
  const page = await site.visit(t)
  await page.addInitScript(
    'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)',
  )
  await addVirtualDevice(page)
  await page.goto(await printedAddress())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.goto(paths.passkeys)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Made today, not used yet').waitFor()
  await page.context().clearCookies()
  await page.goto(paths.signIn)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`**${paths.list}`)
})

test('a passkey that is not known here says so, and another way in still works', async (t) => {
  const page = await site.visit(t)
  await page.addInitScript(
    'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)',
  )
  await addVirtualDevice(page)
  await page.goto(paths.signIn)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('No passkey was used.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Mail me a code' }).isEnabled())
})

test('without scripts: a code by mail, members, sign-out [plain.inbox]', async (t) => {
  const page = await site.visit(t, { javaScriptEnabled: false })
  await page.goto('/inbox')
  await page.waitForURL(`**${paths.signIn}`)
  assert.equal(await page.getByRole('button', { name: 'passkey' }).isVisible(), false)
  await page.getByLabel('Email').fill(robin.email)
  const letters = mail.letters.length
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.getByLabel('Code').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('This code does not work').waitFor()
  await page.getByLabel('Code').fill(await mailedCode(mail, letters + 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${paths.list}`)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByLabel('Name').fill('Mai')
  await page.getByLabel('Email').fill('mai@example.com')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('mai@example.com').waitFor()
  await page.getByRole('button', { name: 'End the membership of Mai' }).click()
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL(`**${paths.signIn}`)
})

test('without scripts: call, mark as contacted, undo, release, note, in a few taps [move.taps, plain.inbox]', async (t) => {
  const [newest, held] = await sendLeads()
  const page = await site.visit(t, { javaScriptEnabled: false, viewport: phone })
  await page.goto(await printedAddress())
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
  await page.getByRole('button', { name: 'Contacted', exact: true }).click()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('took the last move back: new again').waitFor()
  await page.getByLabel('New note').fill('Rang twice.')
  await page.getByRole('button', { name: 'Keep the note' }).click()
  await page.getByText('Rang twice.').waitFor()
  await page.goto('/inbox/?view=held')
  await page.locator(`[value^="${held}."]`).check()
  await page.locator('.ticked').getByRole('button', { name: 'Release' }).click()
  await page.getByText('Released: ').waitFor()
  assert.equal(site.leads().find(({ id }) => id === held)?.state, 'new')
})

test('without scripts: no move, conflict or end of the session loses a typed note [sign-in.words]', async (t) => {
  const [id] = await sendLeads()
  const page = await site.visit(t, { javaScriptEnabled: false, viewport: phone })
  const signIn = async (tab: Page) => {
    await tab.goto(await printedAddress())
    await tab.getByRole('button', { name: 'Sign in' }).click()
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const type = (words: string) => page.getByLabel('New note').fill(words)
  const noted = (words: string) => page.locator('.notes li', { hasText: words }).waitFor()
  const stateNow = () => site.leads().find((lead) => lead.id === id)?.state
  await signIn(page)
  await page.goto(leadPath(id))
  await type('Rang, told her February.')
  await press('Contacted')
  await noted('Rang, told her February.')
  assert.equal(stateNow(), 'contacted')
  await type('Pressed too early.')
  await press('Undo')
  await noted('Pressed too early.')
  assert.equal(stateNow(), 'new')

  // The bar speaks of the request before; the note is about the one on the page.
  await press('Contacted, and next')
  await page.locator('.done', { hasText: 'Marked contacted' }).waitFor()
  const next = page.url()
  assert.notEqual(next, `${site.url}${leadPath(id)}`)
  await type('Has a steep block.')
  await press('Undo')
  await page.waitForURL(`**${leadPath(id)}`)
  assert.equal(stateNow(), 'new')
  await page.goto(next)
  await noted('Has a steep block.')

  await page.goto(leadPath(id))
  const tab = await page.context().newPage()
  await tab.goto(leadPath(id))
  await tab.getByRole('button', { name: 'Contacted', exact: true }).click()
  await tab.getByText('Marked contacted').waitFor()
  await type('Wants merbau.')
  await press('Not suitable')
  await page.getByText('was not made').waitFor()
  assert.equal(await page.getByLabel('New note').inputValue(), 'Wants merbau.')
  assert.equal(stateNow(), 'contacted')

  // Elsewhere he uses a printed address, which signs out this browser.
  await signIn(await site.visit(t))
  await press('Booked')
  await page.getByText('What you typed is kept').waitFor()
  assert.doesNotMatch(page.url(), /merbau/)
  const letters = mail.letters.length
  await page.getByLabel('Email').fill(robin.email)
  await press('Mail me a code')
  await page.getByLabel('Code').fill(await mailedCode(mail, letters + 1))
  await press('Sign in')
  await page.getByText('Nothing was changed yet').waitFor()
  assert.equal(await page.getByLabel('New note').inputValue(), 'Wants merbau.')
  await press('Booked')
  await noted('Wants merbau.')
  assert.equal(stateNow(), 'consultation_booked')
})

const phone = { width: 390, height: 844 }
const twoNumbers = '02 5550 7788 ext 12 / 0491 570 006'
const longName = `<b>Alexandria</b> ${'Konstantinopolous-'.repeat(6)}Worthington`

/** A lead with a long name and all the rest, and a held one. */
async function sendLeads(): Promise<[string, string]> {
  const known = new Set(site.leads().map(({ id }) => id))
  const unlisted = { 'preferred <i>days</i>': ['Friday', 'x'.repeat(300)] }
  const message = `A deck.\n${'unbroken'.repeat(60)} ${known.size}`
  for (const body of [
    { ...everything, name_1: longName, textarea_1: message, ...unlisted },
    { ...bot, ...unlisted, name_1: longName, phone_1: twoNumbers, textarea_1: message },
  ]) {
    const headers = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    assert.equal((await fetch(`${site.url}/api/lead`, sent)).status, 200)
  }
  const fresh = site.leads().filter(({ id }) => !known.has(id))
  const idIn = (state: string) => fresh.find((lead) => lead.state === state)!.id
  return [idIn('new'), idIn('held')]
}

const views = {
  'a small phone by day': { viewport: { width: 320, height: 640 }, colorScheme: 'light' },
  'a phone at night': { viewport: phone, colorScheme: 'dark' },
  'a desk by night': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
} as const

/** Between them they have both widths and both sets of colours. */
const axeRules = new Map<string, 'all' | 'contrast'>([
  ['a small phone by day', 'all'],
  ['a desk by night', 'contrast'],
])

test('every page fits, is accessible, and has targets of 48 px, also with text of twice the size [axe.pages]', async (t) => {
  const page = await site.visit(t, { reducedMotion: 'reduce' })
  const troubles = listenTo(page, site.url)
  const address = await printedAddress()
  const out = [paths.signIn, paths.signInCode, address, '/inbox/no-such-page']
  const [, held] = await sendLeads()
  const inside = [
    paths.list,
    '/inbox/?view=held',
    leadPath(held, 'held'),
    actPath(held, 'erase'),
    paths.export,
    actPath(held, 'export'),
    paths.settings,
    paths.passkeys,
    paths.members,
  ]
  await page.goto(paths.signIn)
  await page.getByLabel('Email').fill('stranger@example.com')
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.waitForURL(`**${paths.signInCode}`)
  for (const path of out) await look(page, path)
  await page.goto(address)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith(paths.link))
  for (const path of inside) await look(page, path)
  for (const q of ['Alexandria', `nobody ${'x'.repeat(80)}`]) {
    await page.goto(paths.list)
    await page.getByLabel('Search').fill(q)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${paths.search}?**`)
    await look(page, page.url())
  }
  ageProofs()
  await page.goto(paths.export)
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  await look(page, paths.signIn)
  assert.deepEqual(troubles, [])
})

async function look(page: Page, path: string): Promise<void> {
  await page.goto(path)
  for (const summary of await page.locator('summary').all()) await summary.click()
  for (const [on, { viewport, colorScheme }] of Object.entries(views)) {
    for (const size of ['100%', '200%']) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      // As a reader who has doubled the text in the browser's settings.
      await page.locator('html').evaluate((root, given) => {
        root.style.fontSize = given
      }, size)
      const rules = size === '100%' ? axeRules.get(on) : undefined
      const found = {
        where: `${path} on ${on} at ${size}`,
        sidewaysPx: await sidewaysPx(page),
        smallTargets: size === '100%' ? await smallTargets(page, leastTargetPx) : [],
        violations: rules !== undefined ? await violations(page, rules) : [],
      }
      assert.deepEqual(found, {
        where: found.where,
        sidewaysPx: 0,
        smallTargets: [],
        violations: [],
      })
    }
  }
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

async function printedAddress(): Promise<string> {
  const args = ['inbox', 'link', '--email', robin.email, '--json']
  const { out } = await leadIntake(site, args, { BASE_URL: site.url })
  return (JSON.parse(out) as { url: string }).url
}

async function signInByCode(page: Page, email: string): Promise<void> {
  const letters = mail.letters.length
  await page.goto(paths.signIn)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.getByLabel('Code').fill(await mailedCode(mail, letters + 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**${paths.list}`)
}

/** As if every member had last signed in eleven minutes ago. */
function ageProofs(): void {
  const database = new DatabaseSync(join(site.dataDir, 'leads.sqlite'), { timeout: patienceMs })
  database.exec(`update session set proved_at = proved_at - ${11 * 60_000}`)
  database.close()
}
