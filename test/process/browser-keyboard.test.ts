/** The form for those who see no mouse and no page: where the Tab key stops, and what is read aloud. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { fields, trapName } from '../../src/contract/fields.ts'
import { thanksPath } from '../../src/contract/routes.ts'
import { field, isFocused, openForm, openSite, sendButton } from '../support/browser.ts'
import { robin } from '../support/people.ts'
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

test('every stop of the Tab key shows where it is', async () => {
  await openForm(page)
  const unseen: string[] = []
  let stops = 0
  for (; stops < 200; stops += 1) {
    await page.keyboard.press('Tab')
    const here = page.locator(':focus')
    if ((await here.count()) === 0) break
    const [text, width] = await here.evaluate((element) => {
      const style = element.ownerDocument.defaultView.getComputedStyle(element)
      const outline = style.outlineStyle === 'none' ? 0 : Number.parseFloat(style.outlineWidth)
      return [element.outerHTML.slice(0, 80) as string, outline] as const
    })
    if (width < 2) unseen.push(text)
  }
  assert.ok(stops > 15 && stops < 200, `${stops} stops`)
  assert.deepEqual(unseen, [])
})

test('the trap is nowhere for a person: no box, no stop of the Tab key, nothing read aloud', async () => {
  await openForm(page)
  const trap = field(page, trapName)
  assert.equal(await trap.boundingBox(), null)
  assert.equal(await trap.evaluate((element) => element.tabIndex as number), -1)
  const spoken = await spokenFields()
  assert.deepEqual(
    spoken.map((name) => name.replace(' (optional)', '')),
    fields.map(({ label }) => label),
  )
})

/** The names of the text fields in the browser's own accessibility tree. */
async function spokenFields(): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  return nodes
    .filter(({ ignored, role }) => !ignored && role?.value === 'textbox')
    .map(({ name }) => String(name?.value))
}
