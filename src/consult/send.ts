/** `consult send`: shows the request, asks, and sends it; every retry has the same key. */
import { commandName } from '../contract/commands.ts'
import { fields, keyName } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { expectJson, isText } from './answers.ts'
import type { JsonObject } from './answers.ts'
import type { Call } from './arguments.ts'
import { ask } from './ask.ts'
import { Failed } from './failed.ts'
import { toPairs, toPlainLines } from './output.ts'
import type { Result } from './output.ts'
import { askForConsent } from './questions.ts'
import { readRequest } from './request.ts'
import type { Request } from './request.ts'
import { readSite } from './site.ts'
import type { Site } from './site.ts'

type Success = {
  ok: true
  message: string
  reference?: string
  status_url?: string
  unlisted?: readonly string[]
}

export async function sendCommand(call: Call): Promise<Result> {
  const site = readSite(call)
  const request = await readRequest(call)
  const url = site.baseUrl + routes.lead.path
  const shown = showRequest(url, request)
  if (call.switches.has('dry-run')) {
    const { body, key } = request
    return {
      text: `${shown}\nNothing was sent.\n`,
      json: { dry_run: true, url, body, [keyName]: key },
    }
  }
  await askForConsent(call, { shown, question: 'Send this?' })
  try {
    return await send(site, request)
  } catch (error) {
    throw withRetryAdvice(error, request)
  }
}

/** All of it, and where it would go, for a person to read before it is sent. */
function showRequest(url: string, { body, key }: Request): string {
  const labels = new Map<string, string>(fields.map(({ name, label }) => [name, label]))
  const pairs = Object.entries(body).map(
    ([name, value]) =>
      [
        labels.get(name) ?? name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ] as const,
  )
  const shown = toPairs([['To', url], ...pairs, ['Key', key]])
  return isUnencrypted(url)
    ? `${shown}\nThis address is not encrypted: others on the way can read the request.\n`
    : shown
}

function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127\..*|\[::1\])$/.test(hostname)
}

async function send(site: Site, { body, key }: Request): Promise<Result> {
  const answer = await ask(site, {
    method: 'POST',
    path: routes.lead.path,
    accept: 'application/json',
    key,
    body,
  })
  const success = expectJson(site, answer, isSuccess)
  const replayed = answer.headers['idempotent-replayed'] === 'true'
  return { text: inWords(success, replayed), json: { ...success, replayed, [keyName]: key } }
}

function isSuccess(found: JsonObject): found is Success {
  const { ok, message, reference = '', status_url: url = '', unlisted = [] } = found
  const areTexts = [message, reference, url].every(isText)
  return ok === true && areTexts && Array.isArray(unlisted) && unlisted.every(isText)
}

function inWords(success: Success, replayed: boolean): string {
  const { message, reference, status_url: url, unlisted } = success
  const pairs: [string, string][] = []
  if (reference !== undefined) pairs.push(['reference', reference])
  if (url !== undefined) pairs.push(['status_url', url])
  if (unlisted !== undefined) pairs.push(['unlisted', unlisted.join(', ')])
  return [
    toPlainLines(message),
    ...(replayed ? ['It had been received before; this is the first answer again.'] : []),
    ...(pairs.length > 0 ? [`\n${toPairs(pairs).trimEnd()}`] : []),
    ...(url === undefined
      ? []
      : [
          `\nThe status_url is private. See "${commandName} status" and "${commandName} withdraw".`,
        ]),
    ...(unlisted === undefined
      ? []
      : ['The site does not know the unlisted fields: they are kept, and read as no other field.']),
    '',
  ].join('\n')
}

/** It may have been received: says how to send it again with the same key. */
function withRetryAdvice(error: unknown, { key, keyIsKept }: Request): unknown {
  if (!(error instanceof Failed) || !['network', 'unexpected'].includes(error.exit)) return error
  const again = keyIsKept
    ? 'Running the same command again is safe: it stays one request.'
    : `When you run it again, add --idempotency-key ${key}, so that it stays one request.`
  return new Failed(error.exit, {
    ...error.error,
    resolution: `${error.error.resolution} ${again}`,
  })
}
