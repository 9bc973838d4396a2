import { readCommandLine } from './arguments.js'
import { checkCommand, draftCommand } from './draft.js'
import { version } from './environment.js'
import { statusCommand, withdrawCommand } from './follow.js'
import { helpFor } from './help.js'
import { endpointsCommand, healthCommand, infoCommand } from './look.js'
import { toJson } from './output.js'
import { sendCommand } from './send.js'
const runners = {
  info: infoCommand,
  endpoints: endpointsCommand,
  health: healthCommand,
  draft: draftCommand,
  check: checkCommand,
  send: sendCommand,
  status: statusCommand,
  withdraw: withdrawCommand,
}
export async function runCommand(words) {
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
