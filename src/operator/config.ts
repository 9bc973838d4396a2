/** `lead-intake config`: every setting, its value, its default and its meaning. Secrets are hidden. */
import { settingNames, settingTable } from '../config.ts'
import { toPlain } from '../log.ts'
import type { Shell } from './shell.ts'

export async function showConfig(shell: Shell): Promise<void> {
  for (const name of settingNames) {
    const { fallback, meaning, isSecret } = settingTable[name]
    const text = shell.environment[name] || fallback
    const note = text === fallback ? '' : `  # changed; default: ${fallback || 'none'}`
    const value = text && isSecret ? '(hidden)' : toPlain(text)
    await shell.print(`${name}=${value}${note}\n    ${meaning}\n`)
  }
  // Fails if a setting is wrong, after all settings are printed.
  shell.settings()
}
