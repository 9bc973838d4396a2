/** The commands and their options. Each is a file of its own beside this one. */
import { Command, Option } from 'commander'
import { states } from '../contract/states.ts'
import { showConfig } from './config.ts'
import { doctor } from './doctor.ts'
import { verifyEventChains } from './events-verify.ts'
import { exportLeads, formats } from './leads-export.ts'
import { listLeads } from './leads-list.ts'
import { moveOneLead } from './leads-move.ts'
import { showLead } from './leads-show.ts'
import { migrateEngine } from './migrate-engine.ts'
import { exitCodes } from './output.ts'
import { serve } from './serve.ts'

const help = `
Examples:
  lead-intake serve
  lead-intake leads list --state new
  lead-intake leads show C-7K3QM4
  lead-intake leads move C-7K3QM4 contacted
  lead-intake leads export --format csv > leads.csv
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
    .description('check settings, database, disk and mail server')
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
    .argument('<state>', states.join(', '))
    .addOption(json())
    .action(moveOneLead)
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

  top
    .command('events')
    .description('the record of what happened')
    .command('verify')
    .description('check that no event or lead was changed behind the back of the service')
    .addOption(json())
    .action(verifyEventChains)
  return top
}
