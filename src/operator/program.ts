/** All commands and their options. The table of commands in docs/settings.md is written from these. */
import { Command, CommanderError, Option } from 'commander'
import { exportFormats } from '../contract/fields.ts'
import { states } from '../contract/states.ts'
import { version } from '../config.ts'
import { howToType } from '../words.ts'
import { CommandFailed, exitCodes, type Shell } from './shell.ts'

/** `complaint` is for standard error. */
export type Ended = { code: number; complaint: string }

export async function runCommand(words: readonly string[], shell: Shell): Promise<Ended> {
  let complaint = ''
  const program = makeProgram(shell, (text) => (complaint += text))
  try {
    await program.parseAsync(words, { from: 'user' })
    return { code: exitCodes.ok.code, complaint }
  } catch (error) {
    if (error instanceof CommanderError) {
      complaint = withNearCommands(program, complaint)
      return { code: (error.exitCode === 0 ? exitCodes.ok : exitCodes.usage).code, complaint }
    }
    const failure = error instanceof CommandFailed ? error : await explain(error)
    return failure instanceof CommandFailed
      ? { code: failure.code, complaint: `${failure.message}\n` }
      : { code: exitCodes.unwell.code, complaint: `${(failure as Error).stack}\n` }
  }
}

async function explain(error: unknown): Promise<unknown> {
  const { toCommandFailed } = await import('./failures.ts')
  return toCommandFailed(error)
}

/**
 * For an unknown command: the commands of other groups with this name, such as "leads show" for "show",
 * in place of one that is only spelled alike: who types "retry" does not mean "restore".
 */
function withNearCommands(program: Command, complaint: string): string {
  const [unknown, word] = /^.*unknown command '(.*)'\n/m.exec(complaint) ?? []
  if (word === undefined) return complaint
  const near = program.commands.flatMap((group) =>
    group.commands
      .filter((command) => command.name() === word)
      .map((command) => `"${howToType(`${group.name()} ${command.name()}`)}"`),
  )
  if (near.length > 0) return `${unknown}Did you mean ${near.join(' or ')}?\n`
  if (complaint.includes('Did you mean')) return complaint
  return `${complaint}"${howToType('--help')}" lists the commands.\n`
}

const json = new Option('--json', 'print JSON, for programs')
const state = new Option('--state <state>', 'only leads in this state').choices(states)
const limit = new Option('--limit <number>', 'how many at most').argParser(readLimit).default(50)
const since = new Option('--since <date>', 'only leads since this date, in UTC').argParser(
  readSince,
)
const search = new Option('--search <words>', 'only leads that the search of the inbox finds')
const format = new Option('--format <format>', 'csv is safe to open in a spreadsheet')
  .choices(exportFormats)
  .default('jsonl')
const key = new Option('--key <file>', 'the key of an encrypted backup, as age-keygen writes it')
const howToName = 'a lead is named by its reference, such as C-7K3QM-4X92P, or its id'
const backupFolder = 'default: BACKUP_TO, else backups in DATA_DIR'

const leadCommands = () => import('./leads.ts')
const deliveryCommands = () => import('./deliveries.ts')
const inboxCommands = () => import('./inbox.ts')
const backupCommands = () => import('./backup.ts')

/** Each command loads only its own files, because `healthcheck` must start quickly. */
export function makeProgram(shell: Shell, complain: (text: string) => void): Command {
  const program = new Command('lead-intake')
    .description('Runs the Consultation lead service and manages its leads.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', help)
    // Without this, commander takes `--json` in `backup list --json` for an option of `backup`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => void shell.print(text), writeErr: complain })

  program
    .command('serve')
    .description('run the service until SIGTERM')
    .action(async () => (await import('./serve.ts')).serve(shell))
  program
    .command('config')
    .description('print every setting: value, default, meaning')
    .action(async () => (await import('./config.ts')).showConfig(shell))
  program
    .command('doctor')
    .description('check settings, database, disk, content, mail server and deliveries')
    .option(
      '--thorough',
      'also compare the indexes of a SQLite file with its tables, which is slow',
    )
    .addOption(json)
    .action(async (options) => (await import('./doctor.ts')).doctor(shell, options))
  program
    .command('healthcheck')
    .description('ask the service on this machine whether it takes leads; for containers')
    .action(async () => (await import('./healthcheck.ts')).checkHealth(shell))
  program
    .command('init <folder>')
    .description('write a folder for a site of your own: content, settings, one dependency')
    .option('--name <name>', 'the name of the business')
    .option('--owner <name>', 'your first name')
    .option('--trade <trade>', 'as in "I am a ...": plumber')
    .option('--country <code>', 'two letters: AU, GB, NZ, IE, US, CA, ZA')
    .option('--town <town>', 'where you work')
    .option('--phone <number>', 'your phone number')
    .option('--yes', 'ask nothing')
    .option('--example', "write the example's content, the site of a deck builder")
    .action(async (folder, options) => (await import('./init.ts')).initSite(shell, folder, options))
  program
    .command('content')
    .description('the words of the site')
    .command('check')
    .description('say what is wrong with the content')
    .action(async () => (await import('./doctor.ts')).checkContent(shell))

  addLeads(program, shell)
  addDeliveries(program, shell)
  addInbox(program, shell)
  addBackups(program, shell)
  program
    .command('migrate-engine')
    .description('copy everything from SQLite to PostgreSQL or back; stop the service first')
    .requiredOption('--from <database>', 'as in DATABASE_URL: sqlite:FILE or postgres://…')
    .requiredOption('--to <database>', 'an empty database; after an interrupted copy, a new one')
    .action(async (options) => (await import('./migrate-engine.ts')).migrateEngine(shell, options))
  return program
}

function addLeads(program: Command, shell: Shell): void {
  const leads = program.command('leads').description(`what people have sent; ${howToName}`)
  leads
    .command('list')
    .description('list leads, newest first')
    .addOption(state)
    .addOption(since)
    .addOption(search)
    .addOption(limit)
    .addOption(json)
    .action(async (options) => (await leadCommands()).listLeads(shell, options))
  leads
    .command('show <reference>')
    .description('print everything that is kept of a lead, with notes and history')
    .addOption(json)
    .action(async (name, options) => (await leadCommands()).printLead(shell, name, options))
  leads
    .command('erase <reference>')
    .description('erase the personal details of a lead for good; its history stays')
    .option('--yes', 'confirm that it cannot be undone')
    .action(async (name, options) => (await leadCommands()).eraseOneLead(shell, name, options))
  leads
    .command('export')
    .description('write all leads, newest first; the inbox writes those of one person')
    .addOption(format)
    .addOption(state)
    .action(async (options) => (await leadCommands()).exportLeads(shell, options))
}

function addInbox(program: Command, shell: Shell): void {
  const inbox = program.command('inbox').description('who may open the inbox')
  inbox
    .command('link')
    .description('print a sign-in link that works once; the first one makes the first member')
    .option('--email <address>', 'of the member; default: the only one')
    .option('--name <name>', 'of the first member')
    .addOption(json)
    .action(async (options) => (await inboxCommands()).printLink(shell, options))
  inbox
    .command('members')
    .description('list the members')
    .addOption(json)
    .action(async (options) => (await inboxCommands()).listMembers(shell, options))
}

function addDeliveries(program: Command, shell: Shell): void {
  const deliveries = program
    .command('deliveries')
    .description(`notifications of leads; ${howToName}`)
  deliveries
    .command('list [reference]')
    .description('list deliveries, newest first, or those of one lead')
    .addOption(new Option('--waiting', 'only those still to be sent').conflicts('dead'))
    .option('--dead', 'only those that will not be retried')
    .addOption(limit)
    .addOption(json)
    .action(async (name, options) =>
      (await deliveryCommands()).listDeliveries(shell, name, options),
    )
  deliveries
    .command('retry')
    .description('retry at once all deliveries that died or failed')
    .action(async () => (await deliveryCommands()).retryDeliveries(shell))
  program
    .command('test-notification')
    .description('send a test through every channel and print the answers')
    .action(async () => (await deliveryCommands()).testNotification(shell))
}

function addBackups(program: Command, shell: Shell): void {
  const backup = program
    .command('backup')
    .description('write database, secret and content into one file, also while the service runs')
    .option('--to <folder>', backupFolder)
    .option('--by-clock', 'for timers: applies BACKUP_KEEP, now and to this backup later')
    .addOption(json)
    .action(async (options) => (await backupCommands()).backUp(shell, options))
  backup
    .command('list [folder]')
    .description(`list the backups, newest first; ${backupFolder}`)
    .addOption(json)
    .action(async (folder, options) =>
      (await backupCommands()).printBackups(shell, folder, options),
    )
  backup
    .command('verify <file>')
    .description('check every byte of a backup, and its database')
    .addOption(key)
    .action(async (file, options) => (await backupCommands()).verify(shell, file, options))
  backup
    .command('drill [folder]')
    .description(
      'restore the newest backup into a temporary folder and compare it with the database',
    )
    .addOption(key)
    .action(async (folder, options) => (await backupCommands()).drill(shell, folder, options))
  program
    .command('restore <file>')
    .description('put a backup in the place of what is there, while the service is stopped')
    .option('--yes', 'also a backup of another installation')
    .addOption(key)
    .action(async (file, options) => (await backupCommands()).restore(shell, file, options))
}

function readSince(text: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new CommandFailed('usage', '--since must be a date such as 2026-11-30.')
}

const mostListed = 1_000

function readLimit(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= mostListed) return number
  throw new CommandFailed('usage', `--limit must be a whole number from 1 to ${mostListed}.`)
}

function help(): string {
  return [
    '',
    'Exit codes:',
    ...Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`),
    '',
    `Settings come from the environment or a .env file: see "${howToType('config')}".`,
  ].join('\n')
}
