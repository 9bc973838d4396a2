/** /cli.md: how a stranger gets the client's command, and all it can do, written from its rows. */
import {
  baseUrlVariable,
  commandName,
  commands,
  exits,
  options,
  packageFolder,
  packageName,
  stages,
} from './commands.ts'
import type { CommandRow, Stage } from './commands.ts'

export function commandsAsMarkdown({ baseUrl }: { baseUrl: string }): string {
  return [
    `# ${commandName}: a Consultation request from the command line`,
    `\`${commandName}\` is for a person or a script at a shell. It goes in stages, and nothing is sent before \`send\`:`,
    stageList(),
    '## Install',
    `It needs Node 20 or later and has no dependencies. It is in no package registry: build it from a checkout of the source of this service.`,
    code(
      'npm ci',
      `cd ${packageFolder}`,
      'npm pack',
      `npm install --global ./${packageName}-*.tgz`,
      `export ${baseUrlVariable}=${baseUrl}`,
      `${commandName} --help`,
    ),
    ...Object.keys(stages).flatMap((stage) => stageSection(stage as Stage)),
    '## Exit codes',
    table(
      ['Code', 'Meaning'],
      Object.values(exits).map(({ code: number, meaning }) => [String(number), meaning]),
    ),
    '## Good to know',
    bullets(
      'A draft is the JSON body of the request itself, with an idempotency key of its own: send it again after a failure, and it stays one request. After changing a draft that was sent, make a new one.',
      'Text stays as it was typed: a phone number or a postcode keeps its zeros.',
      `With \`--json\`, standard output is one JSON object, also for an error: \`{"error":{"code","message","resolution"}}\`. What it does meanwhile is told on standard error.`,
      'Options can be seen by other users of the same machine. Where that matters, answer the questions of `draft`, or give the draft on standard input.',
      'Redirects are not followed, so that personal details go to no other address than the one given.',
      'There are colours on a terminal only, and none with `NO_COLOR`.',
    ),
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
    code(...examples),
    table(['Option', 'Meaning'], rows),
  ]
}

/** Also the way it stands in the help. */
export function bracketed({ name, required }: NonNullable<CommandRow['argument']>): string {
  return required ? `<${name}>` : `[${name}]`
}

export function toFlag(option: keyof typeof options): string {
  const { argument } = options[option]
  return argument === undefined ? `--${option}` : `--${option} <${argument}>`
}

function code(...lines: string[]): string {
  return ['```sh', ...lines, '```'].join('\n')
}

function bullets(...lines: string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
