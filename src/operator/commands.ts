/** Every operator's command as a row. The parser, the help and the README's table are derived from these. */
import { ownersStates, states } from '../contract/states.ts'
import { exportFormats } from '../desk/export-formats.ts'
import { CommandFailed } from './output.ts'

export type OperatorCommand = {
  /** One to three words: `doctor`, `leads list`, `inbox members add`. */
  readonly name: string
  readonly summary: string
  /** The name with typical arguments, for the help and the README. */
  readonly example?: string
  /** Name as in `<reference>` or `[name]`, and description. */
  readonly arguments?: readonly (readonly [name: string, description: string])[]
  readonly options?: readonly OperatorOption[]
  /** Loads only what this command needs. The result is called with the arguments in order, then the options. */
  readonly load: () => Promise<(...given: never[]) => Promise<void>>
}

export type OperatorOption = {
  readonly flags: string
  readonly description: string
  readonly choices?: readonly string[]
  readonly fallback?: unknown
  readonly required?: true
  /** Another option that cannot be used with it. */
  readonly conflicts?: string
  readonly read?: (text: string) => unknown
}

/** What the words before the last one of a name stand for. */
export const commandGroups: Readonly<Record<string, string>> = {
  content: 'the words of the site',
  leads: 'list, search, show, move, erase and export leads',
  deliveries: 'list, show and retry notifications',
  inbox: 'who may open the inbox',
  members: 'list, add and end members',
}

const before = {
  flags: '--before <reference>',
  description: 'continue after the last lead of the previous page: its reference or id',
}
const json = { flags: '--json', description: 'print JSON, for programs' }
const state = { flags: '--state <state>', description: 'only leads in this state', choices: states }
const channel = { flags: '--channel <name>', description: 'only through this channel' }
const limit = {
  flags: '--limit <number>',
  description: 'how many at most',
  fallback: 50,
  read: readLimit,
}
const lead = ['<reference>', 'its reference, such as C-7K3QM-4X92P, or its id'] as const
const backup = ['<file>', 'a backup, as "backup list" names it'] as const
const key = {
  flags: '--key <file>',
  description: 'the key of an encrypted backup, as age-keygen writes it',
}
const delivery = 'reference or id of a lead, or id of a delivery'

export const operatorCommands: readonly OperatorCommand[] = [
  {
    name: 'serve',
    summary: 'run the service until SIGTERM',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'config',
    summary: 'print every setting: value, default, meaning',
    options: [
      json,
      { flags: '--markdown', description: 'as the table of docs/settings.md', conflicts: 'json' },
    ],
    load: async () => (await import('./config.ts')).showConfig,
  },
  {
    name: 'doctor',
    summary: 'check settings, database, disk, content, mail server and deliveries',
    options: [json],
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'healthcheck',
    summary: 'ask the service on this machine whether it takes leads; for containers',
    load: async () => (await import('./healthcheck.ts')).checkHealth,
  },
  {
    name: 'init',
    summary: 'write a folder for a site of your own: content, settings, one dependency',
    example: 'init my-site',
    arguments: [['<folder>', 'new, or without content']],
    load: async () => (await import('./init.ts')).initSite,
  },
  {
    name: 'content check',
    summary: 'say what is wrong with the content',
    options: [json],
    load: async () => (await import('./content-check.ts')).checkContentFolder,
  },
  {
    name: 'leads list',
    summary: 'list leads, newest first',
    example: 'leads list --state new',
    options: [state, limit, before, json],
    load: async () => (await import('./leads-list.ts')).listLeads,
  },
  {
    name: 'leads search',
    summary: 'find leads by words, digits of a phone number, parts of an email, or a reference',
    example: 'leads search pergola 570 006',
    arguments: [['<words...>', 'all must be there; the last may be the start of a word']],
    options: [limit, before, json],
    load: async () => (await import('./leads-search.ts')).searchForLeads,
  },
  {
    name: 'leads show',
    summary: 'show one lead and its history',
    example: 'leads show C-7K3QM-4X92P',
    arguments: [lead],
    options: [json],
    load: async () => (await import('./leads-show.ts')).showLead,
  },
  {
    name: 'leads move',
    summary: 'move a lead to another state',
    example: 'leads move C-7K3QM-4X92P contacted',
    arguments: [lead, ['<state>', ownersStates.join(', ')]],
    options: [json],
    load: async () => (await import('./leads-move.ts')).moveOneLead,
  },
  {
    name: 'leads erase',
    summary: 'erase the personal details of a lead for good; its history stays',
    example: 'leads erase C-7K3QM-4X92P --yes',
    arguments: [lead],
    options: [{ flags: '--yes', description: 'confirm that it cannot be undone' }, json],
    load: async () => (await import('./leads-erase.ts')).eraseOneLead,
  },
  {
    name: 'leads export',
    summary: 'write all leads, newest first, or everything about one person, to standard output',
    example: 'leads export --format csv > leads.csv',
    options: [
      {
        flags: '--format <format>',
        description:
          'default: jsonl, or json for a person; csv is safe to open in a spreadsheet; html is for a person',
        choices: [...exportFormats, 'html'],
      },
      { ...state, conflicts: 'person' },
      {
        flags: '--person <reference>',
        description: 'every lead with the same email, with history, notes and notices',
      },
      {
        flags: '--also-phone',
        description:
          'with --person: those with the same phone number too. Look whose they are before you give them away: anybody can write a number',
      },
    ],
    load: async () => (await import('./leads-export.ts')).exportLeads,
  },
  {
    name: 'deliveries list',
    summary: 'list deliveries, newest first',
    example: 'deliveries list --dead',
    options: [
      { flags: '--waiting', description: 'only those still to be sent', conflicts: 'dead' },
      { flags: '--dead', description: 'only those that will not be retried' },
      channel,
      limit,
      json,
    ],
    load: async () => (await import('./deliveries-list.ts')).listDeliveries,
  },
  {
    name: 'deliveries show',
    summary: 'show every try: when, through which channel, the answer, how long it took',
    example: 'deliveries show C-7K3QM-4X92P',
    arguments: [['<name>', delivery]],
    options: [json],
    load: async () => (await import('./deliveries-show.ts')).showDeliveries,
  },
  {
    name: 'deliveries retry',
    summary:
      'retry at once all deliveries that died or failed, or those named, from the start of the schedule',
    example: 'deliveries retry --channel mail',
    arguments: [['[name]', `${delivery}; default: all dead ones`]],
    options: [channel, json],
    load: async () => (await import('./deliveries-retry.ts')).retryDeliveries,
  },
  {
    name: 'inbox link',
    summary: 'print an address that signs a member in once; the first one makes the first member',
    example: 'inbox link --email robin@example.com',
    options: [
      { flags: '--email <address>', description: 'of the member; default: the only one' },
      { flags: '--name <name>', description: 'of the first member' },
      json,
    ],
    load: async () => (await import('./inbox-link.ts')).printLink,
  },
  {
    name: 'inbox members list',
    summary: 'list the people who may open the inbox',
    options: [json],
    load: async () => (await import('./inbox-members.ts')).listAllMembers,
  },
  {
    name: 'inbox members add',
    summary: 'let one more person open the inbox',
    example: 'inbox members add --name Robin --email robin@example.com',
    options: [
      { flags: '--name <name>', description: 'as it is shown in the inbox', required: true },
      { flags: '--email <address>', description: 'for codes by mail', required: true },
      json,
    ],
    load: async () => (await import('./inbox-members.ts')).addOneMember,
  },
  {
    name: 'inbox members end',
    summary: 'end a membership: signs out every browser and removes the passkeys',
    example: 'inbox members end robin@example.com',
    arguments: [['<email>', 'address of the member']],
    options: [json],
    load: async () => (await import('./inbox-members.ts')).endOneMember,
  },
  {
    name: 'test-notification',
    summary: 'send a test through every channel and print the answers',
    options: [json],
    load: async () => (await import('./test-notification.ts')).testNotification,
  },
  {
    name: 'backup',
    summary: 'write database, secret and content into one file, also while the service runs',
    example: 'backup --to /mnt/backups',
    options: [
      { flags: '--to <folder>', description: 'default: BACKUP_TO, else backups in DATA_DIR' },
      {
        flags: '--by-clock',
        description:
          'for a timer: BACKUP_KEEP deletes older ones that were made so, and later this',
      },
      json,
    ],
    load: async () => (await import('./backup.ts')).backUp,
  },
  {
    name: 'backup list',
    summary: 'list the backups, newest first',
    arguments: [['[folder]', 'default: BACKUP_TO, else backups in DATA_DIR']],
    options: [json],
    load: async () => (await import('./backup.ts')).list,
  },
  {
    name: 'backup verify',
    summary: 'check every byte of a backup, and its database',
    example: 'backup verify backups/lead-intake-2026-11-15T17…Z-s4.sqlite.zst',
    arguments: [backup],
    options: [key, json],
    load: async () => (await import('./backup.ts')).verify,
  },
  {
    name: 'backup drill',
    summary: 'restore the newest backup into a temporary folder and compare it with the database',
    arguments: [['[folder]', 'default: BACKUP_TO, else backups in DATA_DIR']],
    options: [key, json],
    load: async () => (await import('./backup.ts')).drill,
  },
  {
    name: 'restore',
    summary: 'put a backup in the place of what is there, while the service is stopped',
    example: 'restore backups/lead-intake-2026-11-15T17…Z-s4.sqlite.zst --dry-run',
    arguments: [backup],
    options: [
      { flags: '--dry-run', description: 'check everything and tell what would be done' },
      { flags: '--yes', description: 'also a backup of another installation' },
      key,
      json,
    ],
    load: async () => (await import('./backup.ts')).restore,
  },
  {
    name: 'migrate-engine',
    summary: 'copy everything from SQLite to PostgreSQL or back; stop the service first',
    example: 'migrate-engine --from sqlite:data/leads.sqlite --to postgres://…',
    options: [
      {
        flags: '--from <database>',
        description: 'as in DATABASE_URL: sqlite:FILE or postgres://…',
        required: true,
      },
      {
        flags: '--to <database>',
        description: 'an empty database, or one where this was interrupted',
        required: true,
      },
    ],
    load: async () => (await import('./migrate-engine.ts')).migrateEngine,
  },
]

function readLimit(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= 1_000) return number
  throw new CommandFailed('usage', '--limit must be a whole number from 1 to 1000.')
}
