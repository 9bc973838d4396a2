/** Is there a mail server at the address, and does it greet as one (RFC 5321, 3.1)? */
import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

const patienceMs = 5_000

/** `undefined`: it does. Otherwise a sentence, without the user and password of the address. */
export async function greetMailServer(url: string): Promise<string | undefined> {
  const { protocol, hostname: host, port } = new URL(url)
  const secure = protocol === 'smtps:'
  const at = { host, port: Number(port) || (secure ? 465 : 587) }
  const place = `the mail server ${at.host}:${at.port}`
  const socket = secure ? connectTls({ ...at, servername: host }) : connect(at)
  try {
    const [greeting] = (await once(socket, 'data', {
      signal: AbortSignal.timeout(patienceMs),
    })) as [Buffer]
    if (greeting.toString('latin1').startsWith('220')) return undefined
    return `${place} answers, but not as a mail server ready for mail`
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    if (name === 'AbortError') return `${place} did not answer within ${patienceMs / 1000} seconds`
    return `${place} cannot be reached (${code}); check SMTP_URL`
  } finally {
    socket.destroy()
  }
}
