/** `--help`, from the rows of the contract. */
import {
  baseUrlVariable,
  bracketed,
  commandName,
  commands,
  exits,
  options,
  stages,
  toFlag,
} from '../contract/commands.ts'
import type { CommandRow } from '../contract/commands.ts'
import { homeUrl } from './environment.ts'
import { bold } from './output.ts'

export function helpFor(command: CommandRow | undefined): string {
  return command === undefined ? helpForAll() : helpForOne(command)
}

function helpForAll(): string {
  const rows = Object.entries(stages).flatMap(([stage, meaning]) => [
    `\n${bold(stage)}: ${meaning}`,
    ...commands
      .filter((command) => command.stage === stage)
      .map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`),
  ])
  return lines(
    `Usage: ${commandName} <command> [options]`,
    '',
    'Sends a Consultation request to a site, in stages: nothing is sent before "send".',
    homeUrl === undefined
      ? `Name the site with --base-url or ${baseUrlVariable}.`
      : `The site is ${homeUrl}; name another with --base-url or ${baseUrlVariable}.`,
    ...rows,
    '',
    bold('Exit codes'),
    ...Object.values(exits).map(({ code, meaning }) => `  ${code}  ${meaning}`),
    '',
    `"${commandName} <command> --help" tells more of each. "${commandName} --version" tells the version.`,
  )
}

function helpForOne({ name, summary, argument, options: taken, examples }: CommandRow): string {
  const flags = taken.map((option) => [toFlag(option), options[option].description] as const)
  const rows = [
    ...(argument === undefined ? [] : [[bracketed(argument), argument.description] as const]),
    ...flags,
  ]
  const width = Math.max(...rows.map(([flag]) => flag.length)) + 2
  const usage = [commandName, name, ...(argument ? [bracketed(argument)] : []), '[options]']
  return lines(
    `Usage: ${usage.join(' ')}`,
    '',
    summary,
    '',
    bold('Options'),
    ...rows.map(([flag, description]) => `  ${flag.padEnd(width)}${description}`),
    '',
    bold('Examples'),
    ...examples.map((example) => `  ${example}`),
  )
}

function lines(...all: string[]): string {
  return `${all.join('\n')}\n`
}
