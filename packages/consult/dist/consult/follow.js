/** The stage `follow`: `consult status` and `consult withdraw`, at the receipt of a request. */
import { errors } from '../contract/errors.js'
import { routes } from '../contract/routes.js'
import { expectJson, isText } from './answers.js'
import { usageFailure } from './arguments.js'
import { ask } from './ask.js'
import { Failed } from './failed.js'
import { toPairs, toPlainLines } from './output.js'
import { askForConsent } from './questions.js'
import { readSite } from './site.js'
export async function statusCommand(call) {
  return toResult(await fetchReceipt(readReceiptPlace(call)))
}
/** Withdrawing twice does no harm. */
export async function withdrawCommand(call) {
  const place = readReceiptPlace(call)
  const receipt = await fetchReceipt(place)
  if (receipt.status === 'withdrawn') return toResult(receipt)
  if (!receipt.can_withdraw) {
    throw new Failed('refused', {
      message: `It can no longer be withdrawn. ${receipt.message}`,
      resolution: 'Please contact the business instead.',
    })
  }
  await askForConsent(call, { shown: toResult(receipt).text, question: 'Withdraw this request?' })
  return toResult(await withdraw(place))
}
/** A full address includes the site; a token alone needs the option or the variable. */
function readReceiptPlace(call) {
  const text = call.argument ?? ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  const token = url?.pathname.startsWith(routes.receipt.path)
    ? url.pathname.slice(routes.receipt.path.length).replace(/\/$/, '')
    : text
  if (!/^[\w-]{1,200}$/.test(token)) {
    throw usageFailure('This is neither a status_url nor the token at the end of one.')
  }
  return { site: readSite(call, url?.origin), path: routes.receipt.path + token }
}
async function fetchReceipt({ site, path }) {
  return readReceipt(site, await ask(site, { method: 'GET', path, accept: 'application/json' }))
}
async function withdraw(place) {
  const answer = await ask(place.site, {
    method: 'POST',
    path: place.path + routes.withdraw.path,
    accept: 'application/json',
    body: {},
  })
  if (answer.status === errors.INVALID_TRANSITION.status) {
    // An earlier attempt may have worked, and only its answer was lost.
    const receipt = await fetchReceipt(place)
    if (receipt.status === 'withdrawn') return receipt
  }
  return readReceipt(place.site, answer)
}
function readReceipt(site, answer) {
  return expectJson(site, answer, isReceipt)
}
function isReceipt(found) {
  const { reference, status, message, received_at: received, changed_at: changed } = found
  return [reference, status, message, received, changed].every(isText)
}
function toResult(receipt) {
  const { reference, status, message, received_at: received, changed_at: changed } = receipt
  const pairs = toPairs([
    ['reference', reference],
    ['status', status],
    ['received', received],
    ['changed', changed],
  ])
  return { text: `${toPlainLines(message)}\n\n${pairs}`, json: receipt }
}
