/** From the words of the command line to what is printed. */
import type { CommandName } from '../contract/commands.ts'
import { readCommandLine } from './arguments.ts'
import type { Call } from './arguments.ts'
import { checkCommand } from './check.ts'
import { draftCommand } from './draft.ts'
import { endpointsCommand } from './endpoints.ts'
import { healthCommand } from './health.ts'
import { helpFor } from './help.ts'
import { infoCommand } from './info.ts'
import { toJson } from './output.ts'
import type { Result } from './output.ts'
import { sendCommand } from './send.ts'
import { statusCommand } from './status.ts'
import { version } from './version.ts'
import { withdrawCommand } from './withdraw.ts'

const runners: Record<CommandName, (call: Call) => Promise<Result>> = {
  info: infoCommand,
  endpoints: endpointsCommand,
  health: healthCommand,
  draft: draftCommand,
  check: checkCommand,
  send: sendCommand,
  status: statusCommand,
  withdraw: withdrawCommand,
}

export async function runCommand(words: readonly string[]): Promise<string> {
  const line = readCommandLine(words)
  switch (line.kind) {
    case 'version':
      return `${version}\n`
    case 'help':
      return helpFor(line.command)
    case 'call': {
      const { text, json } = await runners[line.command](line.call)
      return line.call.switches.has('json') ? toJson(json) : text
    }
  }
}
