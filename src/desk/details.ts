/**
 * What a member types about a request: one that he adds after a call, or the corrected details of one
 * that is here. Nothing is required but a name or a way to reach the person.
 */
import { isLongerThan, normaliseField } from '../contract/check-fields.ts'
import {
  isEmail,
  isForCall,
  messageField,
  personFields,
  phoneField,
  type Field,
  type FieldValues,
  type PersonKey,
} from '../contract/fields.ts'
import { longestPlace } from '../contract/limits.ts'
import { digitsExpected, readPhones } from '../contract/phone.ts'
import { actOn, type Act, type ActOutcome } from '../lead/act.ts'
import { groupPhone } from '../lead/contact-links.ts'
import { correct } from '../lead/life.ts'
import { personMarks, type PersonKeys } from '../lead/person-keys.ts'
import { detailsOf, type Details } from '../store/leads/details.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'
import { plural } from '../words.ts'
import { searchLeads } from './search.ts'

export type DetailKey = PersonKey | 'secondPhone' | 'street'

type DetailRow = Pick<Field, 'input' | 'maxLength'> & { key: DetailKey; label: string }

const sentRows: readonly DetailRow[] = personFields.map((field) => {
  const { key, ownerLabel: label, input, maxLength } = field
  return { key, label, input, maxLength }
})

/** What a form shows and reads, in its order. Customers send all but the second phone and the street. */
export const detailForm: readonly DetailRow[] = [
  ...sentRows.filter(isForCall),
  { key: 'secondPhone', label: 'Second phone', input: 'tel', maxLength: phoneField.maxLength },
  ...sentRows.filter((row) => !isForCall(row)),
  { key: 'street', label: 'Street and town', input: 'text', maxLength: longestPlace },
]

export type TypedDetails = Record<DetailKey, string>
export type DetailProblem = { key: DetailKey | 'message'; words: string }

/** "name, second phone". */
export function detailNames(keys: readonly string[]): string {
  const rows = detailForm.filter(({ key }) => keys.includes(key))
  return rows.map(({ label }) => label.toLowerCase()).join(', ')
}

/** What the customer sent, where it differs from what the lead says now; '' for what was not sent. */
export function asSentOf(lead: Lead, sent: Details | undefined): Partial<TypedDetails> {
  if (sent === undefined || lead.state === 'erased') return {}
  const now = detailsOf(lead)
  // A member who adds a number alone types no name.
  const isTyped = (key: DetailKey) => key !== 'name' || lead.door !== 'phone' || !isStandIn(sent)
  const changed = detailForm.filter(({ key }) => sent[key] !== now[key] && isTyped(key))
  return Object.fromEntries(changed.map(({ key }) => [key, sent[key]]))
}

export function readDetails(field: (name: string) => string): TypedDetails {
  const typed = detailForm.map((row) => [row.key, normaliseField(row, field(row.key))])
  return Object.fromEntries(typed) as TypedDetails
}

export function checkDetails(typed: TypedDetails): DetailProblem[] {
  if (typed.name === '' && typed.phone === '' && typed.email === '') {
    return [{ key: 'name', words: 'Type a name, a number or an email.' }]
  }
  const tooLong = detailForm
    .filter(({ key, maxLength }) => isLongerThan(typed[key], maxLength))
    .map(({ key, label, maxLength }) => ({
      key,
      words: `${label}: at most ${maxLength} characters.`,
    }))
  if (tooLong.length > 0 || typed.email === '' || isEmail(typed.email)) return tooLong
  return [{ key: 'email', words: 'This email address doesn’t look right.' }]
}

type Numbers = Pick<TypedDetails, 'phone' | 'secondPhone'>

/**
 * Asks about a number that may lack a digit. `asked`: the numbers that the member was asked about, which
 * the second press saves. Numbers that stay as they were (`before`) are no question.
 */
export function checkNumbers(
  typed: Numbers,
  asked: string,
  before: Numbers = { phone: '', secondPhone: '' },
): DetailProblem[] {
  if (asked === typedNumbers(typed)) return []
  return (['phone', 'secondPhone'] as const).flatMap((key) => {
    const count = wrongCount(typed[key])
    if (count === 0 || typed[key] === before[key]) return []
    const words = `This number has ${plural(count, 'digit')}, ${digitsExpected()}. Save anyway?`
    return [{ key, words }]
  })
}

export function typedNumbers({ phone, secondPhone }: Numbers): string {
  return `${phone}, ${secondPhone}`
}

/** How many digits a number has that nobody could ring; 0 if it can be rung, or is foreign. */
function wrongCount(text: string): number {
  const phones = readPhones(text)
  if (text.includes('+') || phones.some(({ dialled }) => dialled !== undefined)) return 0
  return Math.max(0, ...phones.map(({ digits }) => digits.length))
}

/** Lists and emails call a person without a name by the number or the email. */
function nameOrNumber({ name, phone, email }: TypedDetails): string {
  return (isNumber(name) ? '' : name) || groupPhone(phone) || email || name
}

/** What the fields of a correction show: the name is empty if the number or the email stands in for it. */
export function givenDetailsOf(lead: Lead): Details {
  const details = detailsOf(lead)
  return isStandIn(details) ? { ...details, name: '' } : details
}

/** Numbers that were corrected before left the wrong one as the name, so any number is one. */
function isStandIn({ name, phone, email }: Details): boolean {
  return isNumber(name) || [groupPhone(phone), phone, email].includes(name)
}

function isNumber(name: string): boolean {
  return /^[\p{Nd}\s().+-]*\p{Nd}[\p{Nd}\s().+-]*$/u.test(name)
}

export function checkMessage(text: string): DetailProblem[] {
  const { maxLength } = messageField
  if (!isLongerThan(text, maxLength)) return []
  return [{ key: 'message', words: `The words: at most ${maxLength} characters.` }]
}

export function readMessage(text: string): string {
  return normaliseField(messageField, text)
}

export function toValues(typed: TypedDetails, message: string): FieldValues {
  const { secondPhone: _, street: __, ...sent } = typed
  return { ...sent, name: nameOrNumber(typed), message }
}

/** The newest requests of the person with this email or phone number, which may be a second phone. */
export async function findKnown(
  store: Store,
  keysOf: PersonKeys,
  typed: Pick<TypedDetails, 'email' | 'phone'>,
): Promise<Lead[]> {
  const found = await store.views.ofPerson(keysOf(typed), { limit: mostKnown })
  const bySecond = await findBySecondPhone(store, typed.phone)
  const others = bySecond.filter(({ id }) => found.every((lead) => lead.id !== id))
  const known = await store.leads.asFirsts([...found, ...others])
  return known.filter(({ state }) => state !== 'erased').slice(0, mostKnown)
}

/** A second phone is no key of the person, but the search finds its digits. */
async function findBySecondPhone(store: Store, phone: string): Promise<Lead[]> {
  const markIn = (text: string) => personMarks({ email: '', phone: text })[0]
  const mark = markIn(phone)
  if (mark === undefined) return []
  // The mark of a number is "p 0491570006".
  const { leads } = await searchLeads(store, mark.slice(2))
  return leads.filter(({ secondPhone = '' }) => markIn(secondPhone) === mark)
}

const mostKnown = 5

export function correctByMember(
  store: Store,
  keysOf: PersonKeys,
  act: Act,
  typed: TypedDetails,
): Promise<ActOutcome> {
  const keys = keysOf(typed)
  const keyOf = (kind: 'e' | 'p') => keys.find((key) => key.startsWith(kind)) ?? ''
  const details: Details = {
    ...typed,
    name: nameOrNumber(typed),
    emailKey: keyOf('e'),
    phoneKey: keyOf('p'),
  }
  return actOn(store, act.leadId, correct(details, act))
}
