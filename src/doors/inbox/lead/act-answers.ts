/** What a member sees after pressing a button of a request: where it leads, or why nothing changed. */
import { isState } from '../../../contract/states.ts'
import { isOffered } from '../../../desk/choices.ts'
import { joinWords, readSum } from '../../../desk/plan.ts'
import { lastChange } from '../../../desk/story.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { createNameOf, shortWord } from '../../../desk/words.ts'
import { type Answer } from '../../../http/message.ts'
import { actOn, type Act, type ActOutcome } from '../../../lead/act.ts'
import { isStreetCorrected } from '../../../lead/asking.ts'
import { isOpen, note, sumUp } from '../../../lead/life.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import { hourMs, inWords } from '../../../time.ts'
import { type ActFields } from '../act-fields.ts'
import { goOn, missing, showPage } from '../frame/answers.ts'
import { type Done } from '../frame/done-bar.ts'
import { type SignedInCaller } from '../frame/inbox.ts'
import { withoutControls } from '../frame/words.ts'
import { leadPath, type ListPlace } from '../paths.ts'
import { type Refusal } from './acts-form.ts'
import { readChoices, readLead, showLeadPage } from './page.ts'
import { storyContextOf } from './story.ts'

/** `words`: the text in the note field, which every act also stores as a note. */
export type Pressed = {
  caller: SignedInCaller
  act: Act
  fields: ActFields
  words: string
  place: ListPlace
}

/** These acts need no bar, because the page says what they changed. */
const quiet = ['taken', 'explained', 'summed up', 'note changed'] as const
type Quiet = (typeof quiet)[number]
type NextPage = { path: string; done: Done['what'] | Quiet }

export async function answerAct(
  sent: Pressed,
  outcome: ActOutcome,
  made: NextPage,
): Promise<Answer> {
  if (outcome.kind !== 'done') return refuseOutcome(sent, outcome)
  const unkept = await keepTyped(sent, 'That was saved, but the note was not.')
  if (unkept !== undefined) return unkept
  const { path, done } = made
  const leadIds = [outcome.lead.id]
  const { caller } = sent
  const bar = isQuiet(done) ? undefined : { what: done, leadIds }
  return goOn(caller, isState(done) ? `moved to ${done}` : done, path, bar)
}

function isQuiet(done: NextPage['done']): done is Quiet {
  return quiet.some((each) => each === done)
}

/** Stores a typed note and a typed sum, whatever button was pressed. Returns an answer only if that failed. */
export async function keepTyped(
  sent: Pressed,
  failed = 'The note could not be saved.',
): Promise<Answer | undefined> {
  return (await keepNote(sent, failed)) ?? keepSum(sent)
}

async function keepNote(sent: Pressed, failed: string): Promise<Answer | undefined> {
  if (sent.words === '') return undefined
  try {
    const outcome = await actOn(
      sent.caller.inbox.store,
      sent.act.leadId,
      note(sent.words, sent.act),
    )
    if (outcome.kind === 'done') return undefined
    if (outcome.kind === 'missing') return showPage(sent.caller, missing)
    return refuse(sent, 409, { words: `${failed} The request is erased now.` })
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return refuse(sent, 503, { words: `${failed} Send the note again.` })
  }
}

/** A sum that another member has changed meanwhile stays as it is. */
async function keepSum(sent: Pressed): Promise<Answer | undefined> {
  const { caller, act, fields } = sent
  const sum = readSum(fields.sum)
  if (sum === 'wrong')
    return refuse(sent, 400, { words: `That was saved, but not the sum. ${noSum}` })
  if (sum !== undefined) {
    await actOn(caller.inbox.store, act.leadId, sumUp(sum, act))
  }
  return undefined
}

export const noSum = 'Type a whole number, such as 41,000.'

function refuseOutcome(
  sent: Pressed,
  outcome: Exclude<ActOutcome, { kind: 'done' }>,
): Promise<Answer> {
  if (outcome.kind === 'missing') return showPage(sent.caller, missing)
  if (outcome.kind === 'overtaken') return refuseOvertaken(sent)
  const state = shortWord(outcome.lead.state)
  const words = `Nothing was changed. The request is now ${state}, so this is no longer possible.`
  return refuse(sent, 409, { words: `${words} ${unsavedWords(sent, outcome.lead)}`.trim() })
}

async function pressAgain(sent: Pressed, whole: WholeLead): Promise<string> {
  if (!isOpen(whole.lead)) return ''
  if (!isOffered(await readChoices(sent.caller, whole), sent.fields)) return ''
  return isStreetCorrected(whole.events, sent.act)
    ? 'Look at the place before you press again.'
    : 'Press again if you still want to.'
}

/** A closed request has no fields of a date, and of a sum only once it is won, so the words say what was typed. */
function unsavedWords({ fields: { day, time, place, sum } }: Pressed, lead: Lead): string {
  if (isOpen(lead) || (day === '' && time === '' && sum === '')) return ''
  return `You had typed: ${withoutControls(joinWords(', ', day, time, place, sum))}.`
}

/** Says what was done meanwhile: "Sam marked it contacted just now, so nothing was changed." */
async function refuseOvertaken(sent: Pressed): Promise<Answer> {
  const { inbox, member } = sent.caller
  const whole = await readLead(inbox, sent.act.leadId)
  if (whole === undefined) return showPage(sent.caller, missing)
  const nameOf = createNameOf(await inbox.access.store.listMembers(), member)
  const when = (at: number) => inWords(at, inbox.business.timeZone, inbox.now())
  const change = lastChange(whole.story, storyContextOf(whole, { when, nameOf }))
  const ago = change && inbox.now() - change.at < hourMs ? 'just now' : 'since you opened this page'
  const { who, did } = change ?? { who: 'It', did: 'changed' }
  const words = [
    `${withoutControls(`${who} ${did}`)} ${ago}, so nothing was changed.`,
    await pressAgain(sent, whole),
    sent.words === '' ? '' : 'Your note is still below.',
    unsavedWords(sent, whole.lead),
  ]
  return refuse(sent, 409, { words: words.filter(Boolean).join(' ') })
}

/** Shows the page again, with what was typed. */
export async function refuse(sent: Pressed, status: number, refusal: Refusal): Promise<Answer> {
  const { caller, act, place, fields } = sent
  const whole = await readLead(caller.inbox, act.leadId)
  if (whole === undefined) return showPage(caller, missing)
  // The page may have filled in a street that was corrected since: now it fills in the new one.
  const isElsewhere = isStreetCorrected(whole.events, act)
  const typed = isElsewhere ? { ...fields, place: '' } : fields
  return showLeadPage(caller, whole, { status, place, typed, refusal })
}

export function pathOf({ act, place }: Pressed): string {
  return leadPath(act.leadId, place)
}

/** The part of the page that asks when next. */
export function pathToWhen(sent: Pressed): string {
  return `${pathOf(sent)}#when`
}
