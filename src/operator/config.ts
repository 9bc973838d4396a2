/** `lead-intake config`: every setting, its value, its default and its meaning. Secrets are hidden. */
import { readEnvironment, readSettings, settingNames, settingTable, shownValue } from '../config.ts'
import type { SettingName } from '../config.ts'
import { table } from '../site/write-markdown.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toPlain } from './table.ts'

export async function showConfig(options: { json?: true; markdown?: true }): Promise<void> {
  if (options.markdown) return print(`${settingsAsMarkdown(settingNames)}\n`)
  const environment = readEnvironment()
  const rows = settingNames.map((name) => ({
    name,
    value: shownValue(name, environment),
    default: settingTable[name].fallback,
    meaning: settingTable[name].meaning,
  }))
  if (options.json) await print(toJson(rows))
  else for (const row of rows) await print(toText(row, environment[row.name]))
  const read = readSettings(environment)
  if ('problems' in read) throw new CommandFailed('usage', read.problems.join('\n'))
}

/** For docs/settings.md and the README. */
export function settingsAsMarkdown(names: readonly SettingName[]): string {
  return table(
    ['Name', 'Default', 'Meaning'],
    names.map((name) => {
      const { fallback, meaning } = settingTable[name]
      return [`\`${name}\``, fallback === '' ? 'none' : `\`${fallback}\``, meaning]
    }),
  )
}

type Row = { name: string; value: string; default: string; meaning: string }

/** `given`: the value as it was set, which may be hidden. */
function toText({ name, value, default: usual, meaning }: Row, given: string | undefined): string {
  const note = (given || usual) === usual ? '' : `  # changed; default: ${usual || 'none'}`
  return `${name}=${toPlain(value)}${note}\n    ${meaning}\n`
}
