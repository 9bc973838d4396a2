/** Checks that a mail server answers with its greeting (RFC 5321, 3.1). */
import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

const timeoutMs = 5_000

/** `undefined`: it does. Otherwise the problem, without the user and password of the address. */
export async function greetMailServer(url: string): Promise<string | undefined> {
  const { protocol, hostname: host, port } = new URL(url)
  const secure = protocol === 'smtps:'
  const at = { host, port: Number(port) || (secure ? 465 : 587) }
  const place = `the mail server ${at.host}:${at.port}`
  const socket = secure ? connectTls({ ...at, servername: host }) : connect(at)
  try {
    const [greeting] = (await once(socket, 'data', {
      signal: AbortSignal.timeout(timeoutMs),
    })) as [Buffer]
    if (greeting.toString('latin1').startsWith('220')) return undefined
    return `${place} answers, but not with the greeting of a mail server`
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    if (name === 'AbortError') return `${place} did not answer within ${timeoutMs / 1000} seconds`
    return `${place} cannot be reached (${code}); check SMTP_URL`
  } finally {
    socket.destroy()
  }
}
