/** `lead-intake config`: every setting, its value, its default and its meaning. Secrets are hidden. */
import { settingNames, settingTable, shownValue } from '../config.ts'
import { toPlain, type Shell } from './shell.ts'

export async function showConfig(shell: Shell): Promise<void> {
  for (const name of settingNames) {
    const { fallback, meaning } = settingTable[name]
    const isUsual = (shell.environment[name] || fallback) === fallback
    const note = isUsual ? '' : `  # changed; default: ${fallback || 'none'}`
    const value = toPlain(shownValue(name, shell.environment))
    await shell.print(`${name}=${value}${note}\n    ${meaning}\n`)
  }
  // Fails if a setting is wrong, after all settings are printed.
  shell.settings()
}
