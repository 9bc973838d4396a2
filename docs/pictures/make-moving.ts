/** Makes the moving pictures: a request arrives, and the owner marks it and undoes that. `node docs/pictures/run.ts`. */
import { writeFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { field, openBrowser, sendButton } from '../../test/support/browser.ts'
import { robin } from '../../test/support/leads.ts'
import { openFilm, screen, type Film, type Phone } from './film.ts'
import { openPictureSite, pathOf, people, sendLead, signIn, withCleaner } from './support.ts'

/** A field that is brought up, and how far below the top of the screen it is then. */
const scrolls: Readonly<Record<string, number>> = { name_1: 90, text_1: 60 }

await withCleaner(async (cleaner) => {
  const site = await openPictureSite(cleaner)
  const browser = await openBrowser(cleaner)
  const sender = await browser.newPage({ viewport: screen })
  const owner = await signIn(site, browser, { viewport: screen })

  const left: Phone = { name: 'Robin’s phone', page: sender }
  const right: Phone = { name: 'Sam’s phone', page: owner }
  const arrives = await openFilm(browser, [left, right])
  await sender.goto(`${site.url}/contact/`)
  await arrives.show(1400)
  for (const [name, text] of Object.entries(robin)) {
    if (name in scrolls) await scrollTo(sender, field(sender, name), scrolls[name]!)
    await type(arrives, sender, name, text)
  }
  await tap(arrives, left, sendButton(sender))
  await arrives.show(1600)
  await owner.reload()
  await arrives.show(1800)
  await tap(arrives, right, owner.locator('.open').first())
  await arrives.show(3200)
  writeFileSync(pathOf('arrives.webp'), arrives.end())

  for (const person of people.slice(1)) await sendLead(site.url, person)
  await owner.goto(`${site.url}/inbox/`)
  const phone: Phone = { name: 'One thumb', page: owner }
  const undo = await openFilm(browser, [phone])
  await undo.show(1800)
  await tap(undo, phone, owner.locator('.open').first())
  await undo.show(1400)
  await touch(undo, phone, owner.locator('.reach a').first())
  await undo.show(900)
  const contacted = owner.getByRole('button', { name: 'Spoke to them' })
  await scrollTo(owner, contacted, 330)
  await undo.show(700)
  await tap(undo, phone, contacted)
  await undo.show(2200)
  await tap(undo, phone, owner.getByRole('button', { name: 'Undo' }).first())
  await undo.show(2600)
  writeFileSync(pathOf('undo.webp'), undo.end())
})

/** Two emails, half, all: enough to see somebody type. */
async function type(film: Film, page: Page, name: string, text: string): Promise<void> {
  for (const length of [2, Math.ceil(text.length / 2), text.length]) {
    await field(page, name).fill(text.slice(0, length))
    await film.show(length === text.length ? 350 : 160)
  }
}

async function tap(film: Film, phone: Phone, target: Locator): Promise<void> {
  await touch(film, phone, target)
  await target.click()
  await phone.page.waitForLoadState()
}

async function touch(film: Film, phone: Phone, target: Locator): Promise<void> {
  const box = (await target.boundingBox())!
  phone.finger = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await film.show(600)
  phone.finger = undefined
}

/** So that its top is so far below that of the screen. */
async function scrollTo(page: Page, target: Locator, top: number): Promise<void> {
  const { y } = (await target.boundingBox())!
  await page.mouse.wheel(0, y - top)
  await page.waitForFunction(`new Promise((done) => requestAnimationFrame(() => done(true)))`)
}
