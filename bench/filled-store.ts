/** A store with leads of many people, words and states, the same ones each time. */
import type { State } from '../src/contract/states.ts'
import type { NewLead } from '../src/store/rows.ts'
import type { Store } from '../src/store/store.ts'
import { leadAt } from '../test/support/desk.ts'
import { randomFrom } from '../test/support/random.ts'

const atOnce = 2_000
/** At every size so many leads are held. */
const heldLeads = 60
const vocabulary = 5_000
const wordsOfMessage = 30

export class FilledStore {
  readonly store: Store
  readonly leads: number
  #added = 0

  constructor(store: Store, leads: number) {
    this.store = store
    this.leads = leads
  }

  async fill(): Promise<void> {
    while (this.#added < this.leads) await this.keepNew(Math.min(atOnce, this.leads - this.#added))
  }

  async keepNew(count: number): Promise<void> {
    const first = this.#added
    this.#added += count
    await Promise.all(
      Array.from({ length: count }, (_, at) => this.store.keepLead(this.leadOf(first + at))),
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

const states: readonly State[] = [
  'new',
  'contacted',
  'consultation_booked',
  'spam',
  'lost',
  'withdrawn',
  'not_suitable',
  'won',
  'won',
  'won',
]

const syllables = 'ba be bi bo bu da de di do du ka ke ki ko ku ma me mi mo mu'.split(' ')

/** A word of three or four syllables for a number. */
export function wordOf(number: number): string {
  let word = ''
  for (let left = number + syllables.length ** 2; left > 0;) {
    word += syllables[left % syllables.length]!
    left = Math.floor(left / syllables.length)
  }
  return word
}
