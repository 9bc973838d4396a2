/**
 * The client's command as plain data. Its parser, its `--help` and /cli.md are all derived from
 * these rows.
 */
import { fieldKeys, fields } from './fields.ts'
import type { Field, FieldKey } from './fields.ts'
import { idempotencyKeyLength } from './limits.ts'

export const commandName = 'consult'
export const packageName = 'lead-intake-consult'
/** Where the site serves the package. */
export const packagePath = '/consult.tgz'

export const baseUrlVariable = 'CONSULT_BASE_URL'
export const draftFile = 'consultation-draft.json'

/** Timeout of one try, number of retries, and the longest Retry-After it waits for. */
export const patience = { timeoutS: 10, retries: 4, longestWaitS: 60 } as const

export type OptionRow = {
  /** The value after the flag; without it the option is a switch. */
  readonly argument?: string
  readonly description: string
}

const otherOptions = {
  'base-url': {
    argument: 'url',
    description: `Address of the site, such as https://www.example.com. Default: \`${baseUrlVariable}\`, or the site that the command was installed from.`,
  },
  'idempotency-key': {
    argument: 'key',
    description: `${idempotencyKeyLength.min} to ${idempotencyKeyLength.max} printable ASCII characters. The same key and request are one request, however often they are sent. Default: the key of the draft, or a new one.`,
  },
  force: { description: 'Write over a draft that is there already.' },
  'dry-run': { description: 'Show what would be sent, and stop.' },
  yes: { description: 'Do not ask first. For scripts.' },
  timeout: {
    argument: 'seconds',
    description: `How long to wait for one answer. Default: ${patience.timeoutS}.`,
  },
  retries: {
    argument: 'number',
    description: `How often to ask again when there is no answer, or a 429 or 5xx. Default: ${patience.retries}.`,
  },
  json: { description: 'For programs: one JSON object on standard output, also for an error.' },
} as const satisfies Record<string, OptionRow>

export type OptionName = FieldKey | keyof typeof otherOptions

export const options: Readonly<Record<OptionName, OptionRow>> = {
  ...toOptions(fields),
  ...otherOptions,
}

/** In order of use. Only `send` and `follow` change anything at the site. */
export const stages = {
  look: 'See what the business does and whether the site is well.',
  draft: 'Write the request into a file on this machine. Nothing is sent.',
  check: 'Hear now what the site would say of it. Nothing is sent.',
  send: 'Send it, after a look at it and a yes.',
  follow: 'See what has become of it, or withdraw it.',
} as const

export type Stage = keyof typeof stages

export type CommandRow = {
  readonly name: string
  readonly stage: Stage
  readonly summary: string
  readonly argument?: {
    readonly name: string
    readonly required: boolean
    readonly description: string
  }
  readonly options: readonly OptionName[]
  readonly examples: readonly string[]
}

const onTheWire = ['base-url', 'timeout'] as const
const patiently = [...onTheWire, 'retries'] as const

const draft = {
  name: 'file',
  required: false,
  description: `The draft, or \`-\` for standard input. Default: \`${draftFile}\`. Instead of a draft, the fields can be given as options.`,
} as const

const receipt = {
  name: 'receipt',
  required: true,
  description: 'The private `status_url` that `send` gave, or the token at its end.',
} as const

export const commands = [
  {
    name: 'info',
    stage: 'look',
    summary: 'What the business is, and what is where on its site.',
    options: [...patiently, 'json'],
    examples: ['consult info'],
  },
  {
    name: 'endpoints',
    stage: 'look',
    summary: 'Every operation of the API, from its description.',
    options: [...patiently, 'json'],
    examples: ['consult endpoints --json'],
  },
  {
    name: 'health',
    stage: 'look',
    summary: 'Whether a request could be received now.',
    options: [...onTheWire, 'json'],
    examples: ['consult health'],
  },
  {
    name: 'draft',
    stage: 'draft',
    summary: 'Write a draft. On a terminal it asks for what is missing.',
    argument: { ...draft, description: `Where to write it. Default: \`${draftFile}\`.` },
    options: [...fieldKeys, 'idempotency-key', 'force', 'json'],
    examples: ['consult draft', `consult draft --force ${exampleOptions()}`],
  },
  {
    name: 'check',
    stage: 'check',
    summary: 'Check a draft, in the words of the site, without sending it.',
    argument: draft,
    options: [...fieldKeys, 'idempotency-key', 'json'],
    examples: ['consult check'],
  },
  {
    name: 'send',
    stage: 'send',
    summary:
      'Show what will be sent, ask, and send it as one request however often the line fails.',
    argument: draft,
    options: [...fieldKeys, 'idempotency-key', 'dry-run', 'yes', ...patiently, 'json'],
    examples: ['consult send --dry-run', 'consult send', 'consult send --yes --json'],
  },
  {
    name: 'status',
    stage: 'follow',
    summary: 'What has become of a request.',
    argument: receipt,
    options: [...patiently, 'json'],
    examples: ['consult status "$STATUS_URL"'],
  },
  {
    name: 'withdraw',
    stage: 'follow',
    summary: 'Withdraw a request, after a yes.',
    argument: receipt,
    options: ['yes', ...patiently, 'json'],
    examples: ['consult withdraw "$STATUS_URL"'],
  },
] as const satisfies readonly CommandRow[]

export type CommandName = (typeof commands)[number]['name']

/** An argument as help and /cli.md show it. */
export function bracketed({ name, required }: NonNullable<CommandRow['argument']>): string {
  return required ? `<${name}>` : `[${name}]`
}

export function toFlag(option: OptionName): string {
  const { argument } = options[option]
  return argument === undefined ? `--${option}` : `--${option} <${argument}>`
}

export type ExitRow = {
  readonly code: number
  readonly meaning: string
  /** The `error.code` of `--json` when the site gave none. */
  readonly error: string
}

export const exits = {
  ok: { code: 0, meaning: 'Done.', error: '' },
  unexpected: {
    code: 1,
    meaning: 'The site answered as this service never does, or the command itself failed.',
    error: 'UNEXPECTED',
  },
  invalid: {
    code: 2,
    meaning: 'The command line, the draft or a field is wrong. Nothing was received.',
    error: 'INVALID_INPUT',
  },
  network: {
    code: 3,
    meaning:
      'No answer, or the site cannot do it just now. Run it again later; with the same key it stays one request.',
    error: 'NO_ANSWER',
  },
  refused: {
    code: 4,
    meaning: 'Nobody said yes, or the site will not do it.',
    error: 'REFUSED',
  },
} as const satisfies Record<string, ExitRow>

export type Exit = keyof typeof exits

function toOptions(rows: readonly (Field & { readonly key: FieldKey })[]) {
  return Object.fromEntries(
    rows.map(({ key, description, input }) => [
      key,
      {
        argument: 'text',
        description:
          input === 'textarea' ? `${description} \`-\` reads standard input.` : description,
      },
    ]),
  ) as Record<FieldKey, OptionRow>
}

function exampleOptions(): string {
  return fields.map(({ key, example }) => `--${key} "${example}"`).join(' ')
}
