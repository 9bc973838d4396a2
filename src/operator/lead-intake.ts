import { runCommand } from './program.ts'
import { exitCodes, processShell } from './shell.ts'

// A reader such as `head` may close the pipe early, which is no failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.exit((code === 'EPIPE' ? exitCodes.ok : exitCodes.unwell).code)
})

const { code, complaint } = await runCommand(process.argv.slice(2), processShell)
if (code !== exitCodes.ok.code) {
  process.stderr.write(complaint)
  process.exit(code)
}
