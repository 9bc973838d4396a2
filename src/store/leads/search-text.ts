/** Makes the text that the search looks through: plain words of a lead, with a blank before each. */
import { fieldKeys, type FieldValues } from '../../contract/fields.ts'
import { toPlain } from '../../words.ts'

type SearchedLead = {
  reference: string
  values: FieldValues
  unlisted: string
  visitPlace?: string | undefined
  secondPhone?: string | undefined
  street?: string | undefined
}

/** Characters of the message and the unlisted fields that are found. */
const mostSent = 2_000
/** Characters of all other fields and of notes that are found. */
const mostOwn = 20_000

const shortFields = fieldKeys.filter((key) => key !== 'message' && key !== 'phone')

/** `notes`: what the owner wrote, oldest first. */
export function searchTextOf(lead: SearchedLead, notes: readonly string[] = []): string {
  const { reference, values, unlisted, visitPlace = '', secondPhone = '', street = '' } = lead
  const facts = [reference, reference.replaceAll('-', ''), ...shortFields.map((key) => values[key])]
  const own = [...facts, visitPlace, secondPhone, street, ...notes.toReversed()]
    .join('\n')
    .slice(0, mostOwn)
  // In JSON a line break is \n, whose n would otherwise become part of the next word.
  const more = unlisted === '' ? '' : `\n${unlisted.replaceAll(/\\[nt]/g, ' ')}`
  const sent = (values.message + more).slice(0, mostSent)
  const phones = [digitsOf(values.phone), ...numbersIn(`${own}\n${sent}`)]
  const plain = [toPlain(values.phone, mostOwn), toPlain(own, mostOwn), toPlain(sent, mostSent)]
  return ` ${phones.join(' ')} ${plain.join(' ')}`
}

/** At least eight digits, with at most three signs between two of them. */
const numbers = /\d(?:[\s()./\-\u2010-\u2015]{0,3}\d){7,}/g

/** Phone numbers in a text, without what people write between the digits. */
function numbersIn(text: string): string[] {
  return text.match(numbers)?.map(digitsOf) ?? []
}

/** The search leaves out the country code and the 0, so that it does not matter who wrote which. */
function digitsOf(written: string): string {
  return written.normalize('NFKC').replace('(0)', '').replaceAll(/\D/g, '')
}
