import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import ICAL from 'ical.js'
import type { BrowserContextOptions, Page, Worker } from 'playwright-core'
import { Links } from '../../src/access/links.ts'
import { routes, thanksPath } from '../../src/contract/routes.ts'
import { paths } from '../../src/doors/inbox/paths.ts'
import { startService, type Service } from '../../src/main.ts'
import { planRecipients } from '../../src/delivery/channels.ts'
import { readBusinessOf } from '../../src/operator/open.ts'
import { openToServe } from '../../src/store/open.ts'
import { localTime, minuteMs, momentOf, secondMs } from '../../src/time.ts'
import { aDesk, bringSession, openBrowser, visited } from '../support/browser.ts'
import { listeningLog, settingsOf } from '../support/delivery.ts'
import { mai, robin } from '../support/leads.ts'
import { listenTo, misfits, violations } from '../support/page-checks.ts'
import { newPhone, openPushService, type Phone } from '../support/push-service.ts'
import { freePort, postLead, temporaryFolder, type Cleaner } from '../support/service.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'
import { until } from '../support/until.ts'

const zone = 'Australia/Sydney'
const monday = momentOf('2026-11-16', 10 * 60, zone)
const tuesday = momentOf('2026-11-17', 7 * 60 + 30, zone)
const friday = momentOf('2026-11-20', 16 * 60 + 30, zone)
const visit = { day: '2026-11-20', hour: '15:00', place: '12 Example Street, Lismore' }
const visitInWords = 'Friday 20 November, 3 pm'
const mostScriptBytes = 30_000

test("the owner's day: a request comes in, is tried, comes back, is booked, visited and won [day.whole]", async (t) => {
  const day = await openDay(t)
  await bothLookAtToday(day)
  const receipt = await requestComesIn(day)
  await pushIsShown(day)
  await nobodyAnswers(day)
  await requestComesBack(day)
  await deskBooksVisit(day)
  await calendarsHaveVisit(day)
  await receiptTellsVisit(receipt)
  await phoneWins(day)
  await figuresAreTrue(day)
  await mailServerGoesAway(day)
  assert.deepEqual(day.troubles, [])
})

async function bothLookAtToday({ alex, sam }: Day): Promise<void> {
  for (const { page } of [alex, sam]) {
    await page.goto(paths.list)
    await page.getByText('Nobody is waiting for you.').waitFor()
  }
  assert.ok((await scriptBytes(alex.page)) <= mostScriptBytes)
}

/** As the form sends it. Returns the address of its receipt. */
async function requestComesIn(day: Day): Promise<string> {
  const form = { method: 'POST', body: new URLSearchParams(robin), redirect: 'manual' } as const
  const sent = await fetch(day.url + routes.lead.path, form)
  const cookie = sent.headers.getSetCookie().map((each) => each.split(';')[0])
  const thanks = await fetch(day.url + thanksPath, { headers: { cookie: cookie.join('; ') } })
  const [, receipt] = new RegExp(`href="(${routes.receipt.path}[^"]+)`).exec(await thanks.text())!
  await day.pass(10 * secondMs)
  for (const { page } of [day.alex, day.sam]) {
    await page.getByRole('link', { name: '1 new request' }).click()
    await rowOf(page, robin.name_1).waitFor()
  }
  const { emails } = day.mail
  const isOwners = ({ recipients }: (typeof emails)[number]) => recipients.includes(ownerEmail)
  await until(() => emails.some(isOwners), 'the owner has an email')
  assert.match((await parseEmail(emails.find(isOwners)!)).text!, /Robin Example/)
  return day.url + receipt
}

/** The phone's own worker shows what came through the push service: the place, and no name. */
async function pushIsShown({ alex, sam, url }: Day): Promise<void> {
  for (const { phone } of [alex, sam]) {
    await until(() => phone.messages().length === 1, 'the push has come')
    assert.doesNotMatch(JSON.stringify(phone.messages()), /robin|0491|hardwood/i)
  }
  const [worker] = alex.page.context().serviceWorkers() as [Worker]
  // Without a screen it can show neither a notification nor a badge.
  await worker.evaluate(`self.shown = []
    registration.showNotification = async (title, { icon, data }) => void shown.push(title, icon, data)
    navigator.setAppBadge = async (count) => void shown.push(count)`)
  await alex.deliverPush(JSON.stringify(alex.phone.messages()[0]))
  await until(() => worker.evaluate<boolean>('shown.length === 4'), 'the push is shown')
  const lead = await rowOf(alex.page, robin.name_1).locator('.open').getAttribute('href')
  const shown = ['New request, Lismore', '/icon-192.png', `${url}${lead}`, 1]
  assert.deepEqual(await worker.evaluate('shown'), shown)
}

async function nobodyAnswers({ alex, sam }: Day): Promise<void> {
  const { page } = alex
  await openRequest(page)
  await page.getByRole('button', { name: 'No answer' }).click()
  await page.getByText('You rang, and nobody answered.').waitFor()
  await page.getByRole('button', { name: 'Tomorrow 7 am' }).click()
  await page.getByText('Ring again: Tuesday 17 November, 7 am', { exact: true }).waitFor()
  for (const each of [page, sam.page]) {
    await each.goto(paths.list)
    await each.getByText('Nobody is waiting for you.').waitFor()
  }
}

/** Nobody touches a screen: the open lists of yesterday say by themselves that a date has come. */
async function requestComesBack(day: Day): Promise<void> {
  await day.passTo(tuesday)
  for (const { page } of [day.alex, day.sam]) {
    await page.getByRole('link', { name: 'Show what has changed' }).click()
    await rowOf(page, robin.name_1).getByText('ring 7 am', { exact: true }).waitFor()
  }
}

async function deskBooksVisit({ sam: { page } }: Day): Promise<void> {
  await openRequest(page)
  await page.getByText('Book a visit').click()
  const dates = page.locator('#visit')
  await dates.getByLabel('Day', { exact: true }).fill(visit.day)
  await dates.getByLabel('Hour', { exact: true }).fill(visit.hour)
  await dates.getByLabel('Place').fill(visit.place)
  assert.ok(await dates.getByLabel("Show the time on Robin's receipt").isChecked())
  await dates.getByRole('button', { name: 'Save visit' }).click()
  await page.getByText(`Visit: ${visitInWords}`).waitFor()
  assert.deepEqual(await violations(page), [])
}

async function calendarsHaveVisit({ alex, sam }: Day): Promise<void> {
  const downloading = sam.page.waitForEvent('download')
  await sam.page.getByRole('link', { name: 'Add to calendar' }).click()
  const file = readFileSync(await (await downloading).path(), 'utf8')
  await alex.page.goto(paths.settings)
  const address = await alex.page.locator('code', { hasText: paths.calendar }).first().innerText()
  const feed = await (await fetch(address)).text()
  for (const text of [file, feed]) {
    const event = onlyEvent(text)
    const at = localTime(event.startDate.toJSDate().getTime(), zone)
    assert.deepEqual(at, { date: visit.day, day: 'Friday', minute: 15 * 60 })
    assert.equal(event.location, visit.place)
  }
  assert.match(onlyEvent(file).summary, /Robin Example/)
  assert.doesNotMatch(feed, /Robin/)
}

async function receiptTellsVisit(receipt: string): Promise<void> {
  const words = `Consultation booked: ${visitInWords}.`
  const page = await (await fetch(receipt, { headers: { accept: 'text/html' } })).text()
  assert.ok(page.includes(words), page)
  assert.ok(!page.includes(visit.place), page)
  const answer = await fetch(receipt, { headers: { accept: 'application/json' } })
  const { message, visit_at: at } = (await answer.json()) as Record<string, string>
  assert.deepEqual([message, at], [words, '2026-11-20T04:00:00.000Z'])
}

async function phoneWins(day: Day): Promise<void> {
  const { page } = day.alex
  await day.passTo(friday)
  await page.goto(paths.list)
  await assertRed(page, '3 pm')
  await openRequest(page)
  await page.getByRole('button', { name: 'Won', exact: true }).click()
  await page.getByText('Won: Robin Example.').waitFor()
}

async function figuresAreTrue({ sam: { page } }: Day): Promise<void> {
  await page.goto(paths.figures)
  for (const words of [
    '1 request came in, 1 from people and 0 from agents.',
    // Monday from ten to half past four, and half an hour of Tuesday.
    'Half of the people you contacted heard from you within about a working day',
    '0 are still waiting.',
    'You contacted 1 of 1, booked 1 and won 1.',
    '1 of 1 came from the places you serve, most from Lismore: 1.',
    '1 came by the form on the website, 0 by agents.',
  ]) {
    assert.ok((await page.locator('main').innerText()).includes(words), words)
  }
}

async function mailServerGoesAway(day: Day): Promise<void> {
  for (const { page } of [day.alex, day.sam]) await page.goto(paths.list)
  await day.mail.close()
  assert.equal((await postLead(day.url, mai)).status, 200)
  for (const { phone } of [day.alex, day.sam]) {
    await until(() => phone.messages().length === 2, 'the push comes without the mail server')
  }
  await day.pass(5 * minuteMs)
  for (const { page } of [day.alex, day.sam]) {
    await page.getByRole('link', { name: '1 new request' }).click()
    const alert = page.locator('.alert')
    const words = await alert.innerText()
    assert.match(words, /^No mail notification has gone out since Fri, 20 Nov, /)
    assert.match(words, /The requests are kept, .* The command .*doctor shows what is wrong\.$/)
    const [above, row] = [await alert.boundingBox(), await rowOf(page, mai.name_1).boundingBox()]
    assert.ok(above!.y < row!.y)
    assert.equal((await misfits(page)).sidewaysPx, 0)
  }
}

const onPhone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const atDesk = { viewport: aDesk }
const ownerEmail = 'owner@example.com'

type Seat = { page: Page; phone: Phone; deliverPush(data: string): Promise<void> }
type Day = Awaited<ReturnType<typeof openDay>>

async function openDay(t: Cleaner) {
  const running: Service[] = []
  t.after(() => Promise.all(running.map((service) => service.stop())))
  const [mail, pushes, port] = [await openMailSink(t), await openPushService(t), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const dataDir = temporaryFolder(t)
  const place = { HOST: '127.0.0.1', PORT: String(port), BASE_URL: url, DATA_DIR: dataDir }
  const settings = settingsOf({ ...place, RATE_LIMIT: 'off', ...byMail(mail) })
  const log = listeningLog([])
  const recipients = planRecipients(settings, readBusinessOf(settings))
  const beforeMigration = () => Promise.resolve()
  const store = await openToServe(settings, { log, recipients, beforeMigration })
  const clock = { now: monday }
  const now = () => clock.now
  const options = { now, pushServices: [pushes.origin] }
  running.push(await startService(settings, log, store, options))
  const { visit: open } = visited({ url, dataDir }, await openBrowser(t))
  const troubles: string[] = []
  const seats: Seat[] = []

  const sit = async (name: string, screen: BrowserContextOptions): Promise<Seat> => {
    const page = await open(t, { ...screen, permissions: ['notifications'] })
    await page.context().clock.install({ time: clock.now })
    listenTo(page, url, troubles)
    const member = { id: name, name, email: `${name}@example.com`, madeAt: clock.now }
    await store.access.addMember(member)
    await bringSession(page, url + paths.link + (await new Links(store.access, now).give(member)))
    const phone = newPhone(pushes, name)
    const deliverPush = await tellThisPhone(page, phone)
    const seat = { page, phone, deliverPush }
    seats.push(seat)
    return seat
  }
  const passTo = async (at: number) => {
    const ms = at - clock.now
    clock.now = at
    for (const { page } of seats) await page.context().clock.fastForward(ms)
  }
  const [alex, sam] = [await sit('Alex', onPhone), await sit('Sam', atDesk)]
  const pass = (ms: number) => passTo(clock.now + ms)
  return { url, mail, alex, sam, troubles, pass, passTo }
}

/** This browser has no push service: its subscription is that of `phone`. Answers how its worker gets a push. */
async function tellThisPhone(page: Page, { subscription }: Phone): Promise<Seat['deliverPush']> {
  const devtools = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      const active = versions.find(({ status }) => status === 'activated')
      if (active !== undefined) resolve(active.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  await page.goto(paths.devices)
  const given = JSON.stringify(subscription)
  await page.evaluate(
    `PushManager.prototype.subscribe = async () => ({ toJSON: () => (${given}) })`,
  )
  await page.getByRole('button', { name: 'Turn on notifications' }).click()
  await page.getByRole('button', { name: 'Send a test' }).waitFor()
  const registrationId = await registered
  const { origin } = new URL(page.url())
  return async (data) => {
    await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }
}

function rowOf(page: Page, name: string) {
  return page.locator('main > .leads > .lead').filter({ hasText: name })
}

async function openRequest(page: Page): Promise<void> {
  await rowOf(page, robin.name_1).locator('.open').click()
  await page.getByRole('heading', { name: robin.name_1 }).waitFor()
}

async function assertRed(page: Page, date: string): Promise<void> {
  const age = rowOf(page, robin.name_1).getByText(date)
  const colour = await age.evaluate(
    (element) => element.ownerDocument.defaultView.getComputedStyle(element).color as string,
  )
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number)
  assert.ok(red > 2 * green && red > 2 * blue, `${date} is ${colour}`)
}

function onlyEvent(text: string): ICAL.Event {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
  const [event, ...others] = calendar.getAllSubcomponents('vevent')
  assert.equal(others.length, 0)
  return new ICAL.Event(event)
}

async function scriptBytes(page: Page): Promise<number> {
  const inPage = await page.locator('script[src]').evaluateAll((all) => all.map(({ src }) => src))
  const texts = [...inPage, new URL(paths.worker, page.url()).href].map(async (address: string) =>
    Buffer.byteLength(await (await page.request.get(address)).body()),
  )
  return (await Promise.all(texts)).reduce((sum, bytes) => sum + bytes, 0)
}
