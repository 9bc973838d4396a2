/** From the command line to the text that is printed. */
import type { CommandName } from '../contract/commands.ts'
import { readCommandLine } from './arguments.ts'
import type { Call } from './arguments.ts'
import { checkCommand, draftCommand } from './draft.ts'
import { version } from './environment.ts'
import { statusCommand, withdrawCommand } from './follow.ts'
import { helpFor } from './help.ts'
import { endpointsCommand, healthCommand, infoCommand } from './look.ts'
import { toJson } from './output.ts'
import type { Result } from './output.ts'
import { sendCommand } from './send.ts'

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
