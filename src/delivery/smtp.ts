/** Speaks to the mail server. Connections are kept for the next letter, since shaking hands takes longer than a letter. */
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Sent } from './channel.ts'
import { codesOf, toFailure } from './smtp-answers.ts'

export type Envelope = {
  /** One address that passed our own strict rule; nothing else may come here. */
  to: string
  /** Likewise. */
  replyTo?: string
  /** One line. */
  subject: string
  text: string
  html: string
  messageId: string
  date: number
}

export type MailServer = {
  send(envelope: Envelope, signal: AbortSignal): Promise<Sent>
  close(): void
}

export type MailServerSettings = {
  url: string
  /** `optional`: a server that offers no encryption gets the letter all the same. */
  tls: 'required' | 'optional'
  from: { name: string; address: string }
}

const connectMs = 10_000
const silenceMs = 20_000
const idleMs = 5_000
/** Many servers close a connection after some hundred letters, and it may as well be us. */
const lettersPerConnection = 100

export function openMailServer(settings: MailServerSettings): MailServer {
  const { from } = settings
  const { options, auth } = readUrl(settings)
  const idle = new Map<SMTPConnection, NodeJS.Timeout>()
  const letters = new WeakMap<SMTPConnection, number>()
  let closed = false

  return { send, close }

  async function send(envelope: Envelope, signal: AbortSignal): Promise<Sent> {
    const bytes = await compose(envelope, from)
    const kept = takeIdle()
    const sent = await sendOn(kept ?? connection(), envelope.to, bytes, signal, kept === undefined)
    // The server may have closed a connection that we kept; that says nothing about the letter.
    if (kept === undefined || sent.kind !== 'failed' || sent.outcome !== 'connection-lost') {
      return sent
    }
    return sendOn(connection(), envelope.to, bytes, signal, true)
  }

  function connection(): SMTPConnection {
    return new SMTPConnection(options)
  }

  /** Never rejects; ends at the signal. */
  function sendOn(
    smtp: SMTPConnection,
    to: string,
    bytes: Buffer,
    signal: AbortSignal,
    isNew: boolean,
  ): Promise<Sent> {
    return new Promise((resolve) => {
      const end = (sent: Sent) => {
        signal.removeEventListener('abort', giveUp)
        smtp.removeListener('error', failed)
        smtp.removeListener('end', lost)
        if (sent.kind !== 'delivered') discard(smtp)
        else if (closed || countLetter(smtp) >= lettersPerConnection) leave(smtp)
        else keepIdle(smtp)
        resolve(sent)
      }
      const failed = (error: unknown) => end(toFailure(error))
      const lost = () => failed({ code: 'ECONNECTION' })
      const giveUp = () => failed({ code: 'ETIMEDOUT' })
      const step = (next: () => void) => (error?: unknown) => {
        if (error) failed(error)
        else next()
      }
      const deliver = () =>
        smtp.send({ from: from.address, to: [to] }, bytes, (error, info) => {
          if (error) failed(error)
          else end({ kind: 'delivered', answer: codesOf(info?.response) })
        })
      const login = () => {
        if (auth === undefined) deliver()
        else smtp.login(auth, step(deliver))
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp)
      smtp.once('error', failed)
      smtp.once('end', lost)
      if (isNew) smtp.connect(step(login))
      else deliver()
    })
  }

  function countLetter(smtp: SMTPConnection): number {
    const count = (letters.get(smtp) ?? 0) + 1
    letters.set(smtp, count)
    return count
  }

  function keepIdle(smtp: SMTPConnection): void {
    const forget = () => {
      clearTimeout(idle.get(smtp))
      idle.delete(smtp)
    }
    const impatience = setTimeout(() => {
      forget()
      leave(smtp)
    }, idleMs).unref()
    idle.set(smtp, impatience)
    // A connection of nodemailer that fails while nobody listens would end the process.
    smtp.once('error', forget)
    smtp.once('end', forget)
  }

  function takeIdle(): SMTPConnection | undefined {
    const [entry] = idle
    if (entry === undefined) return undefined
    const [smtp, impatience] = entry
    clearTimeout(impatience)
    idle.delete(smtp)
    smtp.removeAllListeners('error')
    smtp.removeAllListeners('end')
    return smtp
  }

  function close(): void {
    closed = true
    for (const [smtp, impatience] of idle) {
      clearTimeout(impatience)
      leave(smtp)
    }
    idle.clear()
  }
}

/** Politely; but not for ever. */
function leave(smtp: SMTPConnection): void {
  smtp.on('error', () => {})
  smtp.quit()
  setTimeout(discard, 1_000, smtp).unref()
}

function discard(smtp: SMTPConnection): void {
  smtp.on('error', () => {})
  smtp.close()
}

function readUrl({ url, tls }: MailServerSettings) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const encryption = isLoopback(host)
    ? { ignoreTLS: true }
    : tls === 'required'
      ? { requireTLS: true }
      : { opportunisticTLS: true }
  return {
    options: {
      host,
      secure,
      ...(port ? { port: Number(port) } : {}),
      ...encryption,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      dnsTimeout: connectMs,
      socketTimeout: silenceMs,
    },
    auth: username
      ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
      : undefined,
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function compose(envelope: Envelope, from: MailServerSettings['from']): Promise<Buffer> {
  const { to, replyTo, subject, text, html, messageId, date } = envelope
  return new MailComposer({
    from,
    to: { name: '', address: to },
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    subject,
    text,
    html,
    messageId,
    date: new Date(date),
    // RFC 3834: holiday replies and other programs leave it alone.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
}
