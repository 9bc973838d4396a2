/**
 * The fields of the forms that act on requests, in one table: the pages write them, and the doors
 * read them, by the same row. Every field is optional, because each button sends only some of them.
 */
import { isLostReason, isState, type LostReason, type State } from '../../contract/states.ts'
import { type Act } from '../../lead/act.ts'
import { html, type Html } from '../../html.ts'
import { type Lead } from '../../store/leads/rows.ts'
import { type SentFields } from './frame/inbox.ts'
import { isLeadId } from './paths.ts'

/** `read` gets '' if the field was not sent. */
type ActField<Value, Read> = { write: (value: Value) => string; read: (text: string) => Read }

const table = {
  /** The version of the lead that the page showed. */
  version: {
    write: String,
    read: readVersion,
  } satisfies ActField<number, number | undefined>,
  /** The state to move to, or an undo of the list. */
  to: { write: String, read: readMove } satisfies ActField<Move, Move | undefined>,
  /** Saves the visit of an unbooked request. */
  book: oneWord('visit'),
  /** The id of the request that this one is joined with. */
  join: { write: String, read: readLeadId } satisfies ActField<string, string | undefined>,
  /** `tried`: nobody answered. `spoke`: they spoke again. `seen`: the member knows that the visit is off. */
  plan: oneWord('visit', 'ring', 'tried', 'spoke', 'seen'),
  /** The time to ring again, if a button offered it. */
  ring: moment(),
  /** Any other day to ring, while the page asks when next. */
  'ring-day': text(),
  /** The day of the next date; one that was offered (`on`) counts more than the field for any other. */
  on: text(),
  day: text(),
  time: text(),
  place: text(),
  /** Ticked: the customer may see the time of the visit. */
  shown: oneWord('1'),
  /** The time of a doubtful visit that the member was asked about. */
  sure: moment(),
  /** The time of the visit that stays, though the customer asked for another one. */
  keep: moment(),
  /** The request to undo, if it is not that of the page. */
  of: { write: writeOnPage, read: readOnPage } satisfies ActField<
    Pick<Lead, 'id' | 'version'>,
    LeadOnPage | undefined
  >,
  take: oneWord('me', 'none'),
  /** Why the request was lost. */
  why: { write: String, read: readReason } satisfies ActField<LostReason, LostReason | undefined>,
  /** What the proposal comes to. */
  sum: text(),
  /** The text of the note, which every button saves. */
  words: text(),
  /** The number of the note to change. */
  'change-note': noteNumber(),
}

type Move = State | 'undo'
type FieldName = keyof typeof table
type Written<Name extends FieldName> = Parameters<(typeof table)[Name]['write']>[0]

export type ActFields = { [Name in FieldName]: ReturnType<(typeof table)[Name]['read']> } & {
  /** The changed text of the note whose button was pressed. */
  changed: string
}

export function readActFields(sent: SentFields): ActFields {
  const all = Object.entries(table).map(([name, { read }]) => [name, read(sent(name))])
  const fields = Object.fromEntries(all) as ActFields
  const number = fields['change-note']
  const day = fields.on || fields.day
  return { ...fields, day, changed: number === undefined ? '' : sent(noteField(number)) }
}

/** Each note has a field of its own for its text. */
export function noteField(number: number): string {
  return `note-${number}`
}

/** The name and the value of a field or button. */
export function sends<Name extends FieldName>(name: Name, value: Written<Name>): Html {
  const { write } = table[name] as ActField<Written<Name>, unknown>
  return html`name="${name}" value="${write(value)}"`
}

/** A lead on a page: its id, and the version that was shown. */
export type LeadOnPage = Pick<Act, 'leadId' | 'version'>

export function writeOnPage({ id, version }: Pick<Lead, 'id' | 'version'>): string {
  return `${id}.${version}`
}

export function readOnPage(sent: string): LeadOnPage | undefined {
  const [leadId = '', version = ''] = sent.split('.')
  return isLeadId(leadId) ? { leadId, version: readVersion(version) } : undefined
}

/** The list shows this many rows on a page. */
export const mostAtOnce = 50

function readLeadId(sent: string): string | undefined {
  return isLeadId(sent) ? sent : undefined
}

function readMove(sent: string): Move | undefined {
  return sent === 'undo' || isState(sent) ? sent : undefined
}

function readReason(sent: string): LostReason | undefined {
  return isLostReason(sent) ? sent : undefined
}

/** An invalid version becomes 0, which no lead has, so that the act is refused. */
export function readVersion(sent: string): number | undefined {
  if (sent === '') return undefined
  return /^\d{1,9}$/.test(sent) ? Number(sent) : 0
}

function text(): ActField<string, string> {
  return { write: String, read: String }
}

/** An invalid number becomes 0, which no note has. */
function noteNumber(): ActField<number, number | undefined> {
  return { write: String, read: readVersion }
}

/** An invalid time becomes NaN, which is refused as too far away. */
function moment(): ActField<number, number | undefined> {
  const read = (sent: string) => {
    if (sent === '') return undefined
    return /^\d{1,15}$/.test(sent) ? Number(sent) : Number.NaN
  }
  return { write: String, read }
}

function oneWord<const Value extends string>(
  ...values: readonly Value[]
): ActField<Value, Value | undefined> {
  return { write: String, read: (sent) => values.find((value) => value === sent) }
}
