/** Parses the command line by the rows of the contract. Every value stays the text it was typed as. */
import { parseArgs } from 'node:util'
import { commandName, commands, options } from '../contract/commands.js'
import { Failed } from './failed.js'
export function readCommandLine(words) {
  const { values, positionals } = parse(words)
  const { help, version, ...given } = values
  const [first, ...rest] = positionals
  const asksForHelp = help === true || first === 'help' || first === undefined
  const name = first === 'help' ? rest[0] : first
  if (version) return { kind: 'version' }
  if (name === undefined) return { kind: 'help', command: undefined }
  const command = findCommand(name)
  if (asksForHelp) return { kind: 'help', command }
  return { kind: 'call', command: command.name, call: toCall(command, rest, given) }
}
export function usageFailure(message, command) {
  const help = [commandName, ...(command === undefined ? [] : [command]), '--help'].join(' ')
  return new Failed('invalid', { message, resolution: `See "${help}".` })
}
const parserOptions = Object.fromEntries([
  ...Object.entries(options).map(([name, { argument }]) => [
    name,
    { type: argument === undefined ? 'boolean' : 'string' },
  ]),
  ['help', { type: 'boolean', short: 'h' }],
  ['version', { type: 'boolean' }],
])
function parse(words) {
  try {
    return parseArgs({ args: [...words], options: parserOptions, allowPositionals: true })
  } catch (error) {
    // Names the option, and how to write a value that begins with a dash.
    const [message] = error.message.split(' To specify a positional')
    throw usageFailure(message.replaceAll('\n', ' '))
  }
}
function findCommand(name) {
  const found = commands.find((command) => command.name === name)
  if (found !== undefined) return found
  const names = commands.map((command) => command.name).join(', ')
  throw usageFailure(`There is no command "${name}". The commands are ${names}.`)
}
function toCall(command, words, given) {
  const { name, argument } = command
  const most = argument === undefined ? 0 : 1
  if (words.length > most) {
    const many = most === 0 ? 'no argument' : 'one argument'
    throw usageFailure(`${name} takes ${many}; put quotes around a value with blanks.`, name)
  }
  if (argument?.required && words.length === 0) {
    throw usageFailure(`${name} needs its <${argument.name}>.`, name)
  }
  const unknown = Object.keys(given).find((flag) => !command.options.includes(flag))
  if (unknown !== undefined) throw usageFailure(`${name} takes no --${unknown}.`, name)
  const entries = Object.entries(given)
  return {
    argument: words[0],
    texts: Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')),
    switches: new Set(entries.filter(([, value]) => value === true).map(([flag]) => flag)),
  }
}
