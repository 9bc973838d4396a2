/** cli.md: how to install the client's command, all it can do, and the same stages with curl. */
import {
  bracketed,
  commandName,
  commands,
  exits,
  options,
  packagePath,
  stages,
  toFlag,
} from '../contract/commands.ts'
import type { CommandRow, Stage } from '../contract/commands.ts'
import { documents } from '../contract/documents.ts'
import { routes } from '../contract/routes.ts'
import { list, shellCode, table } from '../site/write-markdown.ts'
import { consultVersion } from './consult-package.ts'
import type { Facts } from './facts.ts'
import { curlToSend } from './guide-parts.ts'

export function writeCommandLine({ baseUrl }: Pick<Facts, 'baseUrl'>): string {
  return `${commandsAsMarkdown(baseUrl)}
## The same with curl

Look: the site guide, and whether a request could be received now.

${shellCode(`curl ${baseUrl}${documents.llms.path}`, `curl ${baseUrl}${routes.lead.path}`)}

Send, once the person has seen the details and agreed. Keep the key: sending again with the same one does no harm.

${curlToSend(baseUrl)}

Follow: the answer holds a private \`status_url\`.

${shellCode('curl "$STATUS_URL"')}

Withdraw, if the person wants that.

${shellCode(`curl -X POST "$STATUS_URL${routes.withdraw.path}"`)}
`
}

function commandsAsMarkdown(baseUrl: string): string {
  return [
    `# ${commandName}: a Consultation request from the command line`,
    shellCode(`npx --yes --package=${baseUrl}${packagePath} ${commandName} --help`),
    `This runs version ${consultVersion} of \`${commandName}\`, from this site and for this site. It needs Node 20 or later, no package registry, and has no dependencies. To keep it:`,
    shellCode(`npm install --global ${baseUrl}${packagePath}`),
    `\`${commandName}\` is for a person or a script at a shell. It goes in stages, and nothing is sent before \`send\`:`,
    stageList(),
    ...Object.keys(stages).flatMap((stage) => stageSection(stage as Stage)),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      Object.values(exits).map(({ code, meaning }) => [String(code), meaning]),
    ),
    '## Good to know',
    list([
      'A draft is the JSON body of the request itself, with an idempotency key of its own: send it again after a failure, and it stays one request. After changing a draft that was sent, make a new one.',
      'Text stays as it was typed: a phone number or a postcode keeps its zeros.',
      `With \`--json\`, standard output is one JSON object, also for an error: \`{"error":{"code","message","resolution"}}\`. What it does meanwhile is told on standard error.`,
      'Options can be seen by other users of the same machine. Where that matters, answer the questions of `draft`, or give the draft on standard input.',
      'Redirects are not followed, so that personal details go to no other address than the one given.',
      'There are colours on a terminal only, and none with `NO_COLOR`.',
    ]),
  ]
    .join('\n\n')
    .concat('\n')
}

function stageList(): string {
  return Object.entries(stages)
    .map(([stage, meaning], index) => `${index + 1}. **${stage}**: ${meaning} ${namesOf(stage)}`)
    .join('\n')
}

function namesOf(stage: string): string {
  const names = commands.filter((command) => command.stage === stage).map(({ name }) => name)
  return `(${names.map((name) => `\`${name}\``).join(', ')})`
}

function stageSection(stage: Stage): string[] {
  const rows: readonly CommandRow[] = commands
  return rows.filter((command) => command.stage === stage).flatMap(commandSection)
}

function commandSection({ name, summary, argument, options: taken, examples }: CommandRow) {
  const usage = argument === undefined ? '' : ` ${bracketed(argument)}`
  const rows = taken.map((option) => [`\`${toFlag(option)}\``, options[option].description])
  if (argument !== undefined) rows.unshift([`\`${bracketed(argument)}\``, argument.description])
  return [
    `## ${commandName} ${name}${usage && ` \`${usage.trim()}\``}`,
    summary,
    shellCode(...examples),
    table(['Option', 'Meaning'], rows),
  ]
}
