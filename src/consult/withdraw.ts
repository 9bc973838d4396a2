/** `consult withdraw`: the sender takes a request back. Doing it twice does no harm. */
import { errors } from '../contract/errors.ts'
import type { Receipt } from '../contract/receipt.ts'
import { routes } from '../contract/routes.ts'
import type { Call } from './arguments.ts'
import { ask } from './ask-patiently.ts'
import { askForConsent } from './consent.ts'
import { Failed } from './failed.ts'
import { fetchReceipt, readReceiptPlace, toReceipt, toResult } from './receipt.ts'
import type { ReceiptPlace } from './receipt.ts'
import type { Result } from './output.ts'

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

async function withdraw(place: ReceiptPlace): Promise<Receipt> {
  const answer = await ask(place.site, {
    method: 'POST',
    path: place.path + routes.withdraw.path,
    accept: 'application/json',
    body: {},
  })
  if (answer.status === errors.INVALID_TRANSITION.status) {
    // The answer to an earlier attempt may have been lost on its way.
    const receipt = await fetchReceipt(place)
    if (receipt.status === 'withdrawn') return receipt
  }
  return toReceipt(place.site, answer)
}
