/**
 * Judges whether a lead is spam. Nothing is dropped: a suspicious lead is kept as `held`, with the
 * reasons, for the owner to release.
 */
import { fieldKeys } from '../contract/fields.ts'
import { looksLikeAutofill } from './autofill.ts'
import type { CheckedLead } from './check.ts'
import { createSpreadCheck } from './spread.ts'

export type Sign = 'trap' | 'links' | 'same-text' | 'rate'

export type Judgement = {
  state: 'new' | 'held'
  score: number
  reasons: Sign[]
}

/** The weight of each sign, for sorting. One sign is enough to hold a lead. */
const weights: Record<Sign, number> = { trap: 100, rate: 100, 'same-text': 60, links: 60 }

const inWords: Record<Sign, string> = {
  trap: 'the hidden field was filled in',
  links: 'many links',
  'same-text': 'the same text came from many addresses',
  rate: 'too many at once from one address',
}

/** For people. A sign of another version of this program stays as it is. */
export function whyHeld({ reasons }: { reasons: readonly string[] }): string[] {
  return reasons.map((sign) => (Object.hasOwn(inWords, sign) ? inWords[sign as Sign] : sign))
}

/** `client` is a number that stands for one client. */
export type Judge = {
  judge(
    lead: CheckedLead,
    from: { client: number; overSoftLimit: boolean; nowMs: number },
  ): Judgement
  /** A lead that was not kept. */
  forget(lead: CheckedLead, client: number): void
}

export function createJudge(): Judge {
  const { hasSpread, forget } = createSpreadCheck()
  return { judge, forget: (lead, client) => forget(lead.values.message, client) }

  function judge(lead: CheckedLead, from: Parameters<Judge['judge']>[1]): Judgement {
    const { client, overSoftLimit, nowMs } = from
    const reasons: Sign[] = []
    if (overSoftLimit) reasons.push('rate')
    if (hasManyLinks(lead)) reasons.push('links')
    if (hasSpread(lead.values.message, client, nowMs)) reasons.push('same-text')
    // A browser may fill in the hidden field by itself.
    if (lead.trap !== '' && !(reasons.length === 0 && looksLikeAutofill(lead.trap, lead.values))) {
      reasons.push('trap')
    }
    if (reasons.length === 0) return clean
    const score = reasons.reduce((sum, sign) => sum + weights[sign], 0)
    return { state: 'held', score, reasons }
  }
}

const clean: Judgement = { state: 'new', score: 0, reasons: [] }

/** People send a few links to pictures of decks they like. */
const maxLinks = 4

/** Not the email address: its domain may begin with www, too. */
const textKeys = fieldKeys.filter((key) => key !== 'email')

function hasManyLinks({ values, unlisted }: CheckedLead): boolean {
  let count = unlisted === '' ? 0 : countLinks(unlisted)
  for (const key of textKeys) count += countLinks(values[key])
  return count > maxLinks
}

/** Stops counting where there are too many. */
function countLinks(text: string): number {
  link.lastIndex = 0
  let count = 0
  while (count <= maxLinks && link.test(text)) count += 1
  return count
}

/** Unlisted fields are JSON, where a line break before www is the letter n: so it may follow a letter. */
const link = /:\/\/(?:www\.)?|www\./gi
