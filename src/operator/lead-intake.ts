/** The program behind bin/lead-intake.js: runs one command and exits with its code. */
import { runCommand } from './program.ts'
import { exitCodes, processShell } from './shell.ts'

const words = process.argv.slice(2)

// Only the log of `serve` may be lost: a service without a reader, or with a full disk, takes leads.
if (words[0] !== 'serve') process.stdout.on('error', endCommand)

const { code, complaint } = await runCommand(words, processShell)
if (code !== exitCodes.ok.code) {
  process.stderr.write(complaint)
  process.exit(code)
}

/** A reader such as `head` may close the pipe early, which is no failure. */
function endCommand({ code: why }: NodeJS.ErrnoException): void {
  process.exit((why === 'EPIPE' ? exitCodes.ok : exitCodes.unwell).code)
}
