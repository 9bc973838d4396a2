/** Phone numbers in groups of digits, as people read them aloud. */
import { isWholeNumber, readPhones } from '../contract/phone.ts'

/** Groups a single number: "0491 570 006", "02 5550 0100". Other texts stay as they were typed. */
export function groupPhone(typed: string): string {
  const isOnlyNumber = /^[\d\s().+-]+$/.test(typed)
  const [phone, ...others] = isOnlyNumber ? readPhones(typed) : []
  if (phone === undefined || others.length > 0) return typed
  return groupDigits(phone.digits) ?? typed
}

function groupDigits(digits: string): string | undefined {
  const [, ...groups] = /^(04\d\d|1[38]00)(\d{3})(\d{3})$/.exec(digits) ?? []
  if (groups.length > 0) return groups.join(' ')
  return isWholeNumber(digits) ? digits.replaceAll(/\B(?=(?:\d{4})+$)/g, ' ') : undefined
}
