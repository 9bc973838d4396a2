/** A real mail server for the tests that fails in ways they choose. */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { Cleaner } from './service.ts'

export type CaughtEmail = {
  recipients: string[]
  raw: string
}

/** `undefined`: takes it. A number, or a text that begins with one: that answer. */
export type Mood = {
  onConnect?: 'hang' | 'drop'
  onMail?: Refusal
  onRecipient?: Refusal
  /** Addresses that are refused for now. */
  refuses?: readonly string[]
  onData?: Refusal | 'hang' | 'drop' | 'late'
}

type Refusal = number | `${number} ${string}`

export type MailSink = {
  port: number
  url: string
  emails: CaughtEmail[]
  connections: number
  mood: Mood
  close(): Promise<void>
}

export async function openMailSink(t: Cleaner): Promise<MailSink> {
  const sockets = new Set<Socket>()
  const hangUp = () => sockets.forEach((socket) => socket.destroy())
  const sink: MailSink = {
    port: 0,
    url: '',
    emails: [],
    connections: 0,
    mood: {},
    close: () => Promise.resolve(),
  }
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onConnect(_session, callback) {
      sink.connections += 1
      if (sink.mood.onConnect === 'hang') return
      callback()
    },
    onMailFrom(_address, _session, callback) {
      callback(refusal(sink.mood.onMail))
    },
    onRcptTo({ address }, _session, callback) {
      const isRefused = sink.mood.refuses?.includes(address)
      callback(refusal(isRefused ? 450 : sink.mood.onRecipient))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (sink.mood.onData === 'drop') hangUp()
      })
      stream.on('end', () => {
        const { onData } = sink.mood
        if (onData === 'hang' || onData === 'drop') return
        if (onData !== undefined && onData !== 'late') return callback(refusal(onData))
        sink.emails.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
        })
        if (onData === 'late') return
        callback()
      })
    },
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    if (sink.mood.onConnect === 'drop') socket.destroy()
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  sink.port = (server.server.address() as AddressInfo).port
  sink.url = `smtp://127.0.0.1:${sink.port}`
  let closed: Promise<void> | undefined
  sink.close = () => {
    closed ??= new Promise<void>((resolve) => {
      hangUp()
      server.close(() => resolve())
    })
    return closed
  }
  t.after(() => sink.close())
  return sink
}

export function parseEmail({ raw }: CaughtEmail) {
  return PostalMime.parse(raw)
}

/** A long header is folded: its value may stand on the next line. */
export function messageIdOf({ raw }: CaughtEmail): string {
  return /^Message-ID:\s*(.*)$/im.exec(raw)?.[1]?.trim() ?? ''
}

function refusal(answer: Refusal | undefined): Error | null {
  if (answer === undefined) return null
  const [code, ...words] = String(answer).split(' ')
  return Object.assign(new Error(words.join(' ') || 'not today'), { responseCode: Number(code) })
}
