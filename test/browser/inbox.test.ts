/** The inbox in a real browser: with passkeys of a virtual device, without scripts, on phone and desk. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { paths } from '../../src/doors/inbox/paths.ts'
import { openSite } from '../support/browser.ts'
import { mailedCode } from '../support/inbox.ts'
import { leadIntake } from '../support/operator.ts'
import { listenTo, sidewaysPx, smallTargets, violations } from '../support/page-checks.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink } from '../support/smtp.ts'

const mail = await openMailSink({ after })
// A passkey belongs to a host name; 127.0.0.1 is none.
const site = await openSite({ after }, [], { host: 'localhost', settings: byMail(mail) })
const robin = { name: 'Robin', email: 'robin@example.com' }
await leadIntake(site, ['inbox', 'members', 'add', '--name', robin.name, '--email', robin.email])

/** Of 48 px; a link within a line of text is as high as its line. */
const leastTargetPx = 48

test('an evening: in by the printed address, a passkey, out, in with it, step-up, out everywhere', async (t) => {
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
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`**${paths.signIn}`)
  // The virtual device answers the offer in the email field by itself, without a press.
  await page.waitForURL(`**${paths.list}`)
  await page.getByRole('heading', { name: 'To do' }).waitFor()

  await page.goto(`${paths.stepUp}?for=members`)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`**${paths.members}`)
  await page.getByLabel('Name').fill('Sam')
  await page.getByLabel('Email').fill('sam@example.com')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('sam@example.com').waitFor()
  await page.getByRole('button', { name: 'End the membership of Sam' }).click()
  await page.getByText('sam@example.com').waitFor({ state: 'detached' })

  await page.goto(paths.devices)
  await page.getByText('this one').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL((url) => url.pathname !== paths.devices)
  assert.deepEqual(troubles, [])
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

test('without scripts: a code by mail, members, devices, sign-out', async (t) => {
  const page = await site.visit(t, { javaScriptEnabled: false })
  await page.goto('/inbox')
  await page.waitForURL(`**${paths.signIn}`)
  assert.equal(await page.getByRole('button', { name: 'passkey' }).isVisible(), false)
  await page.getByLabel('Email').fill(robin.email)
  const letters = mail.letters.length
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.getByLabel('Code').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('That is not the code.').waitFor()
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
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`**${paths.signIn}`)
})

const views = {
  'a small phone by day': { viewport: { width: 320, height: 640 }, colorScheme: 'light' },
  'a phone at night': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  'a desk by night': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  'a desk by day': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
} as const

test('every page fits, is accessible, and has targets of 48 px, also with text of twice the size', async (t) => {
  const page = await site.visit(t, { reducedMotion: 'reduce' })
  const troubles = listenTo(page, site.url)
  const address = await printedAddress()
  const out = [paths.signIn, paths.signInCode, address, '/inbox/no-such-page']
  const inside = [
    paths.list,
    paths.settings,
    paths.passkeys,
    paths.devices,
    paths.members,
    paths.stepUp,
  ]
  for (const path of out) await look(page, path)
  await page.goto(address)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith(paths.link))
  for (const path of inside) await look(page, path)
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
      const found = {
        where: `${path} on ${on} at ${size}`,
        sidewaysPx: await sidewaysPx(page),
        smallTargets: size === '100%' ? await smallTargets(page, leastTargetPx) : [],
        violations: size === '100%' ? await violations(page) : [],
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
