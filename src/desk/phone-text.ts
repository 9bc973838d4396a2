/** Phone numbers in groups of digits, as people read them aloud. */
import { readPhones } from '../contract/phone.ts'

/** Groups a single number: "0491 570 006", "02 5550 0100". Other texts stay as they were typed. */
export function groupPhone(typed: string): string {
  const isOnlyNumber = /^[\p{Nd}\s().+-]+$/u.test(typed)
  const [phone, ...others] = isOnlyNumber ? readPhones(typed) : []
  return others.length > 0 ? typed : phone?.grouped || typed
}
