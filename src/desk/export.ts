/** Writes leads as CSV or JSON, a page at a time, so that memory stays the same for any number. */
import type { LeadEvent } from '../store/events.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { toCsvRow } from './csv.ts'
import type { ExportFormat } from './export-formats.ts'
import {
  shownNames,
  toShown,
  toShownNotes,
  toTime,
  type ShownLead,
  type ShownNote,
} from './shown-lead.ts'
import { readView, type ViewName } from './views.ts'

type Pages = AsyncIterable<Lead[]>

/** Small: while a page is made, nobody else has a turn. */
const pageSize = 50

/** All leads of a tab, in its order. */
export function pagesOfView(
  store: Pick<Store, 'listLeads' | 'leadsInStates'>,
  view: ViewName,
): Pages {
  return pages((past) => readView(store, view, { limit: pageSize, ...(past && { past }) }))
}

/** All leads of one person, newest first. */
export function pagesOfPerson(store: Pick<Store, 'leadsOfPerson'>, keys: readonly string[]): Pages {
  return pages((before) => store.leadsOfPerson(keys, { limit: pageSize, before }))
}

/** Before the first byte leaves: who exports what. `of`: a tab, or the person of a lead. */
export function recordExport(
  store: Pick<Store, 'noteExport'>,
  { of, format, by, at }: { of: ExportOf; format: ExportFormat; by: string; at: number },
): Promise<void> {
  return store.noteExport({ at, memberId: by, what: JSON.stringify({ ...of, format }) })
}

export type ExportOf = { view: ViewName } | { personOf: string; alsoPhone?: boolean }

/** `next` reads the page after a lead. */
export async function* pages(next: (past?: string) => Promise<Lead[]>): AsyncGenerator<Lead[]> {
  for (let past: string | undefined; ;) {
    const leads = await next(past)
    if (leads.length === 0) return
    yield leads
    past = leads.at(-1)!.id
  }
}

/** Fails before the next page is written, once it may not go on. */
export async function* pagesWhile(
  leads: Pages,
  mayGoOn: () => Promise<boolean>,
): AsyncGenerator<Lead[]> {
  for await (const page of leads) {
    if (!(await mayGoOn())) throw new Error('the session of the export has ended')
    yield page
  }
}

/** Text in pieces. `withEvents`: the history of each lead too; not in CSV. */
export async function* writeLeads(
  store: Pick<Store, 'notesOf' | 'eventsOf'>,
  leads: Pages,
  { format, withEvents = false }: { format: ExportFormat; withEvents?: boolean },
): AsyncGenerator<string> {
  let isFirst = true
  if (format === 'json') yield '['
  if (format === 'csv') yield toCsvRow([...shownNames, 'notes'])
  for await (const page of leads) {
    const notes = Map.groupBy(await store.notesOf(page), ({ leadId }) => leadId)
    const events = withEvents ? await store.eventsOf(page) : []
    let text = ''
    for (const [index, lead] of page.entries()) {
      const shown = toShown(lead)
      const ownNotes = toShownNotes(notes.get(lead.id) ?? [])
      const history = events[index] && { events: events[index].map(toShownEvent) }
      text +=
        format === 'csv'
          ? toCsv(shown, ownNotes)
          : toJsonText({ ...shown, notes: ownNotes, ...history }, format, isFirst)
      isFirst = false
    }
    yield text
  }
  if (format === 'json') yield '\n]\n'
}

function toJsonText(value: object, format: 'jsonl' | 'json', isFirst: boolean): string {
  const text = JSON.stringify(value)
  if (format === 'jsonl') return `${text}\n`
  return `${isFirst ? '' : ','}\n${text}`
}

function toCsv(shown: ShownLead, notes: readonly ShownNote[]): string {
  const told = notes.map(({ at, words }) => `${at} ${words}`).join('\n')
  return toCsvRow([...Object.values(shown), told])
}

export type ShownEvent = { at: string; kind: string; data: unknown }

export function toShownEvent({ at, kind, data }: LeadEvent): ShownEvent {
  return { at: toTime(at), kind, data: JSON.parse(data) }
}
