/** `consult health`: as it is at this moment, so it asks once. */
import { routes } from '../contract/routes.ts'
import { expectJson } from './answers.ts'
import type { JsonObject } from './answers.ts'
import type { Call } from './arguments.ts'
import { ask } from './ask-patiently.ts'
import { readSite } from './site.ts'
import type { Result } from './output.ts'

export async function healthCommand(call: Call): Promise<Result> {
  const site = { ...readSite(call), retries: 0 }
  const answer = await ask(site, {
    method: 'GET',
    path: routes.lead.path,
    accept: 'application/json',
  })
  const { status } = expectJson(site, answer, isWell)
  return {
    text: `${site.baseUrl} can receive a request now.\n`,
    json: { base_url: site.baseUrl, status },
  }
}

function isWell(found: JsonObject): found is { status: 'ok' } {
  return found['status'] === 'ok'
}
