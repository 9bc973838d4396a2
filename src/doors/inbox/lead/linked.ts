/**
 * Turns the numbers, emails and web addresses in what people wrote into links. Everything else stays
 * text, and the text of a link is what it leads to, so that no link can pretend to lead elsewhere.
 */
import { isEmail } from '../../../contract/fields.ts'
import { readPhones } from '../../../contract/phone.ts'
import { html, type Html } from '../../../html.ts'
import { withoutControls } from '../frame/words.ts'

// Matching takes linear time: every repetition is bounded, or can match a text in only one way.
const address = String.raw`(?:https?://|www\.)[^\s<>"'\x60\\^{|}]{1,2000}`
const email = String.raw`[\w.+-]{1,64}@[\w.-]{1,254}`
const gap = String.raw`[\u0020\u00A0()-]{0,2}`
const digits = (count: string) => String.raw`\d(?:${gap}\d){${count}}`
/** Fewer digits are measures or dates. Digits behind a number, such as a postcode, are found with it. */
const number = String.raw`(?:\+${digits('6,29')}|\(?${digits('8,29')})`
/** A part of a longer word, number or path is no link. */
const linkable = new RegExp(
  String.raw`(?<![\p{L}\p{N}\p{M}_+@/:.-])(?:${address}|${email}|${number})(?![\p{L}\p{N}\p{M}_@])`,
  'giu',
)

/** Reading a number takes time, and nobody writes more of them. */
const mostNumbers = 10

export function linked(text: string): Html {
  const shown = withoutControls(text)
  const parts: Html[] = []
  let end = 0
  let numbers = 0
  for (const match of shown.matchAll(linkable)) {
    const isNumber = /^[+(\d]/.test(match[0]) && !/[@a-z]/i.test(match[0])
    if (isNumber && ++numbers > mostNumbers) continue
    const words = isNumber ? numberIn(match[0]) : withoutEnd(match[0])
    const link = linkOf(words)
    if (link === undefined) continue
    parts.push(html`${shown.slice(end, match.index)}`, link)
    end = match.index + words.length
  }
  return html`${parts}${shown.slice(end)}`
}

/** The first number, without the digits behind it. */
function numberIn(words: string): string {
  return words.slice(0, readPhones(words)[0]?.end)
}

/** A full stop or a bracket after an address belongs to the sentence. */
function withoutEnd(words: string): string {
  const [end = ''] = /[.,;:!?'"»”’)\]}>-]{1,20}$/u.exec(words) ?? []
  return words.slice(0, words.length - end.length)
}

function linkOf(words: string): Html | undefined {
  if (/^(?:https?:|www\.)/i.test(words)) return webLink(words)
  if (words.includes('@')) return emailLink(words)
  const [phone] = readPhones(words)
  // Nine digits without a 0 before them may be measures.
  const isMeasure = phone?.dialled?.startsWith('+') && !words.startsWith('+')
  if (phone?.dialled === undefined || isMeasure) return undefined
  return html`<a href="tel:${phone.dialled}">${words}</a>`
}

/** No other letters than ASCII, which could look like others, and no name before the host. */
function webLink(words: string): Html | undefined {
  const href = /^www\./i.test(words) ? `https://${words}` : words
  if (!/^[\x21-\x7E]+$/.test(href) || !URL.canParse(href)) return undefined
  const { hostname, username, password } = new URL(href)
  if (username !== '' || password !== '' || !hostname.includes('.')) return undefined
  return html`<a href="${href}" target="_blank" rel="noopener noreferrer nofollow">${words}</a>`
}

function emailLink(words: string): Html | undefined {
  return isEmail(words) ? html`<a href="mailto:${words}">${words}</a>` : undefined
}
