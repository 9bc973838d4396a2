/** A store of 100,000 leads compared with one of 1,000, and the search in one of 20,000, on SQLite. */
import { join } from 'node:path'
import { nobody } from '../src/contract/notices.ts'
import type { State } from '../src/contract/states.ts'
import { searchLeads } from '../src/desk/search.ts'
import { countViews, listView, cursorOf, viewNames, views, type View } from '../src/desk/views.ts'
import { readWholeLead } from '../src/desk/whole-lead.ts'
import { openSqlite } from '../src/store/engine/sqlite.ts'
import type { NewLead } from '../src/store/leads/rows.ts'
import { Store } from '../src/store/store.ts'
import { areas, leadAt } from '../test/support/desk.ts'
import { median, quantile } from '../test/support/load.ts'
import { randomFrom } from '../test/support/random.ts'
import { floors, type Figure, type Floor, type Group } from './case.ts'
import { makeFolder } from './server.ts'

type Question = { what: string; ask: (filled: FilledStore) => Promise<unknown> }

const warmUps = 5
const readRounds = 150
const searchRounds = 100
const keepRounds = 40

export const growth: Group = {
  cases: { growth: 'keeping, the inbox and its search at 100,000 leads against 1,000' },
  async measure({ scaled }) {
    const folder = makeFolder()
    const sizes = [1_000, 20_000, 100_000].map((size) => Math.max(scaled(size), 1_000))
    const filled = sizes.map((leads, at) => {
      const path = join(folder, `${at}.sqlite`)
      return new FilledStore(new Store(openSqlite({ path, inThread: true }), nobody), leads)
    })
    const ask = (questions: readonly Question[], rounds: number) =>
      measureInTurn(questions, filled, scaled(rounds))
    try {
      for (const each of filled) await each.fill()
      const [oneLead, ...tabsRead] = await ask([aLead, ...tabs], readRounds)
      const searched = await ask(searches, searchRounds)
      // Last, because it adds leads.
      const kept = await ask(keeping, keepRounds)
      return [
        ...kept.map((took) => growthOf(took, floors.keepGrowth)),
        growthOf(oneLead!, floors.readGrowth),
        worst(tabsRead.map((took) => growthOf(took, floors.readGrowth))),
        worst(searched.map((took) => slowestOf(took, floors.searchMs))),
      ]
    } finally {
      for (const { store } of filled) await store.close()
    }
  },
}

const keeping: readonly Question[] = [
  { what: 'keep 1 lead', ask: (filled) => filled.keepNew(1) },
  { what: 'keep 64 at once', ask: (filled) => filled.keepNew(64) },
]

const aLead: Question = {
  what: 'a lead with its history',
  ask: ({ store, middleOf }) => readWholeLead(store, areas, middleOf('won')),
}

const today = () => ({ now: Date.now(), until: Date.now() })

const tabs: readonly Question[] = [
  { what: 'counts of tabs', ask: ({ store }) => countViews(store, today()) },
  ...viewNames.flatMap((name): Question[] => {
    const { states }: View = views[name]
    return [
      {
        what: `tab ${name}`,
        ask: ({ store }) => listView(store, name, { areas, today: today() }),
      },
      {
        what: `tab ${name}, its middle`,
        ask: async ({ store, middleOf }) => {
          const middle = await store.leads.find(middleOf(states?.[0] ?? 'won'))
          const past = cursorOf(middle!, today())
          return listView(store, name, { areas, today: today(), past })
        },
      },
    ]
  }),
]

const chance = randomFrom(3)
const upTo = (count: number) => Math.floor(chance() * count)
const anyValues = ({ leads, leadOf }: FilledStore) => leadOf(upTo(leads)).values
const rare = ({ leads }: FilledStore) => `unique${upTo(leads)}`
const common = () => wordOf(upTo(40))
const seldom = () => wordOf(100 + upTo(4_900))

const searches: readonly Question[] = Object.entries<(filled: FilledStore) => string>({
  'a rare word': rare,
  'a word': seldom,
  'a common word': common,
  'the most common word': () => 'deck',
  'two common words': () => `${common()} ${common()}`,
  'a common and a rare word': (filled) => `${common()} ${rare(filled)}`,
  '2 letters': () => seldom().slice(0, 2),
  '4 letters': () => seldom().slice(0, 4),
  'a start that every lead has': () => 'uniqu',
  '4 digits': (filled) => anyValues(filled).phone.replaceAll(' ', '').slice(4, 8),
  'a phone number': (filled) => anyValues(filled).phone,
  'an email': (filled) => anyValues(filled).email,
  'nothing found': () => 'zzzz zzzz',
}).map(([what, textFor]) => ({
  what: `search ${what}`,
  ask: (filled) => searchLeads(filled.store, textFor(filled)),
}))

/** `tookMs`: one list for each store. */
type Took = { what: string; tookMs: number[][] }

/** The stores take turns, so that a busy moment affects both. */
async function measureInTurn(
  questions: readonly Question[],
  stores: readonly FilledStore[],
  rounds: number,
): Promise<Took[]> {
  const answers: Took[] = []
  for (const { what, ask } of questions) {
    const tookMs: number[][] = stores.map(() => [])
    for (let round = -warmUps; round < rounds; round += 1) {
      for (const [at, filled] of stores.entries()) {
        const startedAt = performance.now()
        await ask(filled)
        if (round >= 0) tookMs[at]!.push(performance.now() - startedAt)
      }
    }
    answers.push({ what, tookMs })
  }
  return answers
}

function growthOf({ what, tookMs }: Took, floor: Floor): Figure {
  const [small, , large] = tookMs.map(median) as [number, number, number]
  const remark = `${small.toFixed(2)} ms, ${large.toFixed(2)} ms`
  return { case: 'growth', what, value: large / small, unit: 'x', floor, remark }
}

function slowestOf({ what, tookMs }: Took, floor: Floor): Figure {
  const [, middle, large] = tookMs as [number[], number[], number[]]
  const p99 = quantile(large, 0.99).toFixed(0)
  const remark = `p50 ${median(middle).toFixed(1)} ms; p99 at 100,000 leads ${p99} ms`
  return { case: 'growth', what, value: quantile(middle, 0.99), unit: 'ms', floor, remark }
}

/** The figure of the worst of several questions. */
function worst(figures: readonly Figure[]): Figure {
  const most = figures.reduce((one, other) => (other.value > one.value ? other : one))
  const [kind] = most.what.split(' ')
  return {
    ...most,
    what: `worst of ${figures.length} ${kind === 'search' ? 'searches, p99 at 20,000' : 'tab questions'}`,
    remark: `${most.what}: ${most.remark}`,
  }
}

const atOnce = 2_000
/** At every size so many leads are held. */
const heldLeads = 60
const vocabulary = 5_000
const wordsOfMessage = 30

/** A store with leads of many people, words and states, the same ones each time. */
class FilledStore {
  readonly store: Store
  readonly leads: number
  #added = 0

  constructor(store: Store, leads: number) {
    this.store = store
    this.leads = leads
  }

  async fill(): Promise<void> {
    while (this.#added < this.leads) await this.keepNew(Math.min(atOnce, this.leads - this.#added))
    while ((await this.store.search.fillNext()) > 0);
  }

  async keepNew(count: number): Promise<void> {
    const first = this.#added
    this.#added += count
    await Promise.all(
      Array.from({ length: count }, (_, at) => this.store.leads.keep(this.leadOf(first + at))),
    )
  }

  /** The same for the same number, so that a search finds something. */
  readonly leadOf = (index: number): NewLead => {
    const random = randomFrom(index)
    const anyWord = () => wordOf(Math.floor(random() * vocabulary))
    const words = Array.from({ length: wordsOfMessage }, () =>
      wordOf(Math.floor(random() ** 4 * vocabulary)),
    )
    const digits = String(Math.floor(random() * 1e8)).padStart(8, '0')
    const values = {
      name: `${anyWord()} ${anyWord()}`,
      // Everybody writes five times.
      email: `person${index % Math.ceil(this.leads / 5)}@example.com`,
      phone: `04${digits.slice(0, 2)} ${digits.slice(2, 5)} ${digits.slice(5)}`,
      postcode: String(2_000 + (index % 900)),
      message: `A deck ${words.join(' ')} unique${index}`,
    }
    return leadAt(index, values, { state: this.#stateOf(index) as 'new', deliverTo: ['mail'] })
  }

  /** The id of a lead in the middle, in the state that a tab shows. */
  readonly middleOf = (state: State): string => {
    let index = Math.floor(this.leads / 2)
    while (this.#stateOf(index) !== state) index += 1
    return this.leadOf(index).id
  }

  #stateOf(index: number): State {
    if (index % Math.floor(this.leads / heldLeads) === 0) return 'held'
    return states[index % states.length]!
  }
}

/** Every tab has its first state here. */
const states: readonly State[] = [
  'new',
  'contacted',
  'consultation_booked',
  'proposal_sent',
  'spam',
  'lost',
  'withdrawn',
  'not_suitable',
  'won',
  'won',
]

const syllables = 'ba be bi bo bu da de di do du ka ke ki ko ku ma me mi mo mu'.split(' ')

/** A word of three or four syllables for a number. */
function wordOf(number: number): string {
  let word = ''
  for (let left = number + syllables.length ** 2; left > 0;) {
    word += syllables[left % syllables.length]!
    left = Math.floor(left / syllables.length)
  }
  return word
}
