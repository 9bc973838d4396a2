/** Finds leads of one person: those that share the email or the phone number. */
import { type FieldValues } from '../contract/fields.ts'
import { readTwice } from '../contract/phone.ts'
import { keyedHash } from '../store/secret.ts'

type Contact = Pick<FieldValues, 'email' | 'phone'>

/**
 * Makes keyed hashes of the email and the phone numbers, the first number first. The person cannot
 * be read from them.
 */
export type PersonKeys = (values: Contact) => string[]

const fewestDigits = 6

export function createPersonKeys(secret: Buffer): PersonKeys {
  const sign = keyedHash(secret, 'person')
  return (values) =>
    toMarks(values.email, digitsTyped(values.phone)).map((mark) => mark[0] + sign(mark))
}

/** What a lead is gathered by with others of its person: the email and the first number. */
export function personMarks({ email, phone }: Contact): string[] {
  return toMarks(email, digitsTyped(phone).slice(0, 1))
}

function toMarks(email: string, numbers: readonly string[]): string[] {
  const marks = numbers.map((digits) => `p ${digits}`)
  return email === '' ? marks : [`e ${email.toLowerCase()}`, ...marks]
}

/**
 * The digits of each number. The text is read as it was typed, and then in plain signs. The first
 * reading decides on the first number: senders are blocked by the key that it gave them. Further
 * numbers count only if they are complete, because a second group of digits may be hours.
 */
function digitsTyped(phone: string): string[] {
  const read = readTwice(phone)
  const own = read.filter(({ digits }) => digits.length >= fewestDigits)
  const known = own.filter(({ dialled }, index) => index === 0 || dialled !== undefined)
  return [...new Set(known.flatMap(({ digits, same }) => [digits, same]))]
}

/** `alsoPhone`: the owner has confirmed that the phone number is this person's. */
export function keysToTrust(keys: readonly string[], alsoPhone: boolean): readonly string[] {
  return alsoPhone ? keys : keys.filter((key) => key.startsWith('e'))
}
