/** What the scripts of the pictures share: a service, its people, a signed-in owner. */
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { leadIntake } from '../../test/support/operator.ts'
import { startServiceProcess, temporaryFolder, type Cleaner } from '../../test/support/service.ts'

/** Name, phone, postcode, words. The first one is the one that is opened. */
export const people = [
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

type PictureSite = { url: string; dataDir: string }

export async function openPictureSite(cleaner: Cleaner, env = {}): Promise<PictureSite> {
  const dataDir = temporaryFolder(cleaner)
  const service = await startServiceProcess({ dataDir, env })
  cleaner.after(() => service.stop())
  return { url: service.url, dataDir }
}

export async function signIn(
  { url, dataDir }: PictureSite,
  browser: Browser,
  options: BrowserContextOptions,
): Promise<Page> {
  const who = ['--email', 'sam@example.com', '--name', 'Sam', '--json']
  const link = await leadIntake({ dataDir }, ['inbox', 'link', ...who], { BASE_URL: url })
  const page = await browser.newPage(options)
  await page.goto((JSON.parse(link.out) as { url: string }).url)
  await page.locator('main button').click()
  await page.goto(`${url}/inbox/`)
  return page
}

export async function sendLead(
  url: string,
  [name, phone, postcode, words]: (typeof people)[number],
): Promise<void> {
  const body = new URLSearchParams({
    name_1: name,
    email_1: `${name.split(' ')[0]!.toLowerCase()}@example.com`,
    phone_1: phone,
    text_1: postcode,
    textarea_1: words,
  })
  await fetch(`${url}/api/lead`, { method: 'POST', body, redirect: 'manual' })
}

/** A script has no test that would clean up after it. */
export async function withCleaner(work: (cleaner: Cleaner) => Promise<void>): Promise<void> {
  const cleanups: (() => unknown)[] = []
  try {
    await work({ after: (callback) => void cleanups.unshift(callback) })
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}

export function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
