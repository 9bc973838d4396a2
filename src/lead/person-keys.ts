/** Recognises the sender of a lead: two leads are of one person if they share the email or the phone number. */
import { hash, hkdfSync } from 'node:crypto'
import { type FieldValues } from '../contract/fields.ts'
import { readPhones } from '../contract/phone.ts'

/** Makes a key from the sender's email and one from the phone number, if given. Keys are keyed hashes, which name nobody. */
export type PersonKeys = (values: Pick<FieldValues, 'email' | 'phone'>) => string[]

const fewestDigits = 6

export function createPersonKeys(secret: Buffer): PersonKeys {
  const sign = keyedHash(secret, 'person')
  return (values) => personMarks(values).map((mark) => `${mark[0]}${sign(mark)}`)
}

/** Returns the marks of a person: `e EMAIL` and `p DIGITS`, each if given. Leads that share a mark count as leads of one person. */
export function personMarks({ email, phone }: Pick<FieldValues, 'email' | 'phone'>): string[] {
  const number = readPhones(phone).find(({ digits }) => digits.length >= fewestDigits)?.digits
  return [
    ...(email === '' ? [] : [`e ${email.toLowerCase()}`]),
    ...(number === undefined ? [] : [`p ${number}`]),
  ]
}

/**
 * Makes hashes of 128 bits that nobody can compute without the secret. Only half of each SHA-256 is
 * used, which prevents length extension. An HMAC would do so, too, but take four times as long.
 */
export function keyedHash(secret: Buffer, use: string): (text: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', use, 32)).toString('hex')
  return (text) => hash('sha256', `${key} ${text}`).slice(0, 32)
}

/**
 * Anybody can write another person's phone number into the form. So a person's leads are exported or
 * erased by the email alone, unless the owner has confirmed the number (`alsoPhone`).
 */
export function keysToTrust(keys: readonly string[], alsoPhone: boolean): readonly string[] {
  return alsoPhone ? keys : keys.filter((key) => key.startsWith('e'))
}
