import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { fields, trapName } from '../../src/contract/fields.ts'
import { receiptMessages } from '../../src/contract/receipt.ts'
import { contactPath, routes, thanksPath } from '../../src/contract/routes.ts'
import {
  field,
  fillIn,
  isFocused,
  openForm,
  openSite,
  sendButton,
  takeNetworkAway,
} from '../support/browser.ts'
import { robin } from '../support/leads.ts'
import { bookVisit } from '../support/operator.ts'
import { violations } from '../support/page-checks.ts'
import { aboutPhotos, sharp } from '../support/sharp.ts'
import { until } from '../support/until.ts'

const site = await openSite({ after })

const withScripts = await site.visit({ after })
const withoutScripts = await site.visit({ after }, { javaScriptEnabled: false })

for (const page of [withoutScripts, withScripts]) {
  const [how, who] =
    page === withScripts ? ['with scripts', 'with'] : ['without scripts', 'without']

  test(`${how}, the form becomes a new lead, and its sender sees the reference [plain.form]`, async () => {
    await openForm(page)
    const person = { ...robin, email_1: `robin-${who}@example.com` }
    await fillIn(page, person)
    const posting = page.waitForRequest(`**${routes.lead.path}`)
    await sendButton(page).click()
    await page.waitForURL(`**${thanksPath}`)

    const lead = leadOf(person.email_1)
    assert.deepEqual([lead.door, lead.state, lead.botcheck], ['form', 'new', ''])
    for (const { name, key } of fields) assert.equal(lead.values[key], person[name])
    assert.ok(await page.getByText(lead.reference).isVisible())
    const copying = page.getByRole('button', { name: 'Copy the link' })
    assert.equal(await copying.isVisible(), page === withScripts)
    const sent = new URLSearchParams((await posting).postData()!)
    assert.equal(sent.get(trapName), '', 'the trap goes along, and empty')
  })

  test(`${how}, a failed form comes back with every typed word, and can be put right [form.problem]`, async () => {
    await openForm(page)
    const person = {
      name_1: `O'Brien & "Söhne" <b>`,
      // The browser lets it pass: HTML asks for no dot.
      email_1: 'obrien@example',
      phone_1: '+61 491 570 006',
      text_1: '0800',
      textarea_1: 'A deck,\n\n  with </textarea> steps 🙂',
    }
    await fillIn(page, person)
    await sendButton(page).click()
    const summary = page.getByRole('alert')
    await summary.waitFor()

    assert.equal(new URL(page.url()).pathname, contactPath)
    for (const [name, typed] of Object.entries(person)) {
      assert.equal(await field(page, name).inputValue(), typed)
    }
    await until(() => isFocused(summary), 'the summary has the focus')
    await summary.getByRole('link', { name: 'look right' }).click()
    const email = field(page, 'email_1')
    await until(() => isFocused(email), 'its link leads to the field')
    assert.equal(await email.getAttribute('aria-invalid'), 'true')
    assert.match(await descriptionOf(page, 'email_1'), /one @, a dot after it, and no spaces/)
    assert.equal(await field(page, 'name_1').getAttribute('aria-invalid'), null)
    await assertBeside(page, 'email_1')

    await email.fill(`obrien-${who}@example.com`)
    await sendButton(page).click()
    await page.waitForURL(`**${thanksPath}`)
    const { values, state } = leadOf(`obrien-${who}@example.com`)
    assert.deepEqual(
      [state, values.name, values.message],
      ['new', person.name_1, person.textarea_1],
    )
  })
}

test('going back finds every typed word, in a browser that loads the page again', async () => {
  for (const page of [withoutScripts, withScripts]) {
    await openForm(page)
    await fillIn(page, robin)
    await page.goto('/')
    // Playwright turns off the cache in which Chromium would keep the page as it was.
    await page.goBack()
    for (const { name } of fields) {
      const isBack = async () => (await field(page, name).inputValue()) === robin[name]
      await until(isBack, `${name} is filled in again`)
    }
  }
})

test('after a message that is far too long, the page says that it is gone, and going back finds it', async () => {
  for (const page of [withoutScripts, withScripts]) {
    await openForm(page)
    // Six bytes each as a form sends them, and few to draw.
    const message = 'ä'.repeat(12_000)
    await fillIn(page, { ...robin, textarea_1: message })
    await sendButton(page).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.match(
      await alert.innerText(),
      /too long for me to receive, so it is gone from this form/,
    )
    assert.deepEqual(
      [await field(page, 'name_1').inputValue(), await field(page, 'textarea_1').inputValue()],
      [robin.name_1, ''],
    )
    await page.goBack()
    const isBack = async () => (await field(page, 'textarea_1').inputValue()) === message
    await until(isBack, 'the message is there again')
  }
})

test('the pressed button says that it is sending, one press is one send, and going back finds it ready', async () => {
  await openForm(withScripts)
  const button = withScripts.locator('main form button')
  const words = await button.innerText()
  // The page is left at once: what the button said is noted in it.
  await withScripts.evaluate(`{
    const pressed = document.querySelector('main form button')
    const note = () => sessionStorage.setItem('said', pressed.innerText + ' ' + pressed.disabled)
    new MutationObserver(note).observe(pressed, { childList: true, attributes: true })
  }`)
  await fillIn(withScripts, { name_1: 'Sam', email_1: 'once@example.com' })
  await button.dblclick()
  await withScripts.waitForURL(`**${thanksPath}`)
  leadOf('once@example.com')
  assert.equal(await withScripts.evaluate("sessionStorage.getItem('said')"), 'Sending… true')
  await withScripts.goBack()
  await until(() => button.isEnabled(), 'the form is ready again')
  assert.equal(await button.innerText(), words)
})

test('with the keyboard alone: past the navigation, through the fields in their order, and Enter sends', async () => {
  const page = withScripts
  const typist = { ...robin, email_1: 'typist@example.com' }
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
    await page.keyboard.type(typist[name])
  }
  await page.keyboard.press('Tab')
  await until(() => isFocused(sendButton(page)), 'the button comes after the last field')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${thanksPath}`)
  const lead = site.leads().find(({ values }) => values.email === typist.email_1)
  assert.equal(lead?.values.message, typist.textarea_1)
})

test('a request can be taken back from its receipt, without scripts [plain.form]', async () => {
  const page = withoutScripts
  await fillIn(await openForm(page), { name_1: 'Sam Sender', email_1: 'back@example.com' })
  await sendButton(page).click()
  await page.waitForURL(`**${thanksPath}`)
  await page.locator(`a[href^="${routes.receipt.path}"]`).click()
  await page.waitForURL(`**${routes.receipt.path}*`)
  const address = page.url()
  const button = page.getByRole('button', { name: 'withdraw' })
  assert.equal(await button.isVisible(), false, 'one press alone takes nothing back')
  await page.getByText('Withdraw this request').click()
  await button.click()
  await page.getByText(receiptMessages.withdrawn).waitFor()

  assert.equal(page.url(), address)
  assert.match(await page.locator('[aria-current=step]').innerText(), /^Withdrawn/)
  assert.equal(await button.count(), 0)
  assert.equal(leadOf('back@example.com').state, 'withdrawn')
})

test('a form sent without signal says so and keeps what was typed: the request, and another time', async () => {
  const page = withScripts
  await fillIn(await openForm(page), { name_1: 'Mai Example', email_1: 'signal@example.com' })
  await pressWithoutSignal(page, sendButton(page))
  assert.equal(await field(page, 'name_1').inputValue(), 'Mai Example')
  await sendButton(page).click()
  await page.waitForURL(`**${thanksPath}`)
  await page.getByRole('link', { name: 'See your request' }).click()

  await bookVisit(site, leadOf('signal@example.com').id)
  await page.reload()
  await page.getByText('Another time, please').click()
  await page.getByLabel('Which days').fill('Friday after 3 pm would suit me.')
  const button = page.getByRole('button', { name: 'Ask for another time' })
  await pressWithoutSignal(page, button)
  assert.equal(await page.getByLabel('Which days').inputValue(), 'Friday after 3 pm would suit me.')
  await button.click()
  await page.getByText('You asked for another time;').waitFor()
})

test(
  'photos are sent from the thanks page, again after a broken line, and one is removed',
  aboutPhotos,
  async () => {
    const page = withScripts
    await fillIn(await openForm(page), { name_1: 'Mai Example', email_1: 'photos@example.com' })
    await sendButton(page).click()
    await page.waitForURL(`**${thanksPath}`)
    const photos = ['share.png', 'icon-512.png'].map((name) => `public/${name}`)
    await page.context().setOffline(true)
    await page.getByLabel('Add photos').setInputFiles(photos)
    const again = page.getByRole('button', { name: /^Send again: Photo/ })
    await until(async () => (await again.count()) === 2, 'both have failed')
    assert.deepEqual(await violations(page), [])
    await page.context().setOffline(false)
    for (let left = 2; left > 0; left -= 1) await again.first().click()
    const sent = page.getByText('Sent', { exact: true })
    await until(async () => (await sent.count()) === 2, 'both are sent')
    await page.getByRole('button', { name: 'Remove Photo 1' }).click()
    await page.getByText('Photo 1 was removed.').waitFor({ state: 'attached' })

    await page.getByRole('link', { name: 'See your request' }).click()
    await page.getByAltText('Photo 1 of 1, from you').waitFor()
    assert.equal(leadOf('photos@example.com').photos, 1)
  },
)

test(
  'a photo that waits its turn goes by itself; a refused one takes no room, and what is left out is named',
  aboutPhotos,
  async () => {
    const page = withScripts
    await fillIn(await openForm(page), { name_1: 'Mai Example', email_1: 'busy@example.com' })
    await sendButton(page).click()
    await page.waitForURL(`**${thanksPath}`)
    const json = JSON.stringify({ error: { code: 'PHOTOS_BUSY' } })
    const headers = { 'Content-Type': 'application/json', 'Retry-After': '1' }
    await page.route('**/photos', (route) => route.fulfill({ status: 503, headers, body: json }), {
      times: 1,
    })
    const colours = ['red', 'lime', 'blue', 'cyan', 'gold', 'gray', 'pink']
    const photos = await Promise.all(
      colours.map(async (background) => {
        const create = { width: 40, height: 30, channels: 3, background } as const
        return {
          name: `${background}.png`,
          mimeType: 'image/png',
          buffer: await sharp({ create }).png().toBuffer(),
        }
      }),
    )
    const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no photo') }
    const input = page.getByLabel('Add photos')
    await input.setInputFiles([broken, ...photos.slice(0, 1)])
    await page
      .getByRole('alert')
      .getByText('broken.png: That is no photo that can be read here')
      .waitFor()
    const sent = page.getByText('Sent', { exact: true })
    await until(async () => (await sent.count()) === 1, 'the good one is sent')
    assert.equal(await page.getByRole('button', { name: /^Send again/ }).count(), 0)

    await input.setInputFiles(photos.slice(1))
    await until(async () => (await sent.count()) === 6, 'six are sent')
    await page.getByRole('alert').getByText('There was no room for pink.png.').waitFor()
    await page.getByText('Photo 7 was sent. There is room for no more.').waitFor()
    assert.deepEqual(await violations(page), [])
    assert.equal(leadOf('busy@example.com').photos, 6)
  },
)

test('on a machine without a network, a form of the site that runs on it is sent', async () => {
  const page = await withScripts.context().newPage()
  await takeNetworkAway(page)
  await fillIn(await openForm(page), { name_1: 'Sam Sample', email_1: 'plane@example.com' })
  await sendButton(page).click()
  await page.waitForURL(`**${thanksPath}`)
  leadOf('plane@example.com')
})

/** Presses twice, as people do. The signal is back afterwards. */
async function pressWithoutSignal(page: Page, button: Locator): Promise<void> {
  await page.context().setOffline(true)
  await button.click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  await button.click()
  await until(async () => (await alert.count()) === 1, 'it is said once')
  assert.match(
    await alert.innerText(),
    /^No signal: nothing was sent\. What you typed is still here\./,
  )
  await page.context().setOffline(false)
}

/** Fails unless there is exactly one lead of this email. */
function leadOf(email: string) {
  const found = site.leads().filter(({ values }) => values.email === email)
  assert.equal(found.length, 1, `${found.length} leads of ${email}`)
  return found[0]!
}

/** What a screen reader adds after the label. */
async function descriptionOf(page: Page, name: string): Promise<string> {
  const ids = (await field(page, name).getAttribute('aria-describedby'))!.split(' ')
  return (await Promise.all(ids.map((id) => page.locator(`#${id}`).innerText()))).join(' ')
}

/** No other field stands between a field and what is said of it. */
async function assertBeside(page: Page, name: string): Promise<void> {
  const gap = await page.locator(`#${name}-problem`).evaluate((problem, id) => {
    const input = problem.ownerDocument.getElementById(id)
    // Both at once: the page may be scrolling.
    return input.getBoundingClientRect().top - problem.getBoundingClientRect().bottom
  }, name)
  assert.ok(gap >= 0 && gap < 40, `${gap} px between the problem and its field`)
}
