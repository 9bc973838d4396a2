/** Fills a store with leads of many people, words and states. */
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

export type Filled = {
  store: Store
  /** In the middle, in the state that a tab shows. */
  middleOf: (state: State) => string
  leadOf: (index: number) => NewLead
  leads: number
}

export async function fillLeads(store: Store, leads: number): Promise<void> {
  for (let from = 0; from < leads; from += atOnce) {
    const count = Math.min(atOnce, leads - from)
    await Promise.all(
      Array.from({ length: count }, (_, index) => store.keepLead(leadOf(from + index, leads))),
    )
  }
}

export function toFilled(store: Store, leads: number): Filled {
  return {
    store,
    leads,
    leadOf: (index) => leadOf(index, leads),
    middleOf(state) {
      let index = Math.floor(leads / 2)
      while (stateOf(index, leads) !== state) index += 1
      return leadOf(index, leads).id
    },
  }
}

/** The same for the same number, so that a search can be made for what is there. */
function leadOf(index: number, leads: number): NewLead {
  const random = randomFrom(index)
  const words = Array.from({ length: wordsOfMessage }, () =>
    wordOf(Math.floor(random() ** 4 * vocabulary)),
  )
  const digits = String(Math.floor(random() * 1e8)).padStart(8, '0')
  return leadAt(
    index,
    {
      name: `${wordOf(Math.floor(random() * vocabulary))} ${wordOf(Math.floor(random() * vocabulary))}`,
      // Everybody writes five times.
      email: `person${index % Math.ceil(leads / 5)}@example.com`,
      phone: `04${digits.slice(0, 2)} ${digits.slice(2, 5)} ${digits.slice(5)}`,
      postcode: String(2_000 + (index % 900)),
      message: `A deck ${words.join(' ')} unique${index}`,
    },
    { state: stateOf(index, leads) as 'new', deliverTo: ['mail'] },
  )
}

function stateOf(index: number, leads: number): State {
  if (index % Math.floor(leads / heldLeads) === 0) return 'held'
  return parts[index % parts.length]!
}

const parts: readonly State[] = [
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
  for (
    let left = number + syllables.length ** 2;
    left > 0;
    left = Math.floor(left / syllables.length)
  ) {
    word += syllables[left % syllables.length]!
  }
  return word
}
