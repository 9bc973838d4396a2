/** `lead-intake healthcheck`: for containers, which ask every few seconds. */
import { get } from 'node:http'
import { readEnvironment, readSettings } from '../config.ts'
import { routes } from '../contract/routes.ts'
import { CommandFailed } from './output.ts'

const timeoutMs = 4_000
const everyAddress = ['0.0.0.0', '::']

export async function checkHealth(): Promise<void> {
  const read = readSettings(readEnvironment())
  if ('problems' in read) throw new CommandFailed('usage', read.problems.join('\n'))
  const { HOST, PORT } = read.settings
  const host = hostToAsk(HOST)
  const status = await new Promise<number | undefined>((tell) => {
    const asking = get(
      { host, port: PORT, path: routes.lead.path, timeout: timeoutMs },
      (answer) => {
        answer.resume()
        tell(answer.statusCode)
      },
    )
    asking.on('timeout', () => asking.destroy()).on('error', () => tell(undefined))
  })
  if (status === 200) return
  const why = status === undefined ? 'does not answer' : `answers ${status}`
  throw new CommandFailed('unwell', `The service on ${host}:${PORT} ${why}.`)
}

/** Where a service that listens on HOST answers. */
export function hostToAsk(host: string): string {
  return everyAddress.includes(host) ? 'localhost' : host
}
