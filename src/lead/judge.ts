/**
 * Is it a person? Nothing is ever dropped: what looks like spam is kept as `held`, with its reasons,
 * for the owner to release. No captcha.
 */
import { looksLikeAutofill } from './autofill.ts'
import type { CheckedLead } from './check.ts'
import { createRecent } from '../store/recent.ts'

export type Sign = 'trap' | 'links' | 'same-text' | 'rate'

export type Judgement = {
  state: 'new' | 'held'
  score: number
  reasons: Sign[]
}

const weights: Record<Sign, number> = { trap: 100, rate: 100, 'same-text': 60, links: 60 }
const heldFrom = 50

export type Judge = (lead: CheckedLead, client: string, overSoftLimit: boolean) => Judgement

export function createJudge(): Judge {
  const hasSpread = createSpreadCheck()
  return (lead, client, overSoftLimit) => {
    const reasons: Sign[] = []
    if (overSoftLimit) reasons.push('rate')
    if (countLinks(lead.values.message) > maxLinks) reasons.push('links')
    if (hasSpread(lead.values.message, client)) reasons.push('same-text')
    // A browser that fills in a hidden field must not cost a person their lead.
    if (lead.trap !== '' && !(reasons.length === 0 && looksLikeAutofill(lead.trap, lead.values))) {
      reasons.push('trap')
    }
    if (reasons.length === 0) return clean
    const score = reasons.reduce((sum, sign) => sum + weights[sign], 0)
    return { state: score >= heldFrom ? 'held' : 'new', score, reasons }
  }
}

const clean: Judgement = { state: 'new', score: 0, reasons: [] }

/** A person may well show a few pictures of decks they like. */
const maxLinks = 4

function countLinks(message: string): number {
  let count = 0
  for (let at = message.indexOf('://'); at !== -1; at = message.indexOf('://', at + 3)) count += 1
  return count
}

const shortestText = 40
const mostTexts = 4096
const mostClients = 3

/** Has the same long text come from many clients? Remembers the latest texts by a sample of each. */
function createSpreadCheck(): (message: string, client: string) => boolean {
  const seen = createRecent<number, string | string[]>(mostTexts)
  return (message, client) => {
    if (message.length < shortestText) return false
    const key = sampleOf(message)
    const clients = seen.get(key)
    if (clients === client) return false
    if (clients === undefined) seen.set(key, client)
    else if (typeof clients === 'string') seen.set(key, [clients, client])
    else if (!clients.includes(client) && clients.length <= mostClients) clients.push(client)
    return Array.isArray(clients) && clients.length > mostClients
  }
}

/** Its length and up to 32 of its characters, in 30 bits. Two people's words rarely share it; four people's, never yet. */
function sampleOf(text: string): number {
  const step = (text.length + 31) >> 5
  let sample = text.length
  for (let at = 0; at < text.length; at += step) {
    sample = (Math.imul(sample, 31) + text.charCodeAt(at)) & 0x3fff_ffff
  }
  return sample
}
