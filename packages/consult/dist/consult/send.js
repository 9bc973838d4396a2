/** `consult send`: shows the request, asks, and sends it; every retry has the same key. */
import { commandName } from '../contract/commands.js'
import { fields, keyName } from '../contract/fields.js'
import { routes } from '../contract/routes.js'
import { expectJson, isText } from './answers.js'
import { ask } from './ask.js'
import { Failed } from './failed.js'
import { toPairs, toPlainLines } from './output.js'
import { askForConsent } from './questions.js'
import { readRequest } from './request.js'
import { readSite } from './site.js'
export async function sendCommand(call) {
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
function showRequest(url, { body, key }) {
  const labels = new Map(fields.map(({ name, label }) => [name, label]))
  const pairs = Object.entries(body).map(([name, value]) => [
    labels.get(name) ?? name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const shown = toPairs([['To', url], ...pairs, ['Key', key]])
  return isUnencrypted(url)
    ? `${shown}\nThis address is not encrypted: others on the way can read the request.\n`
    : shown
}
function isUnencrypted(url) {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127\..*|\[::1\])$/.test(hostname)
}
async function send(site, { body, key }) {
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
function isSuccess(found) {
  const { ok, message, reference = '', status_url: url = '' } = found
  return ok === true && isText(message) && isText(reference) && isText(url)
}
function inWords({ message, reference, status_url: url }, replayed) {
  const pairs = []
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
/** It may have been received: says how to send it again with the same key. */
function withRetryAdvice(error, { key, keyIsKept }) {
  if (!(error instanceof Failed) || !['network', 'unexpected'].includes(error.exit)) return error
  const again = keyIsKept
    ? 'Running the same command again is safe: it stays one request.'
    : `When you run it again, add --idempotency-key ${key}, so that it stays one request.`
  return new Failed(error.exit, {
    ...error.error,
    resolution: `${error.error.resolution} ${again}`,
  })
}
