/** cli.md: how to get the client's command, and all it can do. */
import {
  bracketed,
  commandName,
  commands,
  draftFile,
  exits,
  options,
  packagePath,
  stages,
  toFlag,
} from '../contract/commands.ts'
import type { CommandRow, OptionName } from '../contract/commands.ts'
import { routes } from '../contract/routes.ts'
import { list, shellCode, table } from '../site/write-markdown.ts'
import { consultVersion } from './consult-package.ts'
import type { Facts } from './facts.ts'

const rows: readonly CommandRow[] = commands

export function writeCommandLine({ baseUrl }: Pick<Facts, 'baseUrl'>): string {
  return [
    `# ${commandName}: a Consultation request from the command line`,
    shellCode(`npx --yes --package=${baseUrl}${packagePath} ${commandName} --help`),
    `This runs version ${consultVersion} of \`${commandName}\`, from this site and for this site. It needs Node 20 or later, no package registry, and has no dependencies. To keep it:`,
    shellCode(`npm install --global ${baseUrl}${packagePath}`),
    '## Stages',
    'Nothing is sent before `send`.',
    Object.entries(stages).map(stageItem).join('\n'),
    shellCode(...rows.flatMap(({ examples }) => examples)),
    '## Options',
    table(['Option', 'Of', 'Meaning'], [...argumentRows(), ...optionRows()]),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      Object.values(exits).map(({ code, meaning }) => [String(code), meaning]),
    ),
    '## Good to know',
    list([
      'A draft is the JSON body of the request, with an idempotency key of its own: send it again after a failure, and it stays one request. After changing a draft that was sent, make a new one.',
      'An error with `--json` is `{"error":{"code","message","resolution"}}`. What goes on meanwhile is told on standard error.',
      'Options can be seen by other users of the same machine. Where that matters, answer the questions of `draft`, or give the draft on standard input.',
      'Redirects are not followed, so that personal details go to no other address.',
      `Without Node: \`curl ${baseUrl}${routes.lead.path} -H 'Content-Type: application/json' -d @${draftFile}\``,
    ]),
  ]
    .join('\n\n')
    .concat('\n')
}

function stageItem([stage, meaning]: [string, string], index: number): string {
  const own = rows.filter((command) => command.stage === stage)
  const lines = own.map(({ name, argument, summary }) => {
    const usage = [commandName, name, ...(argument ? [bracketed(argument)] : [])].join(' ')
    return `   - \`${usage}\`: ${summary}`
  })
  return [`${index + 1}. **${stage}**: ${meaning}`, ...lines].join('\n')
}

/** One for each meaning, with the commands that share it. */
function argumentRows(): string[][] {
  const withArgument = rows.flatMap(({ name, argument }) => (argument ? [{ name, argument }] : []))
  const byMeaning = Map.groupBy(withArgument, ({ argument }) => argument.description)
  return [...byMeaning].map(([meaning, [first, ...others]]) => [
    `\`${bracketed(first!.argument)}\``,
    inCode([first!, ...others]),
    meaning,
  ])
}

function optionRows(): string[][] {
  return (Object.keys(options) as OptionName[]).map((option) => [
    `\`${toFlag(option)}\``,
    inCode(rows.filter(({ options: taken }) => taken.includes(option))),
    options[option].description,
  ])
}

function inCode(named: readonly { name: string }[]): string {
  return named.length === rows.length ? 'all' : named.map(({ name }) => `\`${name}\``).join(', ')
}
