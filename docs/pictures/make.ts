/** Takes the README's pictures, of the contact page and of the owner's mail: `npm run pictures`. */
import { fileURLToPath } from 'node:url'
import { openBrowser } from '../../test/support/browser.ts'
import type { Cleaner } from '../../test/support/cleaner.ts'
import { robin } from '../../test/support/people.ts'
import { startServiceProcess, temporaryFolder } from '../../test/support/service.ts'
import { openMailSink, parseLetter } from '../../test/support/smtp.ts'
import { until } from '../../test/support/until.ts'

const cleanups: (() => unknown)[] = []
const cleaner: Cleaner = { after: (callback) => void cleanups.unshift(callback) }

try {
  const mail = await openMailSink(cleaner)
  const env = {
    BASE_URL: 'https://www.example.com',
    SMTP_URL: mail.url,
    OWNER_EMAIL: 'owner@example.com',
    CANARY: 'off',
    DIGESTS: 'off',
  }
  const service = await startServiceProcess({ dataDir: temporaryFolder(cleaner), env })
  cleaner.after(() => service.stop())
  const browser = await openBrowser(cleaner)
  const page = await browser.newPage({ viewport: { width: 1120, height: 800 } })

  await page.goto(`${service.url}/contact/`)
  await page.screenshot({ path: pathOf('contact.png') })

  const headers = { 'content-type': 'application/json' }
  await fetch(`${service.url}/api/lead`, { method: 'POST', headers, body: JSON.stringify(robin) })
  await until(() => mail.letters.length > 0, 'the owner has mail')
  const { html = '' } = await parseLetter(mail.letters[0]!)
  // A page of its own: the site's Content-Security-Policy forbids the inline styles of a mail.
  const letter = await browser.newPage({ viewport: { width: 720, height: 400 } })
  await letter.setContent(html)
  await letter.screenshot({ path: pathOf('mail.png'), fullPage: true })
} finally {
  for (const cleanup of cleanups) await cleanup()
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}
