/** Who sent a lead: two leads are of one person if they share the email or the phone number. */
import { hash, hkdfSync } from 'node:crypto'
import { type FieldValues } from '../contract/fields.ts'
import { readPhones } from '../contract/phone.ts'

/** The keys of a lead's person: keyed hashes, so that the database names nobody. At most two. */
export type PersonKeys = (values: Pick<FieldValues, 'email' | 'phone'>) => string[]

const fewestDigits = 6

export function createPersonKeys(secret: Buffer): PersonKeys {
  const sign = keyedHash(secret, 'person')
  return ({ email, phone }) => {
    const number = readPhones(phone).find(({ digits }) => digits.length >= fewestDigits)?.digits
    return [
      ...(email === '' ? [] : [`e${sign(`e ${email.toLowerCase()}`)}`]),
      ...(number === undefined ? [] : [`p${sign(`p ${number}`)}`]),
    ]
  }
}

/**
 * Makes hashes that nobody can make, or try names on, without the secret. Only half of each is given
 * away, so that none can be continued; an HMAC would take four times as long.
 */
export function keyedHash(secret: Buffer, use: string): (text: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', use, 32)).toString('base64url')
  return (text) => hash('sha256', `${key} ${text}`, 'base64url').slice(0, 22)
}

/**
 * Anybody can write somebody else's number into the form. So what is given away or erased goes by the
 * email alone, unless the owner has looked.
 */
export function keysToTrust(keys: readonly string[], alsoPhone: boolean): readonly string[] {
  return alsoPhone ? keys : keys.filter((key) => key.startsWith('e'))
}
