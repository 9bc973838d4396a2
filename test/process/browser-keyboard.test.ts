/** The form for those who see no mouse and no page: where the Tab key stops, and what is read aloud. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { fields } from '../../src/contract/fields.ts'
import { thanksPath } from '../../src/contract/routes.ts'
import { isFocused, openForm, openSite, sendButton } from '../support/browser.ts'
import { robin } from '../support/leads.ts'
import { until } from '../support/until.ts'

const site = await openSite({ after })
const page = await site.visit({ after })

test('with the keyboard alone: past the navigation, through the fields in their order, and Enter sends', async () => {
  await openForm(page)
  await page.keyboard.press('Tab')
  const skip = page.locator(':focus')
  assert.equal(await skip.getAttribute('href'), '#main')
  assert.ok((await skip.boundingBox())!.y >= 0, 'the skip link is in sight while it has the focus')
  await page.keyboard.press('Enter')
  await page.waitForURL('**#main')
  await page.keyboard.press('Tab')
  assert.match((await page.locator(':focus').getAttribute('href'))!, /^tel:/)

  for (const { name } of fields) {
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').getAttribute('name'), name)
    await page.keyboard.type(robin[name])
  }
  await page.keyboard.press('Tab')
  await until(() => isFocused(sendButton(page)), 'the button comes after the last field')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${thanksPath}`)
  const lead = site.leads().find(({ values }) => values.email === robin.email_1)
  assert.equal(lead?.values.message, robin.textarea_1)
})
