/** Serves a customer's receipt, and lets the customer withdraw or erase the request, or ask for another time. */
import { capital } from '../../words.ts'
import { isLongerThan, normaliseText } from '../../contract/check-fields.ts'
import {
  errors,
  noPhoto,
  noReceipt,
  noVisit,
  wrongWords,
  type ErrorEnvelope,
} from '../../contract/errors.ts'
import { longestAsking, mostPhotos, retryAfterS } from '../../contract/limits.ts'
import { type Receipt } from '../../contract/receipt.ts'
import { photoPath, removePhotoPath, routes } from '../../contract/routes.ts'
import { nounOf, wordsOf } from '../../contract/wording.ts'
import { writeCalendar } from '../../desk/calendar.ts'
import { html, type Html } from '../../html.ts'
import { hasTooManyPairs, mediaType, readForm, readJson } from '../../http/body.ts'
import {
  calendarType,
  fileAnswer,
  inert,
  jsonAnswer,
  retryAfter,
  seeOther,
} from '../../http/answers.ts'
import { withHeaders, type Answer, type App, type Ask, type Headers } from '../../http/message.ts'
import type { Route } from '../../http/router.ts'
import { actAsSender, actOn } from '../../lead/act.ts'
import { askForAnotherTime } from '../../lead/life.ts'
import type { PhotoTaker } from '../../lead/photos/taking.ts'
import { noReceiptMain, receiptMain, type WrongAsking } from '../../site/receipt-page.ts'
import type { Site } from '../../site/site.ts'
import { StorageUnavailable } from '../../store/engine/engine.ts'
import type { Lead } from '../../store/leads/rows.ts'
import type { Photo } from '../../store/photos/photos.ts'
import type { Store } from '../../store/store.ts'
import { corsHeaders, preflightHeaders, prefersMarkdown, wantsPage } from '../clients.ts'
import { formScript, personalPage } from '../form-pages.ts'
import { failureAnswer, type DoorError } from '../outcomes.ts'
import { pictureAnswer, toPhotoFailure } from '../photo-answers.ts'
import { unindexed } from '../pages.ts'
import { isOfSender, type Receipts } from './receipts.ts'

type ReceiptDoorParts = {
  receipts: Receipts
  site: Site
  store: Store
  /** `undefined`: no photos can be added here. */
  photos: Pick<PhotoTaker, 'take'> | undefined
  limited: (door: App) => App
  notFound: App
  now: () => number
}

const { path: receiptPath } = routes.receipt

/** The request that the address names, read once. */
type OpenedReceipt = { ask: Ask; token: string; lead: Lead }

type OpenedDoor = (opened: OpenedReceipt) => Promise<Answer>

export class ReceiptDoor {
  readonly #parts: ReceiptDoorParts

  constructor(parts: ReceiptDoorParts) {
    this.#parts = parts
  }

  /** The paths below that of the receipt: `/receipt/<token>/withdraw`. */
  routes(): Route[] {
    return [
      this.#page('', (opened) => this.#show(opened)),
      this.#page(routes.visitFile.path, (opened) => this.#sendVisit(opened)),
      this.#form(routes.withdraw.path, (opened) => this.#withdraw(opened)),
      this.#form(routes.erase.path, (opened) => this.#erase(opened)),
      this.#form(routes.anotherTime.path, (opened) => this.#askForOther(opened)),
      { ...this.#form(routes.photos.path, (opened) => this.#addPhoto(opened)), takesFile: true },
      this.#page(photoPath, (opened) => this.#sendPicture(opened, 'large')),
      this.#page(`${photoPath}/small`, (opened) => this.#sendPicture(opened, 'small')),
      this.#form(removePhotoPath, (opened) => this.#removePhoto(opened)),
    ]
  }

  #page(below: string, door: OpenedDoor): Route {
    const doors = { GET: this.#open(below, door) }
    return { path: `${receiptPath}*${below}`, doors, options: preflightHeaders }
  }

  #form(below: string, door: OpenedDoor): Route {
    const doors = {
      // A browser may request the address of a form again with GET.
      GET: (ask: Ask) => toReceiptOf(tokenIn(ask, below)),
      POST: this.#parts.limited(this.#open(below, door)),
    }
    return { path: `${receiptPath}*${below}`, doors, options: preflightHeaders }
  }

  #open(below: string, door: OpenedDoor): App {
    return async (ask) => {
      const token = tokenIn(ask, below)
      try {
        const lead = await this.#parts.receipts.leadOf(token)
        return lead === undefined ? await this.#missing(ask) : await door({ ask, token, lead })
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error
        return this.#away(ask)
      }
    }
  }

  async #show({ ask, token, lead }: OpenedReceipt): Promise<Answer> {
    const { receipts, site } = this.#parts
    const { receipt, hasMet } = await receipts.read(lead, token)
    if (!wantsPage(ask)) return asData(ask, receipt)
    const main = receiptMain(receipt, site.business, { hasMet })
    return secretPage(site, ask, { title: `Request ${receipt.reference}`, main })
  }

  async #withdraw(opened: OpenedReceipt): Promise<Answer> {
    const { store, now } = this.#parts
    const act = { leadId: opened.lead.id, at: now() }
    return this.#afterwards(opened, await actAsSender(store, 'withdraw', act))
  }

  /** Erases only this lead, because the token proves nothing about other leads of the person. */
  async #erase(opened: OpenedReceipt): Promise<Answer> {
    const { store, now } = this.#parts
    const act = { leadId: opened.lead.id, at: now() }
    return this.#afterwards(opened, await actAsSender(store, 'erase', act))
  }

  /** Refuses what would have to be cut. */
  async #askForOther(opened: OpenedReceipt): Promise<Answer> {
    const { store, now } = this.#parts
    const words = wordsIn(opened.ask)
    const problem = problemOf(words)
    if (problem !== undefined) return this.#refuseWords(opened, { words, problem })
    const outcome = await actOn(store, opened.lead.id, askForAnotherTime(words, { at: now() }))
    return this.#afterwards(opened, outcome.kind === 'done' ? outcome.lead : undefined)
  }

  /** A browser gets its words back, to correct them. */
  async #refuseWords({ ask, token, lead }: OpenedReceipt, wrong: WrongAsking): Promise<Answer> {
    const { receipts, site } = this.#parts
    const { status } = errors.VALIDATION_ERROR
    if (!wantsPage(ask)) return asError(ask, status, wrongWords)
    const { receipt } = await receipts.read(lead, token)
    if (receipt.another_time_url === undefined) return toReceiptOf(token)
    const main = receiptMain(receipt, site.business, { wrong })
    return secretPage(site, ask, { status, title: `Problem: request ${receipt.reference}`, main })
  }

  /** `changed`: the lead as it is now; `undefined` if its state does not allow the act. */
  async #afterwards({ ask, token }: OpenedReceipt, changed: Lead | undefined): Promise<Answer> {
    if (wantsPage(ask)) return toReceiptOf(token)
    if (changed === undefined) return failureAnswer(ask, { error: 'INVALID_TRANSITION' })
    return asData(ask, (await this.#parts.receipts.read(changed, token)).receipt)
  }

  /** Has neither the street nor the address of the receipt, because other people may see a calendar. */
  async #sendVisit({ ask, token, lead }: OpenedReceipt): Promise<Answer> {
    const { receipts, site } = this.#parts
    const { visit_at: visitAt } = (await receipts.read(lead, token)).receipt
    if (visitAt === undefined) {
      if (wantsPage(ask)) return toReceiptOf(token)
      return asError(ask, errors.NOT_FOUND.status, wordsOf(site.business)(noVisit))
    }
    const { reference, stateChangedAt: changedAt, version } = lead
    const { name, contact, asksFor } = site.business
    const what = capital(nounOf(asksFor.one))
    const about = { what, place: '', name, phone: contact.phone, url: `${site.baseUrl}/` }
    const visit = { reference, at: Date.parse(visitAt), changedAt, version, ...about }
    const file = { type: calendarType, name: 'visit.ics', body: writeCalendar([visit], name) }
    return fileAnswer(file, { ...inert(), ...unindexed, ...corsHeaders(ask) })
  }

  async #addPhoto({ ask, token, lead }: OpenedReceipt): Promise<Answer> {
    const { photos, receipts, store } = this.#parts
    const { receipt } = await receipts.read(lead, token)
    const { headers, address, stream } = ask
    if (photos === undefined || stream === undefined)
      return failureAnswer(ask, { error: 'NOT_FOUND' })
    const isClosed = receipt.photos_url === undefined && (receipt.photos ?? []).length < mostPhotos
    if (isClosed) return this.#afterwards({ ask, token, lead }, undefined)
    const asked = { leadId: lead.id, origin: 'sender', memberId: '' } as const
    const taken = await photos.take(asked, { headers, address, stream })
    if (taken.kind !== 'kept') return this.#refusePhoto({ ask, token, lead }, toPhotoFailure(taken))
    const now = (await store.leads.find(lead.id)) ?? lead
    if (wantsPage(ask)) return seeOther(toPhotos(token), 'The photo is there.')
    const answer = (await receipts.read(now, token)).receipt
    // Also one that was there before: an agent finds it at the end.
    const isIt = ({ url }: { url: string }) => url.endsWith(taken.photo.id)
    const all = answer.photos ?? []
    const inOrder = [...all.filter((photo) => !isIt(photo)), ...all.filter(isIt)]
    return asData(ask, { ...answer, photos: inOrder })
  }

  async #refusePhoto({ ask, token, lead }: OpenedReceipt, failure: DoorError): Promise<Answer> {
    const { receipts, site } = this.#parts
    const refused = failureAnswer(ask, failure)
    if (!wantsPage(ask)) return withHeaders(refused, byAccept)
    const { receipt, hasMet } = await receipts.read(lead, token)
    const main = receiptMain(receipt, site.business, { hasMet, wrongPhoto: failure.error })
    const title = `Problem: request ${receipt.reference}`
    return secretPage(site, ask, { status: refused.status, title, main })
  }

  /** Also after photos can no longer be added. */
  async #sendPicture(opened: OpenedReceipt, size: 'large' | 'small'): Promise<Answer> {
    const { store } = this.#parts
    const photo = await this.#findPhoto(opened)
    const hash = size === 'small' ? photo?.smallHash : photo?.hash
    const picture = hash === undefined ? undefined : await store.photos.readPicture(hash)
    return picture === undefined ? noPhotoAnswer(opened) : pictureAnswer(picture)
  }

  async #removePhoto({ ask, token, lead }: OpenedReceipt): Promise<Answer> {
    const { store } = this.#parts
    const photo = await this.#findPhoto({ ask, token, lead })
    if (photo === undefined) return noPhotoAnswer({ ask, token, lead })
    await store.photos.delete(photo)
    if (wantsPage(ask)) return seeOther(toPhotos(token), 'The photo was removed.')
    const now = (await store.leads.find(lead.id)) ?? lead
    return this.#afterwards({ ask, token, lead }, now)
  }

  /** The holder of the receipt sees only what came through it. */
  async #findPhoto({ ask, lead }: OpenedReceipt): Promise<Photo | undefined> {
    const [, , , , id = ''] = ask.path.split('/')
    const photo = await this.#parts.store.photos.find(id)
    return photo?.leadId === lead.id && isOfSender(photo) ? photo : undefined
  }

  /** A 404 with advice about receipts, because a part of the address may have been lost. */
  #missing(ask: Ask): Answer | Promise<Answer> {
    const { site, notFound } = this.#parts
    if (prefersMarkdown(ask.headers.accept)) return notFound(ask)
    const { status } = errors.NOT_FOUND
    if (!wantsPage(ask)) return asError(ask, status, noReceipt)
    const [title, main] = ['No receipt here', noReceiptMain(site.business)]
    return secretPage(site, ask, { status, title, main })
  }

  #away(ask: Ask): Answer | Promise<Answer> {
    const error = 'LOOKUP_UNAVAILABLE'
    if (!wantsPage(ask)) return failureAnswer(ask, { error, waitS: retryAfterS })
    const { status } = errors[error]
    const headers = retryAfter(retryAfterS)
    return secretPage(this.#parts.site, ask, { status, ...awayPage, headers })
  }
}

const awayTitle = 'Please come back in a moment'
const awayPage = {
  title: awayTitle,
  main: html`<h1>${awayTitle}</h1>
<p>I can't look this up just now. What I received is safe. Wait ${retryAfterS} seconds, then open this page again.</p>
<p>If it is urgent, ring me.</p>
`,
}

function problemOf(words: string): WrongAsking['problem'] | undefined {
  if (words === '') return 'missing'
  return isLongerThan(words, longestAsking) ? 'too long' : undefined
}

/** Reads the field `words` of a form or of a JSON object; '' if there is none. */
function wordsIn({ body, headers }: Ask): string {
  // The start of a body above the limit is enough to see that the words are too long.
  const bytes = Buffer.isBuffer(body) ? body : body.start
  const isJson = mediaType(headers['content-type']) === 'application/json'
  if (!isJson && hasTooManyPairs(bytes)) return ''
  const sent = isJson ? readJson(bytes)?.value : Object.fromEntries(readForm(bytes))
  const words = (sent as { words?: unknown } | null | undefined)?.words
  return typeof words === 'string' ? normaliseText(words) : ''
}

function tokenIn({ path }: Ask, below: string): string {
  const rest = path.slice(receiptPath.length)
  return below === '' ? rest : rest.slice(0, rest.indexOf('/'))
}

function toReceiptOf(token: string): Answer {
  return seeOther(receiptPath + token, 'The receipt shows what has become of the request.')
}

function noPhotoAnswer({ ask, token }: OpenedReceipt): Answer {
  return wantsPage(ask) ? toReceiptOf(token) : asError(ask, errors.NOT_FOUND.status, noPhoto)
}

/** Opens the page where its reader was. */
function toPhotos(token: string): string {
  return `${receiptPath}${token}#photos`
}

const byAccept: Headers = { Vary: 'Accept' }

function asData(ask: Ask, receipt: Receipt): Answer {
  return withHeaders(jsonAnswer(200, receipt), { ...byAccept, ...unindexed, ...corsHeaders(ask) })
}

function asError(ask: Ask, status: number, envelope: ErrorEnvelope): Answer {
  return withHeaders(jsonAnswer(status, envelope), { ...byAccept, ...corsHeaders(ask) })
}

type SecretPage = { status?: number; title: string; main: Html; headers?: Headers }

/** Only one person knows the address, so the page has no canonical link and is never cached. */
function secretPage(site: Site, ask: Ask, page: SecretPage): Promise<Answer> {
  const { status = 200, title, main, headers = unindexed } = page
  const body = site.show({
    path: undefined,
    title,
    description: title,
    main,
    scripts: [formScript],
  })
  return personalPage(site, ask, { status, body, cacheControl: 'no-store', headers })
}
