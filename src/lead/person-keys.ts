/** Who sent a lead: two leads are of one person if they share the email or the phone number. */
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { type FieldValues } from '../contract/fields.ts'
import { readPhones } from '../contract/phone.ts'

/** The keys of a lead's person: keyed hashes, so that the database names nobody. At most two. */
export type PersonKeys = (values: Pick<FieldValues, 'email' | 'phone'>) => string[]

const fewestDigits = 6

export function createPersonKeys(secret: Buffer): PersonKeys {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'person', 32)))
  const sign = (kind: string, text: string) =>
    kind + createHmac('sha256', key).update(`${kind} ${text}`).digest('base64url').slice(0, 22)

  return ({ email, phone }) => {
    const number = readPhones(phone).find(({ digits }) => digits.length >= fewestDigits)?.digits
    return [
      ...(email === '' ? [] : [sign('e', email.toLowerCase())]),
      ...(number === undefined ? [] : [sign('p', number)]),
    ]
  }
}

/**
 * Anybody can write somebody else's number into the form. So what is given away or erased goes by the
 * email alone, unless the owner has looked.
 */
export function keysToTrust(keys: readonly string[], alsoPhone: boolean): readonly string[] {
  return alsoPhone ? keys : keys.filter((key) => key.startsWith('e'))
}
