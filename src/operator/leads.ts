/** The commands that list, show, export and erase leads. */
import { fields, type ExportFormat } from '../contract/fields.ts'
import { type State } from '../contract/states.ts'
import { pages, readKept, toShown, toShownWhole, toTime, writeLeads } from '../desk/export.ts'
import { mostTerms, searchLeads } from '../desk/search.ts'
import { type Settings } from '../config.ts'
import { howToType, shorten } from '../words.ts'
import { eraseLead, findNamed } from '../lead/act.ts'
import { type Lead } from '../store/leads/rows.ts'
import { type Store } from '../store/store.ts'
import { readBusinessOf, withStore, withStoreToRead } from './open.ts'
import { toPlainText } from '../log.ts'
import { CommandFailed, toJson, type Shell } from './shell.ts'

type LeadsListOptions = {
  state?: State
  since?: number
  search?: string
  limit: number
  json?: true
}

export async function listLeads(shell: Shell, options: LeadsListOptions): Promise<void> {
  const { since = 0, json } = options
  const found =
    options.search === undefined
      ? await withStoreToRead(shell, (store) => listNewest(store, options))
      : // A search fills the text of leads that were just kept.
        await withStore(shell, (store, settings) => search(store, settings, options))
  const leads = found.filter(({ receivedAt }) => receivedAt >= since)
  if (json) return shell.print(toJson(leads.map(toShown)))
  const rows = leads.map(({ reference, receivedAt, state: at, values, door }) => {
    const { name, postcode, message } = values
    const short = { name: shorten(name, 24), postcode, message: shorten(message, 40) }
    return { reference, received: toTime(receivedAt), state: at, door, ...short }
  })
  const columns = ['reference', 'received', 'state', 'door', 'name', 'postcode', 'message'] as const
  await shell.printRows(rows, { columns, none: 'No leads.' })
}

function listNewest(store: Store, { state, limit }: LeadsListOptions): Promise<Lead[]> {
  return store.views.list({ states: state && [state], limit })
}

const mostSearched = 1_000

/** The search knows no states, so it reads page after page until enough are found. */
async function search(
  store: Store,
  settings: Settings,
  options: LeadsListOptions,
): Promise<Lead[]> {
  const { search: words = '', state, limit } = options
  const { areas } = readBusinessOf(settings)
  const found: Lead[] = []
  let before: string | undefined
  do {
    const page = await searchLeads(store, words, { limit: mostSearched, areas, before })
    if (page.isCut) {
      throw new CommandFailed('usage', `The search takes at most ${mostTerms} words.`)
    }
    found.push(...page.leads.filter((lead) => state === undefined || lead.state === state))
    before = page.nextPage
  } while (before !== undefined && found.length < limit)
  return found.slice(0, limit)
}

export async function printLead(
  shell: Shell,
  name: string,
  { json }: { json?: true },
): Promise<void> {
  const whole = await withStoreToRead(shell, async (store) => {
    const [kept] = await readKept(store, [await findOne(store, name)], true)
    return toShownWhole(kept!)
  })
  if (json) return shell.print(toJson(whole))
  const { sent_as: sentAs, notes, events = [], ...lead } = whole
  const parts = [
    ...Object.entries(lead).map(([part, value]) => ({ part, value: String(value) })),
    ...Object.entries(sentAs).map(([part, value]) => ({ part: `${part} sent as`, value })),
    ...notes.map(({ at, words }) => ({ part: `note ${at}`, value: words })),
    ...events.map(({ at, kind, data }) => ({
      part: `event ${at}`,
      value: `${kind} ${JSON.stringify(data)}`,
    })),
  ]
  const filled = parts.filter(({ value }) => value !== '')
  await shell.printRows(filled.flatMap(toLines), { columns: ['part', 'value'] })
}

type Part = { part: string; value: string }

/** A message of several lines keeps them: a table would print each break as a dot. */
function toLines({ part, value }: Part): Part[] {
  const [first = '', ...others] = value.split(/\r?\n/)
  return [{ part, value: first }, ...others.map((line) => ({ part: '', value: line }))]
}

const erased = fields.map(({ key }) => key).join(', ')

export async function eraseOneLead(
  shell: Shell,
  name: string,
  { yes }: { yes?: true },
): Promise<void> {
  if (!yes) {
    throw new CommandFailed(
      'usage',
      `This erases ${erased} and every other detail from the customer, also of the requests that are joined with it, and cannot be undone. Add --yes.`,
    )
  }
  // Prints once the store is closed: until then, the write-ahead log may hold the erased text.
  const lines = await withStore(shell, async (store) => {
    const lead = await findOne(store, name)
    const along = await store.leads.referencesJoined([lead])
    const outcome = await eraseLead(store, { leadId: lead.id, at: Date.now() })
    if (outcome.kind !== 'erased') throw new CommandFailed('missing', 'The lead no longer exists.')
    const others = [...along.values()].flat().map((each) => `${each}: joined -> erased\n`)
    return [`${lead.reference}: ${outcome.from} -> erased\n`, ...others]
  })
  await shell.print(lines.join(''))
}

const pageSize = 500

type LeadsExportOptions = { format: ExportFormat; state?: State }

export async function exportLeads(
  shell: Shell,
  { format, state }: LeadsExportOptions,
): Promise<void> {
  await withStoreToRead(shell, async (store, settings) => {
    const readBusiness = () => readBusinessOf(settings)
    const leads = pages((last) =>
      store.views.list({ states: state && [state], past: last?.id, limit: pageSize }),
    )
    for await (const text of writeLeads(store, leads, { format, readBusiness })) {
      await shell.print(text)
    }
  })
}

/** `name` is the reference or id of the lead, as the operator typed it. */
export async function findOne(store: Store, name: string): Promise<Lead> {
  const lead = await findNamed(store, name)
  if (lead !== undefined) return lead
  throw new CommandFailed(
    'missing',
    `There is no lead ${toPlainText(name)}. See "${howToType('leads list')}".`,
  )
}
