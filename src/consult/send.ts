/** `consult send`: shows the request, asks, and sends it with one key however often it takes. */
import { commandName } from '../contract/commands.ts'
import { keyName } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { expectJson, isText } from './answers.ts'
import type { JsonObject } from './answers.ts'
import type { Call } from './arguments.ts'
import { ask } from './ask-patiently.ts'
import { askForConsent } from './consent.ts'
import { Failed } from './failed.ts'
import { toPairs, toPlainLines } from './output.ts'
import type { Result } from './output.ts'
import { readRequest } from './request.ts'
import type { Request } from './request.ts'
import { showRequest } from './shown-request.ts'
import { readSite } from './site.ts'
import type { Site } from './site.ts'

type Success = { ok: true; message: string; reference?: string; status_url?: string }

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
    throw withWayBack(error, request)
  }
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
  const { ok, message, reference = '', status_url: url = '' } = found
  return ok === true && isText(message) && isText(reference) && isText(url)
}

function inWords({ message, reference, status_url: url }: Success, replayed: boolean): string {
  const pairs: [string, string][] = []
  if (reference !== undefined) pairs.push(['reference', reference])
  if (url !== undefined) pairs.push(['status_url', url])
  return [
    toPlainLines(message),
    ...(replayed ? ['It had been received before; this is the first answer again.'] : []),
    ...(pairs.length > 0 ? [`\n${toPairs(pairs).trimEnd()}`] : []),
    ...(url === undefined
      ? []
      : [
          `\nThe status_url is private. See "${commandName} status" and "${commandName} withdraw".`,
        ]),
    '',
  ].join('\n')
}

/** When it is not known whether it was received, the same key makes it safe to ask again. */
function withWayBack(error: unknown, { key, keyIsKept }: Request): unknown {
  if (!(error instanceof Failed) || !['network', 'unexpected'].includes(error.exit)) return error
  const again = keyIsKept
    ? 'Running the same command again is safe: it stays one request.'
    : `When you run it again, add --idempotency-key ${key}, so that it stays one request.`
  return new Failed(error.exit, {
    ...error.error,
    resolution: `${error.error.resolution} ${again}`,
  })
}
