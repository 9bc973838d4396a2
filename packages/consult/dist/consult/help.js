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
} from '../contract/commands.js'
import { bold } from './output.js'
export function helpFor(command) {
  return command === undefined ? helpForAll() : helpForOne(command)
}
function helpForAll() {
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
    `Name the site with --base-url or ${baseUrlVariable}.`,
    ...rows,
    '',
    bold('Exit codes'),
    ...Object.values(exits).map(({ code, meaning }) => `  ${code}  ${meaning}`),
    '',
    `"${commandName} <command> --help" tells more of each. "${commandName} --version" tells the version.`,
  )
}
function helpForOne({ name, summary, argument, options: taken, examples }) {
  const flags = taken.map((option) => [toFlag(option), options[option].description])
  const rows = [
    ...(argument === undefined ? [] : [[bracketed(argument), argument.description]]),
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
function lines(...all) {
  return `${all.join('\n')}\n`
}
