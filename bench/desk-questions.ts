/** What the pages of the inbox ask, and what people search for. */
import { searchLeads } from '../src/desk/search.ts'
import { countViews, listView, viewNames, views } from '../src/desk/views.ts'
import type { View } from '../src/desk/views.ts'
import { readWholeLead } from '../src/desk/whole-lead.ts'
import { areas, keysOf } from '../test/support/desk.ts'
import { randomFrom } from '../test/support/random.ts'
import { wordOf } from './desk-fill.ts'
import type { Filled } from './desk-fill.ts'

export type DeskQuestion = { what: string; ask: (filled: Filled) => Promise<unknown> }

const tabs = viewNames.flatMap((name): DeskQuestion[] => {
  const { states }: View = views[name]
  return [
    { what: `${name}, first page`, ask: ({ store }) => listView(store, name, { areas }) },
    {
      what: `${name}, middle page`,
      ask: ({ store, middleOf }) =>
        listView(store, name, { areas, past: middleOf(states?.[0] ?? 'won') }),
    },
  ]
})

export const pageQuestions: readonly DeskQuestion[] = [
  ...tabs,
  { what: 'counts of all tabs', ask: ({ store }) => countViews(store) },
  {
    what: 'a lead with its story',
    ask: ({ store, middleOf }) => readWholeLead({ store, areas }, middleOf('won')),
  },
  {
    what: 'all leads of a person',
    ask: ({ store, leadOf, leads }) => {
      const keys = keysOf(leadOf(Math.floor(leads / 2)).values)
      return store.leadsOfPerson(keys, { limit: 51 })
    },
  },
]

type Search = { what: string; textFor: (filled: Filled, random: () => number) => string }

const any = ({ leadOf, leads }: Filled, random: () => number) =>
  leadOf(Math.floor(random() * leads))

const rare = (filled: Filled, random: () => number) =>
  `unique${Math.floor(random() * filled.leads)}`

/** One of the forty most common words. */
const common = (_: Filled, random: () => number) => wordOf(Math.floor(random() * 40))

const seldom = (_: Filled, random: () => number) => wordOf(100 + Math.floor(random() * 4_900))

const digitsOf = (from: number, count: number) => (filled: Filled, random: () => number) =>
  any(filled, random)
    .values.phone.replaceAll(' ', '')
    .slice(from, from + count)

const searches: readonly Search[] = [
  { what: 'a rare word', textFor: rare },
  { what: 'a word of any frequency', textFor: seldom },
  { what: 'a common word', textFor: common },
  { what: 'the most common word', textFor: () => 'deck' },
  { what: 'two common words', textFor: (...g) => `${common(...g)} ${common(...g)}` },
  { what: 'a common and a rare word', textFor: (...g) => `${common(...g)} ${rare(...g)}` },
  ...[2, 3, 4, 6].map((letters) => ({
    what: `${letters} letters`,
    textFor: (...g: Parameters<Search['textFor']>) => seldom(...g).slice(0, letters),
  })),
  ...[3, 4, 6].map((count) => ({ what: `${count} digits`, textFor: digitsOf(4, count) })),
  { what: 'a phone number', textFor: (...g) => any(...g).values.phone },
  { what: 'an email', textFor: (...g) => any(...g).values.email },
  { what: 'nothing found', textFor: () => 'zzzz zzzz' },
]

export const searchQuestions: readonly DeskQuestion[] = searches.map(({ what, textFor }) => {
  const random = randomFrom(3)
  return {
    what: `search: ${what}`,
    ask: (filled) => searchLeads(filled.store, textFor(filled, random)),
  }
})
