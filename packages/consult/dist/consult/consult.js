#!/usr/bin/env node
/** The client's command: sends a Consultation request to a site that runs this service. */
import { exits } from '../contract/commands.js'
import { Failed } from './failed.js'
import { print, say, toJson, toPlainLines } from './output.js'
import { runCommand } from './run.js'
// The reader may close the pipe early, as `head` does.
process.stdout.on('error', ({ code }) => {
  process.exit(code === 'EPIPE' ? exits.ok.code : exits.unexpected.code)
})
const words = process.argv.slice(2)
try {
  await print(await runCommand(words))
} catch (error) {
  const failed = Failed.from(error)
  // Not from the parsed arguments: the command line may be what is wrong.
  if (words.includes('--json')) await print(toJson({ error: failed.error }))
  else say(`consult: ${toPlainLines(failed.inWords())}`)
  process.exitCode = exits[failed.exit].code
}
