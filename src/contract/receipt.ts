/** The receipt of a request. It shows no personal details and nothing about the spam check. */
import { areaOf, listsPostcodes, type Business } from './business.ts'
import { countryOf, toPostcode } from './country.ts'
import { mostPhotos } from './limits.ts'
import { photoPath, removePhotoPath, routes } from './routes.ts'
import {
  maySenderErase,
  maySenderWithdraw,
  receiptStatusOf,
  type ReceiptStatus,
  type State,
} from './states.ts'
import { seenVisit, type LeadDate } from './visit.ts'

/** Sent only after the lead is committed and synced. */
export const receivedMessage =
  'Your Consultation request was received. I will be in touch to arrange a time.'

/** Does not repeat the postcode, because receipts show nothing that was typed. */
export function farNote(postcode: unknown, { areas, country }: Business): string {
  if (typeof postcode !== 'string' || !listsPostcodes(areas)) return ''
  const isPostcode = countryOf(country).postcode.test(toPostcode(postcode))
  const isFar = isPostcode && areaOf(postcode.trim(), areas) === undefined
  return isFar ? ' Your postcode is outside the areas I list, so I may not be able to come.' : ''
}

/** Crockford's base 32, which has no I, L, O or U. */
export const referencePattern = '^C-[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$'
/** The id of the lead and 128 bits of a keyed hash. */
export const receiptTokenPattern = '^[0-9a-f]{64}$'

export type Receipt = {
  reference: string
  status: ReceiptStatus
  message: string
  received_at: string
  changed_at: string
  can_withdraw: boolean
  visit_at?: string
  calendar_url?: string
  another_time_url?: string
  asked_at?: string
  withdraw_url?: string
  erase_url?: string
  /** Only where photos can be added, and while there is room for one. */
  photos_url?: string
  photos?: readonly SentPhoto[]
}

export type SentPhoto = { url: string; remove_url: string }

export const receiptMessages: Record<ReceiptStatus, string> = {
  received: 'I have your request. I will be in touch to arrange a time.',
  contacted: 'I have been in touch about your request.',
  consultation_booked: 'Your Consultation is booked for the time you agreed with me.',
  met: 'We have met. If there is anything you want to ask or to add, please contact me.',
  working_on_it: 'I am working on it.',
  going_ahead: 'Your project is going ahead. Thank you for choosing me.',
  joined: 'I have put this together with another request of yours.',
  closed: 'Your request is closed. If that surprises you, please contact me.',
  withdrawn: 'You withdrew this request. I will not contact you about it.',
  erased: 'The details of this request are erased. I keep only its reference and its times.',
}

/** These replace the messages once a visit has taken place. */
const messagesOnceMet: Partial<Record<ReceiptStatus, string>> = {
  working_on_it: 'We have met; I am working on it.',
}

/** The other request is of somebody else, such as the customer's wife. */
const joinedWithOther = 'I have put this together with another request about this.'

/** Said where a request that is put together with another one is withdrawn or erased, and afterwards. */
export const otherStays = 'This does not change the other request, which has a page of its own.'

/** Follows the message while the owner has not answered who asked for another time. */
export const askedNote = ' You asked for another time; this one stays until I answer.'

type ReceiptFacts = {
  reference: string
  state: State
  receivedAt: number
  stateChangedAt: number
  date?: LeadDate | undefined
  askedAt?: number | undefined
}

type ReceiptWords = {
  note?: string
  booked?: string
  /** When the last visit that took place was over, if no other lies ahead. */
  metAt?: number | undefined
  /** Whether it is joined with a request of somebody else. */
  isOfTwo?: boolean
  /** Whether it was joined with another request when the customer took it back. */
  wasJoined?: boolean
  /** Whether the customer can ask for another time now. */
  mayAsk?: boolean
  photos?: ReceiptPhotos | undefined
}

/** `ids`: of the photos that came through the receipt. */
export type ReceiptPhotos = { ids: readonly string[]; canAdd: boolean }

export function toReceipt(lead: ReceiptFacts, url: string, words: ReceiptWords = {}): Receipt {
  const { metAt, mayAsk = false } = words
  const status = receiptStatusOf(lead.state, metAt !== undefined)
  const visitAt = status === 'consultation_booked' ? seenVisit(lead)?.at : undefined
  const isAsked = visitAt !== undefined && lead.askedAt !== undefined
  const canWithdraw = maySenderWithdraw(lead.state)
  const canErase = status !== 'erased' && maySenderErase(lead.state)
  return {
    reference: lead.reference,
    status,
    message: messageOf(status, visitAt, words) + (isAsked ? askedNote : ''),
    received_at: new Date(lead.receivedAt).toISOString(),
    changed_at: new Date(changedAtOf(lead, status, metAt)).toISOString(),
    ...(visitAt !== undefined && visitParts(lead, { visitAt, url, mayAsk })),
    can_withdraw: canWithdraw,
    ...(canWithdraw && { withdraw_url: url + routes.withdraw.path }),
    ...(canErase && { erase_url: url + routes.erase.path }),
    ...photoParts(status, url, words.photos),
  }
}

const withoutPhotos: readonly ReceiptStatus[] = ['closed', 'withdrawn', 'erased']

function photoParts(
  status: ReceiptStatus,
  url: string,
  { ids, canAdd }: ReceiptPhotos = { ids: [], canAdd: false },
): Partial<Receipt> {
  const isOpen = canAdd && !withoutPhotos.includes(status) && ids.length < mostPhotos
  const photos = ids.map((id) => ({
    url: url + photoPath.replace('*', id),
    remove_url: url + removePhotoPath.replace('*', id),
  }))
  return {
    ...(isOpen && { photos_url: url + routes.photos.path }),
    ...(ids.length > 0 && { photos }),
  }
}

function messageOf(
  status: ReceiptStatus,
  visitAt: number | undefined,
  { note = '', booked = '', metAt, isOfTwo, wasJoined = false }: ReceiptWords,
): string {
  if (isOfTwo) return joinedWithOther
  if (visitAt !== undefined && booked !== '') return booked
  const onceMet = messagesOnceMet[status]
  if (metAt !== undefined && onceMet !== undefined) return onceMet
  if (wasJoined) return `${receiptMessages[status]} ${otherStays}`
  return receiptMessages[status] + (status === 'received' ? note : '')
}

type ShownVisit = { visitAt: number; url: string; mayAsk: boolean }

function visitParts({ askedAt }: ReceiptFacts, shown: ShownVisit): Partial<Receipt> {
  const { visitAt, url, mayAsk } = shown
  return {
    visit_at: new Date(visitAt).toISOString(),
    calendar_url: url + routes.visitFile.path,
    ...(mayAsk && { another_time_url: url + routes.anotherTime.path }),
    ...(askedAt !== undefined && { asked_at: new Date(askedAt).toISOString() }),
  }
}

function changedAtOf(lead: ReceiptFacts, status: ReceiptStatus, metAt = 0): number {
  // The time of a move between new, held and spam would show that the lead was held.
  if (status === 'received') return lead.receivedAt
  return status === 'met' ? Math.max(metAt, lead.stateChangedAt) : lead.stateChangedAt
}
