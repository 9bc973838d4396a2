/** Nothing is changed at the site without a yes: of a person at a terminal, or given beforehand. */
import type { Call } from './arguments.ts'
import { Failed } from './failed.ts'
import { say } from './output.ts'
import { confirm, findTerminal } from './questions.ts'

export async function askForConsent(
  { switches }: Call,
  { shown, question }: { shown: string; question: string },
): Promise<void> {
  if (switches.has('yes')) return
  const terminal = findTerminal()
  if (terminal === undefined) {
    throw new Failed('refused', {
      message: 'Nothing was sent: there is no terminal here to ask for a yes.',
      resolution: 'Add --yes if it is to be done without asking.',
    })
  }
  say(shown)
  if (await confirm(terminal, question)) return
  throw new Failed('refused', {
    message: 'Nothing was sent.',
    resolution: 'Run it again when you are ready.',
  })
}
