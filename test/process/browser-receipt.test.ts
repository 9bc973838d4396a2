/** After a request was sent: who sees its reference, what the private page tells, and taking it back. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { receiptMessages } from '../../src/contract/receipt.ts'
import { routes, thanksPath } from '../../src/contract/routes.ts'
import { fillIn, openForm, openSite, sendButton } from '../support/browser.ts'

const site = await openSite({ after })
const anyReference = /C-[0-9A-Z]{5}-[0-9A-Z]{5}/

test('a request can be taken back from its receipt, without scripts [plain.form]', async (t) => {
  const page = await site.visit(t, { javaScriptEnabled: false })
  await sendAs(page, 'back@example.com')
  await openReceipt(page)
  const address = page.url()
  const button = page.getByRole('button', { name: 'withdraw' })
  assert.equal(await button.isVisible(), false, 'one press alone takes nothing back')
  await page.getByText('Withdraw this request').click()
  await button.click()
  await page.getByText(receiptMessages.withdrawn).waitFor()

  assert.equal(page.url(), address)
  assert.match(await page.locator('[aria-current=step]').innerText(), /^Withdrawn/)
  assert.equal(await button.count(), 0)
  const lead = site.leads().find(({ values }) => values.email === 'back@example.com')
  assert.equal(lead!.state, 'withdrawn')
})

/** Gives the reference that the thanks page shows. */
async function sendAs(page: Page, email: string): Promise<string> {
  await fillIn(await openForm(page), { name_1: 'Sam Sender', email_1: email })
  await sendButton(page).click()
  await page.waitForURL(`**${thanksPath}`)
  const [reference] = anyReference.exec(await page.locator('main').innerText()) ?? []
  assert.ok(reference, 'no reference on the thanks page')
  return reference
}

async function openReceipt(page: Page): Promise<void> {
  await page.locator(`a[href^="${routes.receipt.path}"]`).click()
  await page.waitForURL(`**${routes.receipt.path}*`)
}
