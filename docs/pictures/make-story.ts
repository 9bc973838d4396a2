/** Makes the README's first picture: the road of a request, from the pages themselves. `node docs/pictures/run.ts`. */
import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { fillIn, openBrowser, sendButton } from '../../test/support/browser.ts'
import { dayMs, localTime } from '../../src/time.ts'
import { drawStory } from './story.ts'
import { openPictureSite, pathOf, people, sendLead, signIn, withCleaner } from './support.ts'

const [robin, sam, mai, joe] = people
const phone = {
  viewport: { width: 390, height: 716 },
  deviceScaleFactor: 2,
  reducedMotion: 'reduce',
} as const

await withCleaner(async (cleaner) => {
  const site = await openPictureSite(cleaner)
  const browser = await openBrowser(cleaner)
  const sender = await browser.newPage(phone)
  await sender.goto(`${site.url}/contact/`)
  await fillIn(sender, { ...fieldsOf(robin), phone_1: robin[1] })
  const form = await takeForm(sender)
  await sendButton(sender).click()
  await sender.getByRole('link', { name: 'See your request' }).click()
  await sender.getByRole('heading', { name: 'Your Consultation request' }).waitFor()
  const call = await callAsAgent(site.url)
  for (const person of [sam, joe]) await sendLead(site.url, person)

  const owner = await signIn(site, browser, phone)
  const inbox = await owner.screenshot()
  await book(owner, robin[0])
  await sender.reload()
  const receipt = await sender.screenshot()

  const story = { form, call, inbox, receipt }
  writeFileSync(pathOf('story.webp'), await drawStory(browser, story, 830))
  writeFileSync(pathOf('story-phone.webp'), await drawStory(browser, story, 390))
})

/** The end of the form: the last field, and the button. */
async function takeForm(page: Page): Promise<Buffer> {
  const edge = 20
  await sendButton(page).scrollIntoViewIfNeeded()
  const top = (await page.locator('.field').last().boundingBox())!
  const end = (await sendButton(page).boundingBox())!
  const height = end.y + end.height - top.y + 2 * edge
  const clip = { x: 0, y: top.y - edge, width: phone.viewport.width, height }
  return page.screenshot({ clip, caret: 'hide' })
}

async function book(page: Page, name: string): Promise<void> {
  await page.locator('.lead', { hasText: name }).locator('.open').click()
  await page.getByText('Book a visit').click()
  const dates = page.locator('#visit')
  await dates.getByLabel('Day', { exact: true }).fill(dayAfterTomorrow())
  await dates.getByLabel('Hour', { exact: true }).fill('15:00')
  await dates.getByLabel('Place').fill('12 Example Street, Lismore')
  await dates.getByRole('button', { name: 'Save visit' }).click()
  await page.getByText('Visit: ').first().waitFor()
}

function dayAfterTomorrow(): string {
  return localTime(Date.now() + 2 * dayMs, 'Australia/Sydney').date
}

/** What was sent, and what came back. */
async function callAsAgent(url: string): Promise<string[]> {
  const body = JSON.stringify(fieldsOf(mai), undefined, 2)
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/lead`, { method: 'POST', headers, body })
  const { reference } = (await answer.json()) as { reference: string }
  return ['POST /api/lead', ...body.split('\n'), `${answer.status} ${reference}`]
}

function fieldsOf([name, , postcode, words]: (typeof people)[number]) {
  const email = `${name.split(' ')[0]!.toLowerCase()}@example.com`
  return { name_1: name, email_1: email, text_1: postcode, textarea_1: words }
}
