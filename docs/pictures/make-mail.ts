/** Takes the picture of the owner's email: `node docs/pictures/run.ts`. */
import { openBrowser } from '../../test/support/browser.ts'
import { robin } from '../../test/support/leads.ts'
import { openMailSink, parseEmail } from '../../test/support/smtp.ts'
import { until } from '../../test/support/until.ts'
import { openPictureSite, pathOf, withCleaner } from './support.ts'

await withCleaner(async (cleaner) => {
  const mail = await openMailSink(cleaner)
  const { url } = await openPictureSite(cleaner, {
    BASE_URL: 'https://www.example.com',
    SMTP_URL: mail.url,
    OWNER_EMAIL: 'owner@example.com',
  })
  const browser = await openBrowser(cleaner)
  const body = new URLSearchParams(robin)
  await fetch(`${url}/api/lead`, { method: 'POST', body, redirect: 'manual' })
  await until(() => mail.emails.length > 0, 'the owner has an email')
  const { html = '' } = await parseEmail(mail.emails[0]!)
  // A page of its own: the site's Content-Security-Policy forbids the inline styles of an email.
  const email = await browser.newPage({ viewport: { width: 720, height: 400 } })
  await email.setContent(html)
  await email.screenshot({ path: pathOf('mail.png'), fullPage: true })
})
