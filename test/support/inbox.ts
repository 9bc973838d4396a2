/** The inbox as a function, and browsers that keep their cookies. */
import { Links } from '../../src/access/links.ts'
import { inboxPath } from '../../src/contract/routes.ts'
import { hourMs } from '../../src/time.ts'
import { Limits } from '../../src/lead/limits.ts'
import { createInboxDoors, type InboxDoors } from '../../src/doors/inbox/doors.ts'
import type { AccessStore, Member } from '../../src/store/access/store.ts'
import { toTestAnswer, type TestAnswer } from './app.ts'
import type { Cleaner } from './service.ts'
import { openTestDelivery, secret, type DeliveryOptions, type TestDelivery } from './delivery.ts'
import { newDatabase } from './engines.ts'
import { byMail } from './sink.ts'
import { type MailSink } from './smtp.ts'
import { until } from './until.ts'

export const baseUrl = 'https://decks.example.com'
export const robin = { name: 'Robin', email: 'robin@example.com' }
export const sam = { name: 'Sam', email: 'sam@example.com' }

export type TestInbox = Pick<
  TestDelivery,
  'app' | 'clock' | 'lines' | 'database' | 'store' | 'take' | 'settle' | 'pass' | 'withdraw'
> & {
  access: AccessStore
  /** The same doors once more, for a look at the table, or with a store that was changed. */
  doors(): InboxDoors
  browser(options?: { network?: string }): TestBrowser
  /** The path of a one-time address; without a member yet, for the set-up. */
  linkFor(member?: Member): Promise<string>
  /** Makes the first member, or another one, signed in in a browser of his. */
  member(who: { name: string; email: string }): Promise<{ member: Member; browser: TestBrowser }>
}

export type InboxAnswer = Omit<TestAnswer, 'json'> & {
  /** What its script was told. */
  json: { to?: string; say?: string; challenge?: string }
}

export type TestBrowser = {
  jar: Map<string, string>
  get(path: string, headers?: Record<string, string>): Promise<InboxAnswer>
  /** Posts like a form of the inbox. */
  post(
    path: string,
    fields?: Record<string, string> | URLSearchParams,
    headers?: Record<string, string>,
  ): Promise<InboxAnswer>
  /** Posts like the script of the inbox. */
  send(path: string, value?: unknown): Promise<InboxAnswer>
}

export async function openInbox(
  t: Cleaner,
  mail?: MailSink,
  { env: more = {}, ...others }: Pick<DeliveryOptions, 'pushServices' | 'env'> = {},
): Promise<TestInbox> {
  const env = { ...(mail ? byMail(mail) : {}), ...more }
  const service = await openTestDelivery(t, {
    database: newDatabase(t),
    env,
    backupEveryMs: hourMs,
    ...others,
  })
  const { app, clock, lines, database, store, site } = service
  const access = store.access
  const links = new Links(access, () => clock.now)
  const linkFor = async (member?: Member) =>
    `${inboxPath}link/${await links.give(member ?? { name: '', email: '' })}`
  return {
    app,
    clock,
    lines,
    database,
    store,
    take: service.take,
    settle: service.settle,
    pass: service.pass,
    withdraw: service.withdraw,
    access,
    linkFor,
    browser,
    doors() {
      const parts = { store, secret, baseUrl, businessName: 'x' }
      return createInboxDoors({
        ...parts,
        logo: site.logo,
        business: site.business,
        mailsCodes: mail !== undefined,
        taker: service.taker,
        push: service.delivery.push,
        mailCode: () => Promise.resolve(false),
        invite: () => Promise.resolve(),
        limits: new Limits('off'),
        reportFailure() {},
        now: () => clock.now,
      })
    },
    async member(who) {
      const own = browser()
      const isFirst = (await access.listMembers()).length === 0
      const member = { id: `${who.name}-id`, ...who, madeAt: clock.now }
      if (!isFirst) await access.addMember(member)
      const done = await own.post(await linkFor(isFirst ? undefined : member), who)
      if (done.status !== 303) throw new Error(`signing in answered ${done.status}`)
      return { member: (await access.findMemberByEmail(who.email))!, browser: own }
    },
  }

  function browser({ network = '192.0.2.1' } = {}): TestBrowser {
    const userAgent = 'Mozilla/5.0 (iPhone) Safari/604.1'
    const jar = new Map<string, string>()
    const ask = async (
      method: string,
      path: string,
      headers: Record<string, string>,
      body: string,
    ) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      // A browser keeps the fragment to itself.
      const [asked = ''] = path.split('#')
      const [pathOnly = '', query = ''] = asked.split('?')
      const answer = await app.router.answer({
        id: 'test',
        method,
        path: pathOnly,
        query,
        headers: { 'user-agent': userAgent, ...(cookie && { cookie }), ...headers },
        body: Buffer.from(body),
        address: { network, local: false },
      })
      if (answer.logFacts !== undefined) lines.push(JSON.stringify(answer.logFacts))
      const read = await toTestAnswer(answer)
      for (const each of read.cookies) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
        if (each.includes('Max-Age=0')) jar.delete(name)
        else jar.set(name, value)
      }
      return { ...read, json: (read.json ?? {}) as InboxAnswer['json'] }
    }
    const own = { 'sec-fetch-site': 'same-origin' }
    return {
      jar,
      get: (path, headers = {}) => ask('GET', path, headers, ''),
      post: (path, fields = {}, headers = own) =>
        ask('POST', path, headers, new URLSearchParams(fields).toString()),
      send: (path, value = {}) => ask('POST', path, own, JSON.stringify(value)),
    }
  }
}

/** The code in the email of this number or a later one: an invitation may come between. */
export async function mailedCode(mail: MailSink, emails: number): Promise<string> {
  const codes = () =>
    mail.emails
      .slice(emails - 1)
      .flatMap(({ raw }) => /^Subject: (\w{4} \w{4}) is your code/m.exec(raw)?.[1] ?? [])
  await until(() => codes().length > 0, 'a code has come')
  return codes()[0]!
}
