/** A connection is kept for the next email, because connecting takes longer than sending. */
import { needsTls } from '../../contract/webhooks.ts'
import { outcomeOf, type Failure, type Sent } from '../channel.ts'

/** The addresses passed `isEmail`, and `subject` is one line, so that none of them can add a header. */
export type Envelope = {
  to: readonly string[]
  replyTo?: string
  subject: string
  text: string
  html: string
  messageId: string
  follows?: string
  date: number
}

export type MailServerSettings = {
  url: string
  from: { name: string; address: string }
}

const connectMs = 10_000
/** Long, because a server may check an email before it answers (RFC 5321, 4.5.3.2). */
const silenceMs = 100_000
const idleMs = 5_000
/** Many servers close a connection after a few hundred emails, so ours is closed earlier. */
const emailsPerConnection = 100

export class MailServer {
  readonly #url: string
  readonly #from: MailServerSettings['from']
  readonly #options: ReturnType<typeof toOptions>
  readonly #idle: Transport[] = []
  #closed = false

  constructor(settings: MailServerSettings) {
    this.#url = settings.url
    this.#from = settings.from
    this.#options = toOptions(settings.url)
  }

  async send(envelope: Envelope, signal: AbortSignal): Promise<Sent> {
    const transport = this.#idle.pop() ?? (await openTransport(this.#options))
    const giveUp = () => transport.close({ force: true })
    if (signal.aborted) {
      giveUp()
      return toMailFailure(timedOut)
    }
    signal.addEventListener('abort', giveUp)
    try {
      const mail = toMail(envelope, this.#from)
      const { response, accepted, rejectedErrors = [] } = await transport.sendMail(mail)
      if (this.#closed) transport.close()
      else this.#idle.push(transport)
      // Recipients refused for good do not count as a failure: a retry would not reach them.
      const refusals = (rejectedErrors as unknown[]).map(toMailFailure)
      const failed = refusals.find((sent) => sent.kind === 'failed')
      if (failed !== undefined) return { ...failed, accepted }
      return { kind: 'delivered', answer: codesOf(response) }
    } catch (error) {
      giveUp()
      return toMailFailure(signal.aborted ? timedOut : error)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  explain(sent: Sent): string {
    return mailFailureWords(sent, this.#url)
  }

  close(): void {
    this.#closed = true
    for (const transport of this.#idle.splice(0)) transport.close()
  }
}

/** Sends no email. Returns `undefined` if connecting and logging in worked. */
export async function tryMailServer(url: string): Promise<Sent | undefined> {
  const { createTransport } = await loadMailer()
  const transport = createTransport(toOptions(url))
  try {
    await transport.verify()
    return undefined
  } catch (error) {
    return toMailFailure(error)
  } finally {
    transport.close()
  }
}

const timedOut = { code: 'ETIMEDOUT' }

type Transport = Awaited<ReturnType<typeof openTransport>>

/** nodemailer takes 20 MB of memory, so it is loaded when it is first needed. */
function loadMailer() {
  return import('nodemailer')
}

/** A pool has one connection, because nodemailer can abort a pool, but not one email of it. */
async function openTransport(options: ReturnType<typeof toOptions>) {
  const { createTransport } = await loadMailer()
  return createTransport({
    ...options,
    pool: true,
    maxConnections: 1,
    maxMessages: emailsPerConnection,
    idleTimeout: idleMs,
    // If the server has closed an idle connection, the email is sent once more on a new one.
    maxRequeues: 1,
  })
}

function toOptions(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host,
    secure: protocol === 'smtps:',
    ...(port ? { port: Number(port) } : {}),
    ...encryptionOf(host, url),
    // `forceAuth`: no email is sent without login, even if the server offers none.
    ...(username ? { auth, forceAuth: true } : {}),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** For `smtp:`, TLS is required on the internet, tried in one's own network, unused on loopback. */
function encryptionOf(host: string, url: string) {
  if (isLoopback(host)) return { ignoreTLS: true }
  return needsTls(url) ? { requireTLS: true } : { opportunisticTLS: true }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function toMail(envelope: Envelope, from: MailServerSettings['from']) {
  const { to, replyTo, subject, text, html, messageId, follows, date } = envelope
  return {
    envelope: { from: from.address, to: [...to] },
    from,
    to: to.map((address) => ({ name: '', address })),
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    subject,
    text,
    html,
    messageId,
    ...(follows ? { inReplyTo: follows, references: [follows] } : {}),
    date: new Date(date),
    // RFC 3834: tells programs such as holiday replies not to answer this email.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

type MailError = { code?: string; command?: string; responseCode?: number; response?: string }

function toMailFailure(error: unknown): Sent {
  const { code = '', command = '', responseCode = 0, response } = error as MailError
  const codes = codesOf(response)
  const answer = [command, codes].filter(Boolean).join(': ')
  const isQuota = quotaCodes.test(codes)
  const isFinal = responseCode >= 500 && !isQuota && !needsLogin.has(responseCode)
  if (isFinal && aboutTheEmail.has(command)) return { kind: 'refused', answer }
  return { kind: 'failed', outcome: failures[code] ?? toOutcome(error), answer }
}

/** Only a refusal of these commands is about the email; after others a retry may succeed. */
const aboutTheEmail = new Set(['MAIL FROM', 'RCPT TO', 'DATA'])

/** Temporary in spite of the 5: too much was sent (5.4.5 Google, 5.1.90 Microsoft), or the mailbox is full (5.2.2). */
const quotaCodes = /^5\d\d 5\.(?:4\.5|1\.90|2\.2)$/

/** Codes about the login (RFC 4954, 6): a retry succeeds once SMTP_URL is right. */
const needsLogin = new Set([530, 534, 535, 538])

const failures: Record<string, Failure> = {
  ETIMEDOUT: 'timed-out',
  EDNS: 'unknown-host',
  ETLS: 'tls-failed',
  EAUTH: 'not-let-in',
  ENOAUTH: 'not-let-in',
  EENVELOPE: 'answered',
  EMESSAGE: 'answered',
  EPROTOCOL: 'answered',
}

function toOutcome(error: unknown): Failure {
  const { message } = error as Error
  if (/ECONNREFUSED/.test(message)) return 'connection-refused'
  // OpenSSL reports "wrong version number" if the server does not begin with TLS.
  return /wrong version number|certificate/.test(message) ? 'tls-failed' : 'connection-lost'
}

/** Returns codes such as `550 5.1.1` without the text after them, which may repeat an address. */
function codesOf(response = ''): string {
  return (
    /^(\d{3})[ -]?(\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.slice(1).filter(Boolean).join(' ') ?? ''
  )
}

/** The words leave out the user and the password in SMTP_URL. */
export function mailFailureWords(sent: Sent, url: string): string {
  const { protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'smtps:'
  const place = `the mail server ${hostname}:${port || (isSecure ? 465 : 587)}`
  switch (outcomeOf(sent)) {
    case 'connection-refused':
      return `${place} cannot be reached: nothing listens there; check host and port of SMTP_URL`
    case 'unknown-host':
      return `${place} cannot be found: the host of SMTP_URL is not a known name`
    case 'connection-lost':
      return `${place} ends the connection; check the port of SMTP_URL`
    case 'timed-out':
      return `${place} does not answer in time; check the port of SMTP_URL (465 needs smtps://), and whether a firewall is in between`
    case 'tls-failed':
      return isSecure
        ? `${place} does not begin with TLS, or its certificate is not accepted; for port 587 or 25 write smtp:// in place of smtps://`
        : `${place} offers no TLS, or its certificate is not accepted; without TLS emails go only to a server in your own network`
    case 'not-let-in':
      return `${place} refuses the user or the password of SMTP_URL (${sent.answer})`
    case 'refused':
      return `${place} refuses the email (${sent.answer}); check OWNER_EMAIL and MAIL_FROM`
    default:
      return `${place} refuses for now (${sent.answer})`
  }
}
