/** The command `config`: prints every setting with its value, default and meaning. */
import { settingNames, settingTable } from '../config.ts'
import { toPlainText } from '../log.ts'
import type { Shell } from './shell.ts'

export async function showConfig(shell: Shell): Promise<void> {
  for (const name of settingNames) {
    const { fallback, meaning, isSecret } = settingTable[name]
    const text = shell.environment[name] || fallback
    const note = text === fallback ? '' : `  # changed; default: ${fallback || 'none'}`
    const value = text && isSecret ? '(hidden)' : toPlainText(text)
    await shell.print(`${name}=${value}${note}\n    ${meaning}\n`)
  }
  // Throws if a setting is wrong, but only after all settings are printed.
  shell.settings()
}
