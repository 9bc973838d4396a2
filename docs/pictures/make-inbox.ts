/** Takes the pictures of the inbox, on a phone and on a desk: `npm run pictures`. */
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../../test/support/browser.ts'
import type { Cleaner } from '../../test/support/cleaner.ts'
import { leadIntake } from '../../test/support/operator.ts'
import { startServiceProcess, temporaryFolder } from '../../test/support/service.ts'

const people = [
  [
    'Robin Example',
    '0491 570 006',
    '2480',
    'A deck of about 4 by 6 metres, one step up to the lawn.',
  ],
  [
    'Sam Sample',
    '0491 570 156',
    '2481',
    'A pergola over the back door, for shade in the afternoon.',
  ],
  [
    'Mai Example',
    '(02) 5550 0100',
    '2478',
    'A Consultation about a deck around our old fig tree, please.',
  ],
  ['Joe Specimen', '0491 570 157', '2482', 'Stairs from the deck to the garden.'],
] as const

const cleanups: (() => unknown)[] = []
const cleaner: Cleaner = { after: (callback) => void cleanups.unshift(callback) }

try {
  const place = { dataDir: temporaryFolder(cleaner) }
  const service = await startServiceProcess(place)
  cleaner.after(() => service.stop())
  for (const person of people) await send(service.url, person)
  const browser = await openBrowser(cleaner)
  const phone = await signIn(browser, service.url, { width: 390, height: 844 }, 'light')
  await phone.screenshot({ path: pathOf('inbox-list.png') })
  await phone.locator('.open').first().click()
  await phone.screenshot({ path: pathOf('inbox-lead.png') })
  const desk = await signIn(browser, service.url, { width: 1120, height: 700 }, 'dark')
  await desk.locator('.open').first().click()
  await desk.screenshot({ path: pathOf('inbox-desk.png') })

  async function signIn(
    from: Browser,
    url: string,
    viewport: { width: number; height: number },
    colorScheme: 'light' | 'dark',
  ): Promise<Page> {
    const who = ['--email', 'robin@example.com', '--name', 'Robin', '--json']
    const link = await leadIntake(place, ['inbox', 'link', ...who], { BASE_URL: url })
    const page = await from.newPage({ viewport, colorScheme })
    await page.goto((JSON.parse(link.out) as { url: string }).url)
    await page.locator('main button').click()
    await page.goto(`${url}/inbox/`)
    return page
  }
} finally {
  for (const cleanup of cleanups) await cleanup()
}

async function send(url: string, [name, phone, postcode, words]: (typeof people)[number]) {
  const lead = {
    name_1: name,
    email_1: `${name.split(' ')[0]!.toLowerCase()}@example.com`,
    phone_1: phone,
    text_1: postcode,
    textarea_1: words,
  }
  const body = new URLSearchParams(lead)
  await fetch(`${url}/api/lead`, { method: 'POST', body, redirect: 'manual' })
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
