/** Runs an operator's command as a process, and exits with its exit code. */
import { runCommand } from './program.ts'
import { exitCodes, processShell } from './shell.ts'

// A program that reads the output may close the pipe early, as `head` does.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit((code === 'EPIPE' ? exitCodes.ok : exitCodes.unwell).code)
})

/** A failed `serve` pauses before it exits: some supervisors restart it at once. */
const refusedPauseMs = 3_000

const words = process.argv.slice(2)
const { code, complaint } = await runCommand(words, processShell)
if (code !== exitCodes.ok.code) {
  const end = () => process.exit(code)
  const pauses = words[0] === 'serve' && !process.stderr.isTTY
  if (pauses) process.once('SIGTERM', end).once('SIGINT', end)
  process.stderr.write(complaint)
  if (pauses) setTimeout(end, refusedPauseMs)
  else end()
}
