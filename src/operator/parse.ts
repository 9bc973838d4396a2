/** Parses the command line with commander, by the rows of commands.ts. */
import { Command, Option } from 'commander'
import { howToType } from '../how-to-type.ts'
import { version } from '../version.ts'
import { commandGroups, operatorCommands } from './commands.ts'
import type { OperatorCommand, OperatorOption } from './commands.ts'
import { exitCodes } from './output.ts'

export async function runOperatorCommand(argv: readonly string[]): Promise<void> {
  await program().parseAsync(argv)
}

function program(): Command {
  const top = new Command('lead-intake')
    .description('Runs the Consultation lead service and manages its leads.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', help())
    // Options after `backup list` are its own, though `backup` has the same.
    .enablePositionalOptions()
    .exitOverride(({ exitCode }) => {
      process.exit((exitCode === 0 ? exitCodes.ok : exitCodes.usage).code)
    })
  for (const row of operatorCommands) {
    const words = row.name.split(' ')
    add(words.slice(0, -1).reduce(groupOf, top), words.at(-1)!, row)
  }
  return top
}

function groupOf(parent: Command, name: string): Command {
  const known = parent.commands.find((command) => command.name() === name)
  return known ?? parent.command(name).description(commandGroups[name] ?? '')
}

function add(parent: Command, name: string, row: OperatorCommand): void {
  const command = parent.command(name).description(row.summary)
  for (const [argument, description] of row.arguments ?? []) command.argument(argument, description)
  for (const option of row.options ?? []) command.addOption(toOption(option))
  command.action(async (...given: unknown[]) => {
    const run = (await row.load()) as (...all: unknown[]) => Promise<void>
    await run(...given)
  })
}

function toOption(row: OperatorOption): Option {
  const option = new Option(row.flags, row.description)
  if (row.choices !== undefined) option.choices(row.choices)
  if (row.fallback !== undefined) option.default(row.fallback)
  if (row.required) option.makeOptionMandatory()
  if (row.conflicts !== undefined) option.conflicts(row.conflicts)
  if (row.read !== undefined) option.argParser(row.read)
  return option
}

function help(): string {
  const examples = operatorCommands.flatMap(({ example }) => (example ? [example] : []))
  return [
    '',
    'Examples:',
    ...examples.map((example) => `  ${howToType(example)}`),
    '',
    'Exit codes:',
    ...Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`),
    '',
    `Settings come from the environment or a .env file: see "${howToType('config')}".`,
  ].join('\n')
}
