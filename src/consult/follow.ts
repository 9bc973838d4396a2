/** The stage `follow`: `consult status` and `consult withdraw`, at the receipt of a request. */
import { errors } from '../contract/errors.ts'
import type { Receipt } from '../contract/receipt.ts'
import { routes } from '../contract/routes.ts'
import { expectJson, isText } from './answers.ts'
import type { JsonObject } from './answers.ts'
import { usageFailure } from './arguments.ts'
import type { Call } from './arguments.ts'
import { ask } from './ask.ts'
import type { Reply } from './ask.ts'
import { Failed } from './failed.ts'
import { toPairs, toPlainLines } from './output.ts'
import type { Result } from './output.ts'
import { askForConsent } from './questions.ts'
import { readSite } from './site.ts'
import type { Site } from './site.ts'

export async function statusCommand(call: Call): Promise<Result> {
  return toResult(await fetchReceipt(readReceiptPlace(call)))
}

/** Withdrawing twice does no harm. */
export async function withdrawCommand(call: Call): Promise<Result> {
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

type ReceiptPlace = { site: Site; path: string }

/** A full address includes the site; a token alone needs the option or the variable. */
function readReceiptPlace(call: Call): ReceiptPlace {
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

async function fetchReceipt({ site, path }: ReceiptPlace): Promise<Receipt> {
  return readReceipt(site, await ask(site, { method: 'GET', path, accept: 'application/json' }))
}

async function withdraw(place: ReceiptPlace): Promise<Receipt> {
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

function readReceipt(site: Site, answer: Reply): Receipt {
  return expectJson(site, answer, isReceipt)
}

function isReceipt(found: JsonObject): found is Receipt {
  const { reference, status, message, received_at: received, changed_at: changed } = found
  return [reference, status, message, received, changed].every(isText)
}

function toResult(receipt: Receipt): Result {
  const { reference, status, message, received_at: received } = receipt
  const pairs = toPairs([
    ['reference', reference],
    ['status', status],
    ['received', received],
  ])
  return { text: `${toPlainLines(message)}\n\n${pairs}`, json: receipt }
}
