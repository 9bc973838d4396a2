/** How the operator's command is typed where this process was started: npm puts it on no PATH but its own. */
import { readEnvironment } from './environment.ts'

const here = commandIn(readEnvironment())

/** `words`: what follows the name of the program, such as `inbox link`. */
export function howToType(words: string): string {
  return `${here} ${words}`
}

/** Without npm there is a command on the PATH, as packaging/command is. */
function commandIn(environment: Readonly<Record<string, string | undefined>>): string {
  const { npm_lifecycle_event: script, npm_package_name: folder } = environment
  if (script === undefined) return 'lead-intake'
  return script === 'npx' || folder !== 'lead-intake'
    ? 'npx lead-intake'
    : 'npm run -s lead-intake --'
}
