/**
 * The tables of docs/ that are derived from the code. Each stands between two
 * comments that name it. `npm run format` writes them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Command } from 'commander'
import { settingNames, settingTable, type SettingName } from '../../src/config.ts'
import { documentRows } from '../../src/contract/documents.ts'
import { makeProgram } from '../../src/operator/program.ts'
import { exitCodes, processShell } from '../../src/operator/shell.ts'
import { markdownTable } from '../../src/site/markdown.ts'

export const tables = [
  { file: 'docs/settings.md', name: 'settings', text: settingsAsMarkdown(settingNames) },
  { file: 'docs/settings.md', name: 'commands', text: commandsAsMarkdown() },
  { file: 'docs/agents.md', name: 'documents', text: documentsAsMarkdown() },
]

/** What the file has between the comments now. */
export function readTable({ file, name }: { file: string; name: string }): string | undefined {
  return between(name).exec(readFileSync(file, 'utf8'))?.[2]
}

function settingsAsMarkdown(names: readonly SettingName[]): string {
  return markdownTable(
    ['Name', 'Default', 'Meaning'],
    names.map((name) => {
      const { fallback, meaning } = settingTable[name]
      return [`\`${name}\``, fallback === '' ? 'none' : `\`${fallback}\``, meaning]
    }),
  )
}

function commandsAsMarkdown(): string {
  const rows = commandsOf(makeProgram(processShell, () => {})).map((command) => [
    `\`${usageOf(command)}\``,
    command.description(),
  ])
  const codes = Object.values(exitCodes).map(({ code, meaning }) => `${code} ${meaning}`)
  return `${markdownTable(['Command', 'What it does'], rows)}\n\nExit codes: ${codes.join('; ')}.`
}

function documentsAsMarkdown(): string {
  return markdownTable(
    ['Document', 'What it is'],
    documentRows.map(({ path, also = [], title }) => {
      return [[path, ...also].map((each) => `\`${each}\``).join(', '), title]
    }),
  )
}

/** Without the groups, which have no options. */
function commandsOf(program: Command): Command[] {
  return program.commands.flatMap((command) => [
    ...(command.commands.length === 0 || command.options.length > 0 ? [command] : []),
    ...commandsOf(command),
  ])
}

/** Its name, its arguments and the options that it needs. */
function usageOf(command: Command): string {
  return [
    ...nameOf(command),
    ...command.registeredArguments.map((each) =>
      each.required ? `<${each.name()}>` : `[${each.name()}]`,
    ),
    ...command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
  ].join(' ')
}

function nameOf(command: Command): string[] {
  return command.parent ? [...nameOf(command.parent), command.name()] : []
}

function between(name: string): RegExp {
  return new RegExp(`(<!-- ${name}: .* -->\\n+)([\\s\\S]*?)(\\n+<!-- end of ${name} -->)`)
}

export function writeTables(): void {
  for (const { file, name, text } of tables) {
    const source = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      source.replace(between(name), (_, start: string, _old, end: string) => start + text + end),
    )
  }
}
