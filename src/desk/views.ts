/** The tabs of the inbox: which leads each shows, in which order, and each lead as a row. */
import { areaOf, type Area } from '../contract/business.ts'
import type { FieldValues } from '../contract/fields.ts'
import type { State } from '../contract/states.ts'
import { whyHeld } from '../lead/judge.ts'
import type { ToldState } from '../store/deliveries/deliveries.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'

export type View = {
  readonly label: string
  /** `undefined`: leads in any state. */
  readonly states?: readonly State[]
  readonly order: 'newest' | 'oldest'
}

export const views = {
  todo: { label: 'To do', states: ['new'], order: 'oldest' },
  new: { label: 'New', states: ['new'], order: 'newest' },
  contacted: { label: 'Contacted', states: ['contacted'], order: 'newest' },
  booked: { label: 'Booked', states: ['consultation_booked'], order: 'newest' },
  held: { label: 'Held', states: ['held'], order: 'newest' },
  spam: { label: 'Spam', states: ['spam'], order: 'newest' },
  done: {
    label: 'Done',
    states: ['won', 'lost', 'not_suitable', 'withdrawn'],
    order: 'newest',
  },
  all: { label: 'All', order: 'newest' },
} as const satisfies Record<string, View>

export type ViewName = keyof typeof views

export const viewNames = Object.keys(views) as ViewName[]

export function isViewName(text: string): text is ViewName {
  return Object.hasOwn(views, text)
}

/** `next`: `past` of the next page; `undefined`: this page is the last. */
export type RowsPage = { rows: LeadRow[]; next: string | undefined }

const rowsOfPage = 50

export async function listView(
  store: Store,
  name: ViewName,
  { past, areas, limit = rowsOfPage }: { past?: string; areas: readonly Area[]; limit?: number },
): Promise<RowsPage> {
  const leads = await readView(store, name, { limit: limit + 1, ...(past && { past }) })
  const shown = leads.slice(0, limit)
  return {
    rows: await toRows(store, shown, areas),
    next: leads.length > limit ? shown.at(-1)!.id : undefined,
  }
}

/** Reads a page of a tab, after the lead with the id `past`. */
export function readView(
  store: Store,
  name: ViewName,
  { past, limit }: { past?: string; limit: number },
) {
  const { states, order }: View = views[name]
  return store.listLeads({ states, order, past, limit })
}

const mostCounted = 100

/** How many leads each tab has, up to a hundred. */
export async function countViews(store: Store): Promise<Record<ViewName, number>> {
  const counts = await store.countStates(mostCounted)
  const countOf = ({ states }: View) =>
    Object.entries(counts)
      .filter(([state]) => states === undefined || states.includes(state as State))
      .reduce((sum, [, n]) => sum + n, 0)
  const entries = viewNames.map((name) => [name, Math.min(countOf(views[name]), mostCounted)])
  return Object.fromEntries(entries) as Record<ViewName, number>
}

export function toCountText(count: number): string {
  return count < mostCounted ? String(count) : `${mostCounted - 1}+`
}

/** A lead as a row of a list, with its field values as properties. */
export type LeadRow = Lead &
  FieldValues & {
    /** The name of the area; the postcode if no area has it. */
    place: string
    /** The first line of the message. */
    firstLine: string
    /** Reasons in words. Empty: the lead was never held. */
    whyHeld: string[]
    told: ToldState
  }

const longestLine = 140

export async function toRows(
  store: Store,
  leads: readonly Lead[],
  areas: readonly Area[],
): Promise<LeadRow[]> {
  const told = await store.toldOf(leads.map(({ id }) => id))
  return leads.map((lead) => ({
    ...lead,
    ...lead.values,
    place: placeOf(lead, areas),
    firstLine: shorten(lead.values.message.split('\n', 1)[0]!, longestLine),
    whyHeld: whyHeld(lead.judgement),
    told: told.get(lead.id) ?? 'untold',
  }))
}

export function placeOf({ values: { postcode } }: Lead, areas: readonly Area[]): string {
  return areaOf(postcode, areas) ?? postcode
}

/** `most`: how many characters, with the … at the end. */
export function shorten(text: string, most: number): string {
  const start = text.slice(0, 2 * most + 1)
  const characters = [...start]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
