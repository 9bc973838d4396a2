/** Takes the pictures of the inbox, on a phone and on a desk: `node docs/pictures/run.ts`. */
import { openBrowser } from '../../test/support/browser.ts'
import { openPictureSite, pathOf, people, sendLead, signIn, withCleaner } from './support.ts'

await withCleaner(async (cleaner) => {
  const site = await openPictureSite(cleaner)
  for (const person of people) await sendLead(site.url, person)
  const browser = await openBrowser(cleaner)
  const phone = await signIn(site, browser, { viewport: { width: 390, height: 844 } })
  await phone.screenshot({ path: pathOf('inbox-list.png') })
  await phone.locator('.open').first().click()
  await phone.screenshot({ path: pathOf('inbox-lead.png') })
  const desk = await signIn(site, browser, {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
  })
  await desk.locator('.open').first().click()
  await desk.screenshot({ path: pathOf('inbox-desk.png') })
})
