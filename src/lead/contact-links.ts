/** Phone numbers as the owner reads them, and the links by which he calls, texts or emails the sender. */
import { readPhones, type Phone } from '../contract/phone.ts'
import type { Lead } from '../store/leads/rows.ts'

export type CallLink = { label: string; href: string; extension: string }

/** The extension is not dialled, because Android turns `;ext=4` (RFC 3966) into the digits 3984. */
export function callLinks(phone: string): CallLink[] {
  return dialable(phone)
    .slice(0, 2)
    .map(({ dialled, extension }, index) => ({
      label: (index === 0 ? 'Call' : 'Call\u00a02') + (extension && `, ext.\u00a0${extension}`),
      href: `tel:${dialled}`,
      extension,
    }))
}

type Numbers = Pick<Lead, 'values' | 'secondPhone'>

export function callLinksOf({ values, secondPhone = '' }: Numbers): CallLink[] {
  return callLinks(`${values.phone}, ${secondPhone}`)
}

/** A customer without a number is written to. */
export function hasNumber(lead: Numbers): boolean {
  return callLinksOf(lead).length > 0
}

/** Returns '' if all numbers are landlines. */
export function textLink(phone: string): string {
  const mobile = dialable(phone).find(({ takesTexts }) => takesTexts)
  return mobile === undefined ? '' : `sms:${mobile.dialled}`
}

/** Groups a single number: "0491 570 006", "02 5550 0100". Other texts stay as they were typed. */
export function groupPhone(typed: string): string {
  const isOnlyNumber = /^[\p{Nd}\s().+-]+$/u.test(typed)
  const [phone, ...others] = isOnlyNumber ? readPhones(typed) : []
  return others.length > 0 ? typed : phone?.grouped || typed
}

function dialable(phone: string): Phone[] {
  const whole = readPhones(phone).filter(({ dialled }) => dialled !== undefined)
  return [...new Map(whole.map((each) => [each.same, each])).values()]
}

export function replyLink(email: string, reference: string, text = ''): string {
  const [local = '', domain = ''] = email.split('@')
  const subject = encodeURIComponent(`Your request ${reference}`)
  const body = text && `&body=${encodeURIComponent(text)}`
  return `mailto:${encodeURIComponent(local)}@${domain}?subject=${subject}${body}`
}

export function fillReply(text: string, { name, reference }: { name: string; reference: string }) {
  const first = firstNameOf(name)
  const named = text.replaceAll('{reference}', reference)
  // "Hello, I just tried to ring".
  if (first === '') return named.replaceAll(/ ?\{name\}/g, '')
  return named.replaceAll('{name}', () => first)
}

/** Returns '' for somebody who rang and is known by a number or an email only. */
export function firstNameOf(name: string): string {
  const [first = ''] = name.split(/\s/)
  return /[@\d]/.test(first) ? '' : first
}
