/** Finds leads of one person: those that share the email or the phone number. */
import { type FieldValues } from '../contract/fields.ts'
import { readPhones } from '../contract/phone.ts'
import { keyedHash } from '../store/secret.ts'

/** Makes keyed hashes of the email and the phone number. The person cannot be read from them. */
export type PersonKeys = (values: Pick<FieldValues, 'email' | 'phone'>) => string[]

const fewestDigits = 6

export function createPersonKeys(secret: Buffer): PersonKeys {
  const sign = keyedHash(secret, 'person')
  return (values) => personMarks(values).map((mark) => `${mark[0]}${sign(mark)}`)
}

export function personMarks({ email, phone }: Pick<FieldValues, 'email' | 'phone'>): string[] {
  const number = readPhones(phone).find(({ digits }) => digits.length >= fewestDigits)?.digits
  return [
    ...(email === '' ? [] : [`e ${email.toLowerCase()}`]),
    ...(number === undefined ? [] : [`p ${number}`]),
  ]
}

/** `alsoPhone`: the owner has confirmed that the phone number is this person's. */
export function keysToTrust(keys: readonly string[], alsoPhone: boolean): readonly string[] {
  return alsoPhone ? keys : keys.filter((key) => key.startsWith('e'))
}
