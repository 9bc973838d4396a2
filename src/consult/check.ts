/** `consult check`: what the site would say, without asking it. */
import { commandName } from '../contract/commands.ts'
import { keyName } from '../contract/fields.ts'
import type { Call } from './arguments.ts'
import { readRequest } from './request.ts'
import type { Result } from './output.ts'

export async function checkCommand(call: Call): Promise<Result> {
  const { body, key, keyIsKept } = await readRequest(call)
  return {
    text: `The request is well. Nothing was sent. Next: ${commandName} send\n`,
    json: { ok: true, request: { ...body, ...(keyIsKept && { [keyName]: key }) } },
  }
}
