/** A customer who writes again: her first request is booked for Thursday. */
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import { actAsSender } from '../../src/lead/act.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { minuteMs, secondMs } from '../../src/time.ts'
import { secret } from '../support/delivery.ts'
import { openInbox, robin, type TestBrowser } from '../support/inbox.ts'
import { type Cleaner } from '../support/service.ts'
import { openWebhookSink, verified, webhookSecret } from '../support/sink.ts'
import { openMailSink, parseEmail } from '../support/smtp.ts'

export const wendy = { name_1: 'Wendy', email_1: 'wendy@example.com', phone_1: '0491 570 006' }
export const thursday = Date.parse('2026-11-19T04:00:00.000Z')
export const onThursday = { book: 'visit', day: '2026-11-19', time: '15:00', shown: '1' }
export const onFriday = { book: 'visit', day: '2026-11-20', time: '09:30', shown: '1' }
export const toldThursday = 'Your Consultation: Thursday 19 November, 3 pm'
export const leadIds = new LeadIds(secret)

export async function openWendy(t: Cleaner, second: Partial<typeof wendy> = {}) {
  const mail = await openMailSink(t)
  const hooks = await openWebhookSink(t)
  const hooked = { WEBHOOK_URL: hooks.url, WEBHOOK_SECRET: webhookSecret }
  const inbox = await openInbox(t, mail, { env: { VISIT_TO_SENDER: 'on', ...hooked } })
  const { browser } = await inbox.member(robin)
  const first = await inbox.take({ ...wendy, textarea_1: 'A deck' })
  const again = await inbox.take({ ...wendy, textarea_1: 'Friday suits me better', ...second })
  await browser.post(actPath(first, 'move'), { ...onThursday, place: '12 Example Street' })
  const sentTo = async (address: string) => {
    await inbox.pass(2 * minuteMs + secondMs)
    const own = mail.emails.filter(({ recipients }) => recipients.includes(address))
    return Promise.all(own.map(parseEmail))
  }
  const lead = async (id: string) => (await inbox.store.leads.find(id))!
  return {
    inbox,
    browser,
    first,
    again,
    lead,
    states: async () => Promise.all([first, again].map(async (id) => (await lead(id)).state)),
    join: (id = again, to = first) => browser.post(actPath(id, 'join'), { join: to }),
    /** The ids of the requests that a tab shows, from the top. */
    rows: async (view: string) => {
      const { text } = await browser.get(`${paths.list}?view=${view}`)
      return Array.from(text.matchAll(/id="r-([\w-]+)"/g), ([, id]) => id)
    },
    receipt: async (id: string) => {
      const path = `/receipt/${leadIds.tokenOf(id)}`
      const { text } = await inbox.browser().get(path, { accept: 'application/json' })
      return JSON.parse(text) as Record<string, string | boolean>
    },
    receiptPage: async (id: string) => {
      const path = `/receipt/${leadIds.tokenOf(id)}`
      return (await inbox.browser().get(path, { accept: 'text/html' })).text
    },
    asSender: (act: 'withdraw' | 'erase', leadId: string) =>
      actAsSender(inbox.store, act, { leadId, at: inbox.clock.now }),
    sentTo,
    /** The last webhook about a request. */
    async heard(id: string) {
      await inbox.settle()
      const told = hooks.received.map((each) => verified(each))
      const data = told.map((each) => ({ type: each.type, ...(each.data as HookData).lead }))
      const last = data.findLast((each) => each.id === id)
      return [last?.type, last?.state]
    },
    /** The subjects of the emails about visits that leave after the last change. */
    emails: async () => {
      const all = (await sentTo(wendy.email_1)).map(({ subject = '' }) => subject)
      return all.filter((subject) => subject.startsWith('Your Consultation'))
    },
  }
}

export type HookData = { lead: { id: string; state: string } }

export async function pageOf(browser: TestBrowser, id: string): Promise<string> {
  return (await browser.get(leadPath(id))).text
}
