/** The operator's command. `serve` and `healthcheck` do without the parser, to start faster. */
import { CommandFailed, exitCodes } from './output.ts'

// The reader may close the pipe early, as `head` does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit((code === 'EPIPE' ? exitCodes.ok : exitCodes.unwell).code)
})

const serves = process.argv.length === 3 && process.argv[2] === 'serve'
/** A supervisor starts a service that ended again, some of them at once. */
const refusedPauseMs = 3_000

try {
  if (serves) {
    const { serve } = await import('./serve.ts')
    await serve()
  } else if (process.argv.length === 3 && process.argv[2] === 'healthcheck') {
    const { checkHealth } = await import('./healthcheck.ts')
    await checkHealth()
  } else {
    const { runOperatorCommand } = await import('./parse.ts')
    await runOperatorCommand(process.argv)
  }
} catch (error) {
  const told = error instanceof CommandFailed ? error : await explained(error)
  const failed = told instanceof CommandFailed
  const end = () => process.exit(failed ? told.code : exitCodes.unwell.code)
  const pauses = serves && !process.stderr.isTTY
  if (pauses) process.once('SIGTERM', end).once('SIGINT', end)
  process.stderr.write(`${failed ? told.message : (told as Error).stack}\n`)
  if (pauses) setTimeout(end, refusedPauseMs)
  else end()
}

async function explained(error: unknown): Promise<unknown> {
  const { toCommandFailed } = await import('./explain-failure.ts')
  return toCommandFailed(error)
}
