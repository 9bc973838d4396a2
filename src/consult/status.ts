/** `consult status`: what has become of a request. */
import type { Call } from './arguments.ts'
import { fetchReceipt, readReceiptPlace, toResult } from './receipt.ts'
import type { Result } from './output.ts'

export async function statusCommand(call: Call): Promise<Result> {
  return toResult(await fetchReceipt(readReceiptPlace(call)))
}
