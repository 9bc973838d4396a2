/** Reads the receipts of customers, for their page and for MCP. */
import { toReceipt, farNote, type Receipt } from '../../contract/receipt.ts'
import { routes } from '../../contract/routes.ts'
import { lastMet, overdueAt, seenVisit } from '../../contract/visit.ts'
import { wordsOf } from '../../contract/wording.ts'
import type { LeadIds } from '../../lead/ids.ts'
import { askForAnotherTime, isOpen } from '../../lead/life.ts'
import { isSamePerson } from '../../store/leads/persons.ts'
import type { Site } from '../../site/site.ts'
import { StorageUnavailable } from '../../store/engine/engine.ts'
import { dataOf, readEvents, type LeadEvent } from '../../store/leads/events.ts'
import type { Lead } from '../../store/leads/rows.ts'
import { isShown, type Photo } from '../../store/photos/photos.ts'
import type { Store } from '../../store/store.ts'
import { dateInWords } from '../../time.ts'

type ReceiptsParts = {
  site: Site
  store: Store
  leadIds: LeadIds
  /** Whether pictures can be read here. */
  canAddPhotos: boolean
  now: () => number
}

type ReadReceipt = { receipt: Receipt; hasMet: boolean }

export class Receipts {
  readonly #parts: ReceiptsParts

  constructor(parts: ReceiptsParts) {
    this.#parts = parts
  }

  async find(token: string): Promise<Receipt | undefined> {
    const lead = await this.leadOf(token)
    return lead && (await this.read(lead, token)).receipt
  }

  /** Throws while another node may still have the lead: this installation made the token, so it exists. */
  async leadOf(token: string): Promise<Lead | undefined> {
    const { store, leadIds, now } = this.#parts
    const id = leadIds.readToken(token)
    if (id === undefined) return undefined
    const lead = await store.leads.find(id)
    if (lead !== undefined) return lead
    if (store.leads.mayWaitElsewhere(id, now())) throw new StorageUnavailable('journaled')
    return undefined
  }

  async read(lead: Lead, token: string): Promise<ReadReceipt> {
    const { site, store, now } = this.#parts
    const { timeZone } = site.business
    const say = wordsOf(site.business)
    const note = farNote(lead.values.postcode, site.business)
    const visit = seenVisit(lead)
    const booked =
      visit && `${say('Consultation booked')}: ${dateInWords(visit.at, timeZone, now())}.`
    const [events = []] = await store.leads.eventsOf([lead])
    const met = isOpen(lead) ? lastMet(lead, readEvents(events), now()) : undefined
    const receipt = toReceipt(lead, site.baseUrl + routes.receipt.path + token, {
      note,
      booked: booked ?? '',
      metAt: met && overdueAt(met),
      isOfTwo: await this.#isOfTwo(lead),
      wasJoined: wasJoined(events),
      mayAsk: visit !== undefined && mayAsk(lead, events, now()),
      photos: { ids: await this.#photosOf(lead), canAdd: this.#parts.canAddPhotos },
    })
    return { receipt: { ...receipt, message: say(receipt.message) }, hasMet: met !== undefined }
  }

  async #isOfTwo(lead: Lead): Promise<boolean> {
    const { leads } = this.#parts.store
    const first = lead.joinedTo === '' ? undefined : await leads.find(lead.joinedTo)
    return first !== undefined && !isSamePerson(lead, first)
  }

  /** The photos that came through the receipt. */
  async #photosOf(lead: Lead): Promise<string[]> {
    if (lead.photos === 0) return []
    const photos = await this.#parts.store.photos.of([lead])
    return photos.filter(isOfSender).map(({ id }) => id)
  }
}

export function isOfSender(photo: Photo): boolean {
  return photo.origin === 'sender' && isShown(photo)
}

/** Whether the customer took the request back while it was joined with another one. */
function wasJoined(events: readonly LeadEvent[]): boolean {
  return events.map(dataOf).some(({ from, to, by }) => {
    return from === 'joined' && by === 'sender' && (to === 'withdrawn' || to === 'erased')
  })
}

/** Asks the rule itself. `already` also counts: the button was pressed twice. */
function mayAsk(lead: Lead, events: readonly LeadEvent[], at: number): boolean {
  return askForAnotherTime('', { at })(lead, { events }).kind !== 'illegal'
}
