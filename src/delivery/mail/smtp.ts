/** Sends letters to the mail server. Connections are kept for the next letter: a handshake takes longer than a letter. */
import { createTransport } from 'nodemailer'
import type { Sent } from '../channel.ts'
import { codesOf, toMailFailure } from './smtp-answers.ts'

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
  /** The message id of the letter whose thread this one joins. */
  follows?: string
  date: number
}

export type MailServer = {
  /** Expected failures are returned, not thrown. Ends soon after the signal. */
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
/** Many servers close a connection after some hundred letters. */
const lettersPerConnection = 100

export function openMailServer(settings: MailServerSettings): MailServer {
  const { from } = settings
  const options = toOptions(settings)
  const idle: Transport[] = []
  let closed = false

  return {
    async send(envelope, signal) {
      if (signal.aborted) return toMailFailure(timedOut)
      const transport = idle.pop() ?? openTransport(options)
      const giveUp = () => transport.close({ force: true })
      signal.addEventListener('abort', giveUp)
      try {
        const { response } = await transport.sendMail(toMail(envelope, from))
        if (closed) transport.close()
        else idle.push(transport)
        return { kind: 'delivered', answer: codesOf(response) }
      } catch (error) {
        giveUp()
        return toMailFailure(signal.aborted ? timedOut : error)
      } finally {
        signal.removeEventListener('abort', giveUp)
      }
    },
    close() {
      closed = true
      for (const transport of idle.splice(0)) transport.close()
    },
  }
}

/** Connects and logs in as for a letter, but sends none. `undefined`: it went well. */
export async function tryMailServer(
  settings: Pick<MailServerSettings, 'url' | 'tls'>,
): Promise<Sent | undefined> {
  const transport = createTransport(toOptions(settings))
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

type Transport = ReturnType<typeof openTransport>

/**
 * A pool of one connection for each letter under way. nodemailer can give up a pool, but not one
 * letter of it, so a larger pool would lose the healthy letters with the one that hangs.
 */
function openTransport(options: ReturnType<typeof toOptions>) {
  return createTransport({
    ...options,
    pool: true,
    maxConnections: 1,
    maxMessages: lettersPerConnection,
    idleTimeout: idleMs,
    // The server may have closed a connection that was kept; that says nothing about the letter.
    maxRequeues: 1,
  })
}

function toOptions({ url, tls }: Pick<MailServerSettings, 'url' | 'tls'>) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const encryption = isLoopback(host)
    ? { ignoreTLS: true }
    : tls === 'required'
      ? { requireTLS: true }
      : { opportunisticTLS: true }
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host,
    secure: protocol === 'smtps:',
    ...(port ? { port: Number(port) } : {}),
    ...encryption,
    // A server that does not offer to log in is an error, not a reason to send without.
    ...(username ? { auth, forceAuth: true } : {}),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function toMail(envelope: Envelope, from: MailServerSettings['from']) {
  const { to, replyTo, subject, text, html, messageId, follows, date } = envelope
  return {
    envelope: { from: from.address, to: [to] },
    from,
    to: { name: '', address: to },
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    subject,
    text,
    html,
    messageId,
    ...(follows ? { inReplyTo: follows, references: [follows] } : {}),
    date: new Date(date),
    // RFC 3834: holiday replies and other programs leave it alone.
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
