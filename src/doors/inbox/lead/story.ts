/** Draws what happened to a lead, in sentences. */
import { ownerMail, pushChannel, senderMail, type StoredNotice } from '../../../contract/notices.ts'
import { type EventEntry, type StoryEntry, type WholeLead } from '../../../desk/whole-lead.ts'
import { type NameOf } from '../../../desk/words.ts'
import { html, type Html } from '../../../html.ts'
import { byRetention } from '../../../lead/retention.ts'
import { doorWords, stateWords } from '../../../contract/states.ts'
import { visitLetterWaitMs } from '../../../lead/life.ts'
import { minuteMs } from '../../../time.ts'
import { inert } from '../frame/words.ts'

export type When = (at: number) => string

export function leadStory(whole: WholeLead, when: When, nameOf: NameOf): Html {
  const rows = whole.story.map(
    (
      entry,
    ) => html`<li><time datetime="${new Date(entry.at).toISOString()}">${when(entry.at)}</time> <span>${inert(inSentence(entry, whole, { when, nameOf }))}</span></li>
`,
  )
  return html`<section aria-labelledby="story">
<h2 id="story">What happened</h2>
<ol class="story">
${rows}</ol>
</section>
`
}

type Names = { when: When; nameOf: NameOf }

export function inSentence(entry: StoryEntry, { lead, whyHeld }: WholeLead, names: Names): string {
  const { nameOf } = names
  switch (entry.what) {
    case 'event':
      return eventSentence(entry, { cameBy: doorWords[lead.door], whyHeld }, names)
    case 'try': {
      const isPlain = entry.answer === '' || entry.outcome === 'delivered'
      const answer = isPlain ? '' : ` (${entry.answer})`
      return `${telling(entry)}: ${outcomeWords(entry.outcome)}${answer}.`
    }
    case 'opened':
      return `${nameOf(entry.by)} opened it first.`
    case 'waiting':
      return entry.notice === 'lead.visit'
        ? `${telling(entry)}: goes out ${visitLetterWaitMs / minuteMs} minutes after your last change of it.`
        : `${telling(entry)}: waits to be sent.`
    case 'gathered':
      return `${telling(entry)}: left out, since one letter counts those past the limit.`
    case 'dropped':
      return `${telling(entry)}: not sent, because ${whyDropped.get(entry.why) ?? 'it was out of date'}.`
  }
}

function eventSentence(
  entry: EventEntry,
  { cameBy, whyHeld }: { cameBy: string; whyHeld: readonly string[] },
  { when, nameOf }: Names,
): string {
  const { kind, by, next, takenBy, isUndo, times, orMore } = entry
  const date = next && `${next.what === 'ring' ? 'Ring again' : 'Visit'}: ${when(next.at)}.`
  switch (kind) {
    case 'lead.received':
      return `It came in by ${cameBy}.`
    case 'lead.held':
      return `It came in by ${cameBy}, and was held: ${whyHeld.join('; ') || 'it looked like spam'}.`
    case 'lead.repeated':
      return repeatSentence(times, orMore)
    case 'lead.noted':
      return `${nameOf(by)} wrote a note.`
    case 'lead.tried':
      return [`${nameOf(by)} rang, and nobody answered.`, date].filter(Boolean).join(' ')
    case 'lead.planned':
      if (isUndo) return `${nameOf(by)} took that back. ${date ?? 'There is no date again.'}`
      return date ? `${nameOf(by)} set a date. ${date}` : `${nameOf(by)} removed the date.`
    case 'lead.taken':
      return takenBy ? `${nameOf(by)} took it.` : `${nameOf(by)} gave it back.`
    case 'lead.erased':
      return by === byRetention
        ? 'It was erased by itself, after the time that is set.'
        : `${nameOf(by)} erased it.`
    case 'lead.withdrawn':
      return `The sender took it back.${next ? ` The visit is called off: ${when(next.at)}.` : ''}`
    case 'lead.released':
      return `${nameOf(by)} released it.`
    case 'lead.state_changed':
      return moveSentence(entry, nameOf(by), date)
  }
}

function moveSentence(
  { to, next, otherId, isUndo }: EventEntry,
  who: string,
  date: string | undefined,
): string {
  const state = to === undefined ? 'something else' : stateWords[to]
  if (isUndo) return `${who} took the last move back: ${state} again.`
  const isGiven = otherId !== undefined && next === undefined
  const given = isGiven ? 'The visit was moved to another request of this person.' : ''
  return [`${who} marked it: ${state}.`, date, given].filter(Boolean).join(' ')
}

function repeatSentence(times: number, orMore: boolean): string {
  const words = times === 1 ? 'once more' : `again, ${times} times up to this one`
  return `The same was sent ${words}${orMore ? '; further times are not noted' : ''}.`
}

function telling({ channel, notice }: { channel: string; notice: StoredNotice }): string {
  return `${channelWords(channel)} about ${noticeWords[notice] ?? 'it'}`
}

function channelWords(channel: string): string {
  if (channel === ownerMail) return 'Letter to you'
  if (channel === pushChannel) return 'Notification on your phones'
  return channel === senderMail ? 'Letter to the sender' : `Message to ${channel}`
}

const noticeWords: Partial<Record<StoredNotice, string>> = {
  'lead.received': 'the request',
  'lead.released': 'the release',
  'lead.state_changed': 'the move',
  'lead.withdrawn': 'the withdrawal',
  'lead.visit': 'the visit',
}

/** By the answer of the channel. */
const whyDropped = new Map([
  ['', 'too many emails went out in that hour'],
  ['one a day', 'a customer gets at most one email a day about requests'],
  ['no device', 'no phone is added'],
])

const outcomes = new Map([
  ['delivered', 'sent'],
  ['answered', 'answered with an error'],
  ['refused', 'refused for good'],
])

function outcomeWords(outcome: string): string {
  return outcomes.get(outcome) ?? outcome.replaceAll('-', ' ')
}
