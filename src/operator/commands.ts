/** The commands and their options. Each is a file of its own beside this one. */
import { Command, Option } from 'commander'
import { ownersStates, states } from '../contract/states.ts'
import { showConfig } from './config.ts'
import { listDeliveries } from './deliveries-list.ts'
import { retryDeliveries } from './deliveries-retry.ts'
import { showDeliveries } from './deliveries-show.ts'
import { doctor } from './doctor.ts'
import { verifyEventChains } from './events-verify.ts'
import { eraseOneLead } from './leads-erase.ts'
import { exportLeads, formats } from './leads-export.ts'
import { listLeads } from './leads-list.ts'
import { moveOneLead } from './leads-move.ts'
import { showLead } from './leads-show.ts'
import { migrateEngine } from './migrate-engine.ts'
import { exitCodes } from './output.ts'
import { serve } from './serve.ts'
import { testNotification } from './test-notification.ts'

const help = `
Examples:
  lead-intake serve
  lead-intake leads list --state new
  lead-intake leads show C-7K3QM4
  lead-intake leads move C-7K3QM4 contacted
  lead-intake leads export --format csv > leads.csv
  lead-intake deliveries list --dead
  lead-intake test-notification
  lead-intake doctor

Exit codes:
  ${exitCodes.ok}  done
  ${exitCodes.unwell}  something is not well: doctor or verify found it, or the service failed
  ${exitCodes.usage}  the command line or a setting is wrong
  ${exitCodes.missing}  there is no such lead, or no database yet
  ${exitCodes.illegalMove}  the lead cannot move to that state
  ${exitCodes.unavailable}  the database cannot be used just now

Settings come from the environment or a .env file: see "lead-intake config".`

export async function runCommand(argv: readonly string[]): Promise<void> {
  await program().parseAsync(argv)
}

function program(): Command {
  const top = new Command('lead-intake')
    .description('Runs the Consultation lead service and looks after its leads.')
    .addHelpText('after', help)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.ok : exitCodes.usage))
  const json = () => new Option('--json', 'for programs')

  top.command('serve').description('run the service until SIGTERM').action(serve)
  top
    .command('config')
    .description('every setting: its value now, its default, its meaning')
    .addOption(json())
    .addOption(new Option('--markdown', 'as the table of the README').conflicts('json'))
    .action(showConfig)
  top
    .command('doctor')
    .description('check settings, database, disk, mail server and deliveries')
    .addOption(json())
    .action(doctor)

  top
    .command('migrate-engine')
    .description('copy everything from SQLite to PostgreSQL, or back; stop the service first')
    .requiredOption('--from <database>', 'as in DATABASE_URL: sqlite:FILE or postgres://…')
    .requiredOption('--to <database>', 'an empty one, or one where this was interrupted')
    .action(migrateEngine)

  const leads = top.command('leads').description('look at leads, move them, take them elsewhere')
  const state = () => new Option('--state <state>', 'only leads in this state').choices(states)
  leads
    .command('list')
    .description('the newest leads first')
    .addOption(state())
    .option('--limit <number>', 'how many at the most', '50')
    .option('--before <id>', 'go on after the last lead of the page before')
    .addOption(json())
    .action(listLeads)
  leads
    .command('show')
    .description('one lead and all that happened to it')
    .argument('<reference>', 'its reference, such as C-7K3QM4, or its id')
    .addOption(json())
    .action(showLead)
  leads
    .command('move')
    .description('move a lead to another state')
    .argument('<reference>', 'its reference or id')
    .argument('<state>', ownersStates.join(', '))
    .addOption(json())
    .action(moveOneLead)
  leads
    .command('erase')
    .description('take out all that the sender told, for good; what happened to it stays')
    .argument('<reference>', 'its reference or id')
    .option('--yes', 'I know that this cannot be undone')
    .addOption(json())
    .action(eraseOneLead)
  leads
    .command('export')
    .description('all leads, newest first, to standard output')
    .addOption(
      new Option('--format <format>', 'csv is safe to open in a spreadsheet')
        .choices(formats)
        .default('jsonl'),
    )
    .addOption(state())
    .action(exportLeads)

  const deliveries = top
    .command('deliveries')
    .description('who was told of what, who is still to be told, and what never arrived')
  const channel = () => new Option('--channel <name>', 'only through this channel')
  deliveries
    .command('list')
    .description('the newest first')
    .addOption(new Option('--waiting', 'only what is still to be told').conflicts('dead'))
    .addOption(new Option('--dead', 'only what will not be tried again'))
    .addOption(channel())
    .option('--limit <number>', 'how many at the most', '50')
    .addOption(json())
    .action(listDeliveries)
  deliveries
    .command('show')
    .description('every try to tell of a lead: when, where, what came back, how long')
    .argument('<name>', 'reference or id of a lead, or id of a delivery')
    .addOption(json())
    .action(showDeliveries)
  deliveries
    .command('retry')
    .description('try again what is dead, or what is named, from the start of the schedule')
    .argument('[name]', 'reference or id of a lead, or id of a delivery; left out: all dead ones')
    .addOption(channel())
    .addOption(json())
    .action(retryDeliveries)
  top
    .command('test-notification')
    .description('send a test through every channel, and say what came back')
    .addOption(json())
    .action(testNotification)
  top
    .command('events')
    .description('the record of what happened')
    .command('verify')
    .description(
      'check that no lead and nothing of its story was changed behind the back of the service',
    )
    .addOption(json())
    .action(verifyEventChains)
  return top
}
