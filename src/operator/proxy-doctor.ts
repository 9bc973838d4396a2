/** Checks the public address: TLS, and whether a proxy tells its clients from tools on this machine. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../config.ts'
import { readyPath } from '../contract/routes.ts'
import { isPublic } from '../http/client-address.ts'
import { failed, ok, warning } from './finding.ts'
import type { Finding } from './finding.ts'

export const proxyAdvice =
  'let the proxy name the client (nginx: proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header Host $host;) and add its address to TRUSTED_PROXIES if it is on another machine'

/** Every package has it. */
const guide = relative('.', fileURLToPath(new URL('../../docs/ten-minutes.md', import.meta.url)))

const timeoutMs = 5_000

/** Asks the way people do. Only tools on this machine may get an answer from there. */
export async function checkProxy({ BASE_URL = '' }: Settings): Promise<Finding[]> {
  if (!isPublic(BASE_URL)) return []
  return [...checkTls(BASE_URL), await checkReady(BASE_URL)]
}

function checkTls(baseUrl: string): Finding[] {
  if (baseUrl.startsWith('https:')) return []
  return [
    warning(
      'address',
      `BASE_URL has no https: what people write travels readable, and passkeys do not work; ${guide} has the way to TLS`,
    ),
  ]
}

async function checkReady(baseUrl: string): Promise<Finding> {
  const url = baseUrl + readyPath
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    const isShown = (await answer.text()).includes('"ready":')
    if (!isShown) return ok('proxy', `${url} is closed to the public (${answer.status})`)
    return failed('proxy', `${url} is open: people pass for tools on this machine; ${proxyAdvice}`)
  } catch {
    return warning('proxy', `not checked: ${baseUrl} cannot be reached from here`)
  }
}
