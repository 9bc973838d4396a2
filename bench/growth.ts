/** A store of 100,000 leads compared with one of 1,000, on SQLite. */
import { join } from 'node:path'
import { searchLeads } from '../src/desk/search.ts'
import { countViews, listView, viewNames, views, type View } from '../src/desk/views.ts'
import { readWholeLead } from '../src/desk/whole-lead.ts'
import { openSqlite } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/store.ts'
import { areas } from '../test/support/desk.ts'
import { median, quantile } from '../test/support/quantile.ts'
import { randomFrom } from '../test/support/random.ts'
import { floors, type Figure, type Floor, type Group } from './case.ts'
import { FilledStore, wordOf } from './filled-store.ts'
import { makeFolder, removeFolder } from './server.ts'

type Question = { what: string; ask: (filled: FilledStore) => Promise<unknown> }

const warmUps = 5
const pageRounds = 40
const searchRounds = 100

export const growth: Group = {
  cases: { growth: 'keeping, the inbox and its search at 100,000 leads against 1,000' },
  async measure({ scaled }) {
    const folder = makeFolder()
    const sizes = [1_000, Math.max(scaled(100_000), 1_000)]
    const filled = sizes.map((leads, at) => {
      const path = join(folder, `${at}.sqlite`)
      return new FilledStore(openStore(openSqlite({ path, nowMs: Date.now() })), leads)
    })
    const ask = (questions: readonly Question[], rounds: number) =>
      measureInTurn(questions, filled, scaled(rounds))
    try {
      for (const each of filled) await each.fill()
      const kept = await ask(keeping, pageRounds)
      const [oneLead, ...tabsRead] = await ask([aLead, ...tabs], pageRounds)
      const searched = await ask(searches, searchRounds)
      return [
        ...kept.map((took) => growthOf(took, floors.keepGrowth)),
        growthOf(oneLead!, floors.readGrowth),
        worst(tabsRead.map((took) => growthOf(took, floors.readGrowth))),
        worst(searched.map((took) => slowestOf(took, floors.searchMs))),
      ]
    } finally {
      for (const { store } of filled) await store.close()
      removeFolder(folder)
    }
  },
}

const keeping: readonly Question[] = [
  { what: 'keep 1 lead', ask: (filled) => filled.keepNew(1) },
  { what: 'keep 64 at once', ask: (filled) => filled.keepNew(64) },
]

const aLead: Question = {
  what: 'a lead with its history',
  ask: ({ store, middleOf }) => readWholeLead({ store, areas }, middleOf('won')),
}

const tabs: readonly Question[] = [
  { what: 'counts of tabs', ask: ({ store }) => countViews(store) },
  ...viewNames.flatMap((name): Question[] => {
    const { states }: View = views[name]
    return [
      { what: `tab ${name}`, ask: ({ store }) => listView(store, name, { areas }) },
      {
        what: `tab ${name}, its middle`,
        ask: ({ store, middleOf }) =>
          listView(store, name, { areas, past: middleOf(states?.[0] ?? 'won') }),
      },
    ]
  }),
]

const random = randomFrom(3)
const upTo = (count: number) => Math.floor(random() * count)
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
  const [small, large] = tookMs.map(median) as [number, number]
  const remark = `${small.toFixed(2)} ms, ${large.toFixed(2)} ms`
  return { case: 'growth', what, value: large / small, unit: 'x', floor, remark }
}

function slowestOf({ what, tookMs }: Took, floor: Floor): Figure {
  const large = tookMs.at(-1)!
  const remark = `p50 ${median(large).toFixed(1)} ms`
  return { case: 'growth', what, value: quantile(large, 0.99), unit: 'ms', floor, remark }
}

/** The figure of the worst of several questions. */
function worst(figures: readonly Figure[]): Figure {
  const most = figures.reduce((one, other) => (other.value > one.value ? other : one))
  const [kind] = most.what.split(' ')
  return {
    ...most,
    what: `worst of ${figures.length} ${kind === 'search' ? 'searches, p99' : 'tab questions'}`,
    remark: `${most.what}: ${most.remark}`,
  }
}
