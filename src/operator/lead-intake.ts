/** The operator's command. `serve` starts at once; the other commands are loaded only when asked for. */
import { CommandFailed, exitCodes } from './output.ts'

// Whoever reads us may stop reading, as `head` does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit(code === 'EPIPE' ? exitCodes.ok : exitCodes.unwell)
})

try {
  if (process.argv.length === 3 && process.argv[2] === 'serve') {
    const { serve } = await import('./serve.ts')
    await serve()
  } else {
    const { runCommand } = await import('./commands.ts')
    await runCommand(process.argv)
  }
} catch (error) {
  const failed = error instanceof CommandFailed
  process.stderr.write(`${failed ? error.message : (error as Error).stack}\n`)
  process.exit(failed ? error.code : exitCodes.unwell)
}
