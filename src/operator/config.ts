/** `lead-intake config`: every setting, its value, its default and its meaning. Secrets are hidden. */
import { settingNames, settingTable, shownValue } from '../config.ts'
import { toJson, toPlain, type Shell } from './shell.ts'

export async function showConfig(shell: Shell, { json }: { json?: true }): Promise<void> {
  const rows = settingNames.map((name) => ({
    name,
    value: shownValue(name, shell.environment),
    default: settingTable[name].fallback,
    meaning: settingTable[name].meaning,
  }))
  if (json) await shell.print(toJson(rows))
  else for (const row of rows) await shell.print(toText(row, shell.environment[row.name]))
  // Fails if a setting is wrong, after all settings are printed.
  shell.settings()
}

type Row = { name: string; value: string; default: string; meaning: string }

/** `given`: the value as it was set; `value` hides a secret. */
function toText({ name, value, default: usual, meaning }: Row, given: string | undefined): string {
  const note = (given || usual) === usual ? '' : `  # changed; default: ${usual || 'none'}`
  return `${name}=${toPlain(value)}${note}\n    ${meaning}\n`
}
