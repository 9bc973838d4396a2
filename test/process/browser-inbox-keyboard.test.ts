import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { listPath, paths } from '../../src/doors/inbox/paths.ts'
import { stateWords } from '../../src/contract/states.ts'
import { bringSession, openOwnSite } from '../support/browser.ts'
import { listenTo, violations } from '../support/page-checks.ts'
import { printLink } from '../support/operator.ts'
import { bot } from '../support/leads.ts'
import { postLead } from '../support/service.ts'

const site = await openOwnSite({ after })
for (const name of ['Ann', 'Ben', 'Cat'])
  await send({ name_1: name, email_1: `${name}@example.com` })
for (const name of ['Spam 1', 'Spam 2', 'Spam 3']) await send({ ...bot, name_1: name })

async function send(lead: object): Promise<void> {
  assert.equal((await postLead(site.url, lead)).status, 200)
}

test('with the keys: through the list, move, undo, search, spam, help, and off', async (t) => {
  const page = await site.visit(t, { viewport: { width: 1280, height: 240 } })
  const troubles = listenTo(page, site.url)
  await bringSession(page, await printLink(site, site))
  await page.goto(paths.list)
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key)
  }
  const reloads = async (...pressed: string[]) => {
    const loaded = page.waitForEvent('load')
    await keys(...pressed)
    await loaded
  }

  // With Ctrl it is the browser's key.
  await keys('j', 'j', 'k', 'j', 'Control+k', 'j', 'j')
  assert.match(await selected(page), /Cat/)
  await keys('k')
  assert.match(await selected(page), /Ben/)

  await reloads('c')
  await page.locator('.done', { hasText: 'Ben' }).waitFor()
  assert.equal(await page.locator('.lead').count(), 2)
  assert.match(await selected(page), /Cat/, 'the next one stands in its place')
  await reloads('z')
  assert.equal(await page.locator('.lead').count(), 3, 'undone')

  await keys('?')
  const sheet = page.getByRole('dialog', { name: 'Keys' })
  await sheet.waitFor()
  assert.equal(await sheet.locator('kbd').count(), 17)
  assert.deepEqual(await violations(page), [])
  // Nothing of the page behind it is pressed.
  await keys('c', 'Escape')
  await sheet.waitFor({ state: 'hidden' })
  assert.equal(await page.locator('.lead').count(), 3)

  await reloads('+')
  assert.ok(page.url().endsWith(paths.add))
  await page.locator('#name:focus').waitFor()
  await keys('Escape')
  await reloads('u')

  await keys('/')
  await page.keyboard.type('ben xcjz')
  assert.equal(await page.locator('#q').inputValue(), 'ben xcjz')
  for (let back = 0; back < 5; back += 1) await keys('Backspace')
  await reloads('Enter')
  assert.ok(page.url().startsWith(`${site.url}${paths.search}?s=`))
  await keys('j')
  assert.match(await selected(page), /Ben/)
  await reloads('o')
  await page.getByRole('heading', { name: 'Ben' }).waitFor()
  await reloads('c')
  const state = page.locator('.under .chip')
  assert.equal(await state.innerText(), stateWords.contacted)
  assert.equal(await page.getByRole('button', { name: 'No answer' }).count(), 0, 'without a number')
  // A note ends the bar, so the key only goes to the button that names the older move.
  await keys('n')
  await page.keyboard.type('Rang back')
  const noted = page.waitForEvent('load')
  await page.getByRole('button', { name: 'Save the note' }).click()
  await noted
  await keys('z')
  await page.locator('.undo:focus').waitFor()
  assert.equal(await state.innerText(), stateWords.contacted)
  await reloads('Enter')
  assert.equal(await state.innerText(), stateWords.new)
  await keys('b')
  await page.locator('[name=day]:focus').waitFor()
  await keys('Escape')
  await reloads('c')
  await reloads('u')
  assert.match(await page.locator('.lead:target .who').innerText(), /Ben/, 'back among the results')
  assert.ok(page.url().startsWith(`${site.url}${paths.search}?s=`))

  // The bar about Ben stands on the list, not on the page of Cat.
  await page.goto(paths.list)
  await page.locator('.done', { hasText: 'Ben' }).waitFor()
  await keys('j', 'j')
  await reloads('b')
  await page.locator('[name=day]:focus').waitFor()
  await page.getByRole('heading', { name: 'Cat' }).waitFor()
  const scrolled = await page.locator('.side').evaluate((side) => side.scrollTop)
  assert.ok(scrolled > 0, 'the list beside the request shows its row')
  assert.equal(await page.locator('.done').count(), 0)

  await page.goto(listPath({ view: 'held' }))
  await keys('j')
  await reloads('s')
  await page.locator('.done', { hasText: 'Marked as spam' }).waitFor()
  assert.equal(await page.locator('.lead').count(), 2)

  await page.goto(paths.settings)
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('single keys are off on this device').waitFor()
  await page.goto(paths.list)
  await keys('j', 'c', '?')
  assert.equal(await page.locator('dialog[open]').count(), 0)
  assert.equal(await page.locator('.lead:focus-within').count(), 0)
  assert.deepEqual(troubles, [])
})

function selected(page: Page): Promise<string> {
  return page.locator('.lead:focus-within .who').innerText()
}
