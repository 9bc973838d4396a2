/** The operator's command: runs it, and turns a failure into a sentence with an exit code. */
import { toCommandFailed } from './explain-failure.ts'
import { CommandFailed, exitCodes } from './output.ts'
import { runOperatorCommand } from './parse.ts'

// The reader may close the pipe early, as `head` does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit((code === 'EPIPE' ? exitCodes.ok : exitCodes.unwell).code)
})

/** A supervisor starts a service that ended again, some of them at once. */
const refusedPauseMs = 3_000

try {
  await runOperatorCommand(process.argv)
} catch (error) {
  const told = toCommandFailed(error)
  const failed = told instanceof CommandFailed
  const end = () => process.exit(failed ? told.code : exitCodes.unwell.code)
  const pauses = process.argv[2] === 'serve' && !process.stderr.isTTY
  if (pauses) process.once('SIGTERM', end).once('SIGINT', end)
  process.stderr.write(`${failed ? told.message : (told as Error).stack}\n`)
  if (pauses) setTimeout(end, refusedPauseMs)
  else end()
}
