/** The receipt of a request that was sent: where it is, and what it says. */
import type { Receipt } from '../contract/receipt.ts'
import { routes } from '../contract/routes.ts'
import { expectJson, isText } from './answers.ts'
import type { JsonObject } from './answers.ts'
import { usageFailure } from './arguments.ts'
import type { Call } from './arguments.ts'
import type { Answer } from './ask.ts'
import { ask } from './ask-patiently.ts'
import { toPairs, toPlainLines } from './output.ts'
import type { Result } from './output.ts'
import { readSite } from './site.ts'
import type { Site } from './site.ts'

export type ReceiptPlace = { site: Site; path: string }

/** A token alone needs to be told the site; a whole address brings it. */
export function readReceiptPlace(call: Call): ReceiptPlace {
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

export async function fetchReceipt({ site, path }: ReceiptPlace): Promise<Receipt> {
  return toReceipt(site, await ask(site, { method: 'GET', path, accept: 'application/json' }))
}

export function toReceipt(site: Site, answer: Answer): Receipt {
  return expectJson(site, answer, isReceipt)
}

function isReceipt(found: JsonObject): found is Receipt {
  const { reference, status, message, received_at: received, changed_at: changed } = found
  return [reference, status, message, received, changed].every(isText)
}

export function toResult(receipt: Receipt): Result {
  const { reference, status, message, received_at: received, changed_at: changed } = receipt
  const pairs = toPairs([
    ['reference', reference],
    ['status', status],
    ['received', received],
    ['changed', changed],
  ])
  return { text: `${toPlainLines(message)}\n\n${pairs}`, json: receipt }
}
