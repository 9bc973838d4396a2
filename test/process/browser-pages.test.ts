import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { documents } from '../../src/contract/documents.ts'
import { comePath, contactPath, routes, thanksPath } from '../../src/contract/routes.ts'
import { aDesk, openSite } from '../support/browser.ts'
import {
  bringAxe,
  listenTo,
  misfits,
  phonesOnOneScreen,
  violations,
} from '../support/page-checks.ts'
import { sam } from '../support/leads.ts'
import { postLead } from '../support/service.ts'

const site = await openSite({ after })

/** On a desk the navigation is open, so axe sees all of a page there. */
const views = {
  'a desk by night': {
    viewport: aDesk,
    colorScheme: 'dark',
    rules: 'all but targets',
  },
  'a phone by day': {
    viewport: { width: 390, height: 844 },
    colorScheme: 'light',
    rules: 'contrast',
  },
} as const

/** WCAG 2.2, 2.5.5: about the tip of a finger. */
const leastTargetPx = 44

// Colours are looked at when they have come to rest.
const page = await site.visit({ after }, { reducedMotion: 'reduce' })
await bringAxe(page)
const troubles = listenTo(page, site.url)
const onPhone = { viewport: views['a phone by day'].viewport }
const phone = await site.visit({ after }, onPhone)
const withoutScripts = await site.visit({ after }, { ...onPhone, javaScriptEnabled: false })

for (const [name, open] of await everyPage()) {
  test(`${name} fits, is accessible, and loads only what is ours [axe.pages]`, async () => {
    troubles.length = 0
    await open()
    for (const [on, { viewport, colorScheme, rules }] of Object.entries(views)) {
      await Promise.all([page.setViewportSize(viewport), page.emulateMedia({ colorScheme })])
      const { brokenWords: _, ...fit } = await misfits(page, leastTargetPx)
      const found = { on, ...fit, violations: await violations(page, rules) }
      const targets = { smallTargets: [], coveredTargets: [] }
      assert.deepEqual(found, { on, sidewaysPx: 0, ...targets, violations: [] })
    }
    assert.deepEqual(troubles, [])
    const twice =
      'the phone number twice on one screen: put {{ask}} below a heading, a screen further down'
    assert.deepEqual(await phonesOnOneScreen(page), [], twice)
    await page.setViewportSize({ width: 320, height: 568 })
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    const { sidewaysPx } = await misfits(page)
    assert.equal(sidewaysPx, 0, 'on the narrowest phone, with text of twice the size')
  })
}

test('on a phone the pages are behind a button that needs no script', async () => {
  await withoutScripts.goto('/')
  const link = withoutScripts.getByRole('navigation').getByRole('link', { name: 'Decks' })
  assert.equal(await link.isVisible(), false)
  await withoutScripts.getByRole('button', { name: 'Menu' }).click()
  await link.click()
  await withoutScripts.waitForURL('**/decks/')
})

test('on a phone every page ends with the number, in its closing action or at its foot', async () => {
  for (const path of ['/', '/contact/', '/privacy/', '/no-such-page/']) {
    await phone.goto(path)
    const last = phone.locator('section .action .ring, .foot .again').filter({ visible: true })
    assert.match(await last.last().innerText(), /^(?:or ring|Ring me:)\s0491 570 006/, path)
  }
})

test('on a phone the first screen of Home has a picture, the sentence and the number', async () => {
  const { height } = onPhone.viewport
  await phone.goto('/')
  for (const seen of ['main img', 'h1 + p', '.top a[href^="tel:"]']) {
    const box = await phone.locator(seen).first().boundingBox()
    assert.ok(box!.y + box!.height <= height, `${seen} ends at ${box!.y + box!.height}`)
  }
})

test('on a phone the number stands in the head and again at the closing action', async () => {
  for (const path of ['/', '/decks/', '/areas/']) {
    await phone.goto(path)
    const numbers = phone.locator('.action a[href^="tel:"]')
    assert.deepEqual(
      [await numbers.first().isVisible(), await numbers.last().isVisible()],
      [false, true],
      path,
    )
  }
})

test('without scripts the box for a postcode answers, and the address does not have it', async () => {
  await withoutScripts.goto('/areas/')
  for (const [typed, answer] of [
    ['2481', 'Yes, I come to Byron Bay.'],
    ['2000', /^This postcode is not on my list/],
    ['Nimbin', /^This town is not on my list/],
    ['24', /^Please type your postcode/],
  ] as const) {
    // The answer has the box, too.
    const answered = withoutScripts.waitForEvent('load')
    await askWhether(withoutScripts, typed)
    await answered
    assert.equal(withoutScripts.url(), site.url + comePath)
    const words = await withoutScripts.getByRole('status').textContent()
    if (typeof answer === 'string') assert.equal(words, answer)
    else assert.match(words!, answer)
    assert.equal(await withoutScripts.getByLabel('Your postcode').inputValue(), typed)
  }
})

test('at 1280 px the thanks page, the receipt and the page for a missing address use the whole width', async () => {
  await page.setViewportSize(views['a desk by night'].viewport)
  const opened: readonly [open: () => Promise<unknown>, aside: string][] = [
    [() => page.goto('/no-such-page/'), 'main > ul'],
    [() => openThanks('wide@example.com'), '.reference'],
    [openReceipt, '.progress'],
  ]
  for (const [open, aside] of opened) {
    await open()
    const box = await page.locator(aside).boundingBox()
    const title = await page.locator('h1').boundingBox()
    assert.ok(box!.x >= 640 && box!.x + box!.width > 1100, `${aside} ${JSON.stringify(box)}`)
    assert.ok(Math.abs(box!.y - title!.y) < 40, 'beside the title')
  }
})

test('the buttons of the thanks page stand apart', async () => {
  await openThanks('apart@example.com')
  for (const { viewport } of Object.values(views)) {
    await page.setViewportSize(viewport)
    const boxes = page.locator('.reference').locator('.button, button:not([hidden])')
    const [upper, lower] = await Promise.all(
      [boxes.first(), boxes.last()].map((box) => box.boundingBox()),
    )
    const gapPx = lower!.y - upper!.y - upper!.height
    assert.ok(gapPx >= 8, `${gapPx} px at ${viewport.width}`)
  }
})

test('on a phone the box for a postcode stands 12 px above its button', async () => {
  for (const path of ['/', '/areas/']) {
    await phone.goto(path)
    const [box, button] = await Promise.all(
      ['input', 'button'].map((name) => phone.locator(`.come ${name}`).boundingBox()),
    )
    const gapPx = button!.y - box!.y - box!.height
    assert.ok(gapPx >= 12, `${gapPx} px on ${path}`)
  }
})

async function everyPage(): Promise<[name: string, open: () => Promise<unknown>][]> {
  const sitemap = await (await fetch(site.url + documents.sitemap.path)).text()
  const listed = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => new URL(url!))
  assert.ok(listed.length > 5, 'hardly a page in the sitemap')
  return [
    ...listed.map(({ pathname }) => toPath(pathname)),
    toPath('/no-such-page/'),
    ['the thanks page of a request', () => openThanks('sam@example.com')],
    ['the form with a problem', openProblem],
    ['the receipt', openReceipt],
    [comePath, () => page.goto('/areas/').then(() => askWhether(page, '2481'))],
    ['the box with a problem', () => page.goto('/areas/').then(() => askWhether(page, '24'))],
  ]
}

function toPath(path: string): [string, () => Promise<unknown>] {
  return [path, () => page.goto(path)]
}

async function openThanks(email: string): Promise<void> {
  await send(email)
  await page.goto(thanksPath)
  assert.ok(await page.evaluate("document.querySelector('.reference') !== null"))
}

async function openProblem(): Promise<void> {
  await send('sam@example')
  await page.goto(contactPath)
  assert.ok(await page.evaluate("document.querySelector('[role=alert]') !== null"))
}

/** As the form does. The answer is shown to this browser on the next page. */
async function send(email: string): Promise<void> {
  const form = { ...sam, email_1: email }
  await page.request.post(routes.lead.path, { form, maxRedirects: 0 })
}

async function askWhether(caller: Page, typed: string): Promise<void> {
  await caller.getByLabel('Your postcode').fill(typed)
  await caller.getByRole('button', { name: 'Do I come to you?' }).click()
  await caller.waitForURL(`**${comePath}`)
}

async function openReceipt(): Promise<void> {
  const answer = await postLead(site.url, sam)
  const { status_url } = (await answer.json()) as { status_url: string }
  await page.goto(status_url)
  // With all there is to see.
  await page.evaluate(
    "for (const each of document.querySelectorAll('main details')) each.open = true",
  )
}
