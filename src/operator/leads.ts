/** `lead-intake leads`: list, show, move, erase and export leads. */
import { fields } from '../contract/fields.ts'
import { isState, states, type State } from '../contract/states.ts'
import { planChannels, tellingFor } from '../delivery/channels.ts'
import {
  pages,
  writeLeads,
  toShown,
  toShownNotes,
  toTime,
  type ExportFormat,
} from '../desk/export.ts'
import { readPersonFile, writePersonPage } from '../desk/person.ts'
import { searchLeads } from '../desk/search.ts'
import { howToType } from '../how-to-type.ts'
import { findNamed, eraseLead, moveLead } from '../lead/move.ts'
import { isPostgres } from '../setting-values.ts'
import { type Member } from '../store/access/store.ts'
import { emptyLog } from '../store/engine/sqlite-file.ts'
import { databaseOf } from '../store/open.ts'
import { type Lead } from '../store/leads/rows.ts'
import { type Store } from '../store/store.ts'
import { readBusinessOf, withStore, withStoreToRead } from './open.ts'
import { CommandFailed, toJson, shorten, toPlain, toPlainLines } from './output.ts'
import { type Shell } from './shell.ts'

type ListOptions = { state?: State; limit: number; before?: string; json?: true }

/** `words`: none for all leads. */
export async function listLeads(
  shell: Shell,
  words: readonly string[],
  { state, limit, before, json }: ListOptions,
): Promise<void> {
  if (state !== undefined && words.length > 0) {
    throw new CommandFailed('usage', 'Words are looked for in every state: leave out --state.')
  }
  const { leads, next } = await withStoreToRead(shell, async (store, settings) => {
    const from = before === undefined ? {} : { before: (await findOne(store, before)).id }
    if (words.length > 0) {
      const { areas } = readBusinessOf(settings)
      return searchLeads(store, words.join(' '), { limit, ...from, areas })
    }
    const page = await store.listLeads({ limit, ...(state && { state }), ...from })
    return { leads: page, next: page.length === limit ? page.at(-1)!.id : undefined }
  })
  if (json) return shell.print(toJson(leads.map(toShown)))
  const rows = leads.map(({ reference, receivedAt, state: at, values, door }) => {
    const { name, postcode, message } = values
    const short = { name: shorten(name, 24), postcode, message: shorten(message, 40) }
    return { reference, received: toTime(receivedAt), state: at, door, ...short }
  })
  const columns = ['reference', 'received', 'state', 'door', 'name', 'postcode', 'message'] as const
  await shell.printRows(rows, { columns, none: 'No leads.' })
  if (next !== undefined) await shell.print(`More: --before ${next}\n`)
}

type Options = { json?: true }

export async function showLead(shell: Shell, name: string, { json }: Options): Promise<void> {
  await withStoreToRead(shell, async (store) => {
    const lead = await findOne(store, name)
    const [events = []] = await store.eventsOf([lead])
    const notes = toShownNotes(await store.notesOf([lead]))
    if (json) {
      const shown = events.map(({ at, kind, data }) => {
        return { at: toTime(at), kind, data: JSON.parse(data) }
      })
      return shell.print(toJson({ ...toShown(lead), notes, events: shown }))
    }
    const facts = [
      ...Object.entries(toShown(lead)).filter(([, value]) => value !== ''),
      ...notes.map(({ at, words }) => ['note', `${at} ${words}`] as const),
    ]
    const members = await store.access.listMembers()
    const rows = events.map(({ at, kind, data }) => {
      return { at: toTime(at), event: kind, with: eventWords(data, members) }
    })
    await shell.print(
      facts.map(([fact, value]) => `${fact.padEnd(17)} ${indent(String(value))}\n`).join(''),
    )
    await shell.print('\n')
    await shell.printRows(rows, { columns: ['at', 'event', 'with'] })
  })
}

function indent(text: string): string {
  return toPlainLines(text).replaceAll('\n', `\n${' '.repeat(18)}`)
}

type Names = readonly Pick<Member, 'id' | 'name'>[]

/** An event for people, with the names of members. `--json` has all of it. */
export function eventWords(text: string, members: Names): string {
  const told = JSON.parse(text) as {
    from?: string
    to?: string
    by?: string
    door?: string
    undoes?: number
    reasons?: string[]
  }
  return [
    told.from && `${told.from} -> ${told.to}`,
    told.undoes !== undefined && 'undone',
    told.by && `by ${nameOf(told.by, members)}`,
    told.door && `by ${told.door}`,
    told.reasons?.join(' '),
  ]
    .filter(Boolean)
    .join(', ')
}

/** Others than members have a word: owner, sender, retention. */
function nameOf(by: string, members: Names): string {
  const isId = by.includes('-')
  return members.find(({ id }) => id === by)?.name ?? (isId ? 'a former member' : by)
}

export async function moveOneLead(
  shell: Shell,
  name: string,
  to: string,
  { json }: Options,
): Promise<void> {
  if (!isState(to)) throw new CommandFailed('usage', `The states are ${states.join(', ')}.`)
  await withStore(shell, async (store, settings) => {
    const { id, reference } = await findOne(store, name)
    const tell = tellingFor(planChannels(settings, readBusinessOf(settings)))
    const outcome = await moveLead(store, { leadId: id, to, by: 'owner', at: Date.now(), tell })
    switch (outcome.kind) {
      case 'moved': {
        const { from } = outcome
        const line = `${reference}: ${from} -> ${to}\n`
        return shell.print(json ? toJson({ reference, from, to }) : line)
      }
      case 'illegal': {
        const allowed = outcome.allowed.join(', ') || 'nowhere'
        const words = `It is ${outcome.from}; from there it can go to: ${allowed}.`
        throw new CommandFailed('illegalMove', words)
      }
      case 'missing':
        throw new CommandFailed('missing', 'The lead no longer exists.')
    }
  })
}

const erased = fields.map(({ key }) => key).join(', ')

export async function eraseOneLead(
  shell: Shell,
  name: string,
  { yes, json }: Options & { yes?: true },
): Promise<void> {
  if (!yes) {
    throw new CommandFailed(
      'usage',
      `This erases ${erased} and every other detail from the sender, and cannot be undone. Add --yes.`,
    )
  }
  const { reference, from, database } = await withStore(shell, async (store, settings) => {
    const lead = await findOne(store, name)
    const outcome = await eraseLead(store, { leadId: lead.id, at: Date.now() })
    if (outcome.kind !== 'erased') throw new CommandFailed('missing', 'The lead no longer exists.')
    return { reference: lead.reference, from: outcome.from, database: databaseOf(settings) }
  })
  emptyLogOf(database)
  const line = `${reference}: ${from} -> erased\n`
  await shell.print(json ? toJson({ reference, from, to: 'erased' }) : line)
}

/** SQLite's write-ahead log still holds the old text. For PostgreSQL see docs/operating.md. */
function emptyLogOf(database: string): void {
  if (isPostgres(database) || emptyLog(database)) return
  throw new CommandFailed(
    'unwell',
    'It is erased, but another program keeps the write-ahead log of the database busy, which may still hold the old text. Restart the service to empty it.',
  )
}

/** A page at a time, to limit memory. */
const pageSize = 500

type Format = ExportFormat | 'html'
type ExportOptions = { format?: Format; state?: State; person?: string; alsoPhone?: true }

export async function exportLeads(shell: Shell, options: ExportOptions): Promise<void> {
  const { format, state, person, alsoPhone = false } = options
  if (person !== undefined) return exportPerson(shell, person, format ?? 'json', alsoPhone)
  if (format === 'html') throw new CommandFailed('usage', '--format html needs --person.')
  await withStoreToRead(shell, async (store) => {
    const leads = pages((before) =>
      store.listLeads({ limit: pageSize, ...(state && { state }), ...(before && { before }) }),
    )
    for await (const text of writeLeads(store, leads, { format: format ?? 'jsonl' })) {
      await shell.print(text)
    }
  })
}

async function exportPerson(
  shell: Shell,
  name: string,
  format: Format,
  alsoPhone: boolean,
): Promise<void> {
  if (format !== 'json' && format !== 'html') {
    throw new CommandFailed('usage', 'With --person the format is json or html.')
  }
  await withStoreToRead(shell, async (store, settings) => {
    const lead = await findOne(store, name)
    const file = await readPersonFile(store, lead, { at: Date.now(), alsoPhone })
    if (format === 'json') return shell.print(toJson(file))
    return shell.print(writePersonPage(file, readBusinessOf(settings).name))
  })
}

/** `name`: a reference or an id, as typed. */
export async function findOne(store: Store, name: string): Promise<Lead> {
  const lead = await findNamed(store, name)
  if (lead !== undefined) return lead
  throw new CommandFailed(
    'missing',
    `There is no lead ${toPlain(name)}. See "${howToType('leads list')}".`,
  )
}
