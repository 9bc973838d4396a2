/** Serves the sender's receipt, and lets the sender withdraw or erase the lead, or ask for another time. */
import { isLongerThan, normaliseText } from '../contract/check-fields.ts'
import { errors, noReceipt, noVisit, wrongWords, type ErrorEnvelope } from '../contract/errors.ts'
import { longestAsking, retryAfterS } from '../contract/limits.ts'
import { farNote, toReceipt, type Receipt } from '../contract/receipt.ts'
import { routes } from '../contract/routes.ts'
import { capital, nounOf, wordsOf } from '../contract/wording.ts'
import { lastMet, overdueAt, seenVisit } from '../contract/visit.ts'
import { writeCalendar } from '../desk/calendar.ts'
import { html, type Html } from '../html.ts'
import { hasTooManyPairs, mediaType, readForm, readJson } from '../http/body.ts'
import { calendarType, fileAnswer, jsonAnswer, retryAfter, seeOther } from '../http/answers.ts'
import { withHeaders, type Answer, type App, type Ask, type Headers } from '../http/message.ts'
import type { Route } from '../http/router.ts'
import type { LeadIds } from '../lead/ids.ts'
import { actAsSender, actOn } from '../lead/act.ts'
import { askForAnotherTime, isOpen } from '../lead/life.ts'
import { noReceiptMain, receiptMain, type WrongAsking } from '../site/receipt-page.ts'
import type { Site } from '../site/site.ts'
import { StorageUnavailable } from '../store/engine/engine.ts'
import { readEvents, type LeadEvent } from '../store/leads/events.ts'
import type { Lead } from '../store/leads/rows.ts'
import type { Store } from '../store/store.ts'
import { dateInWords } from '../time.ts'
import { corsHeaders, preflightHeaders, prefersMarkdown, wantsPage } from './clients.ts'
import { formScript, personalPage } from './form-pages.ts'
import { failureAnswer } from './outcomes.ts'
import { unindexed } from './pages.ts'

type ReceiptParts = {
  site: Site
  store: Store
  leadIds: LeadIds
  limited: (door: App) => App
  notFound: App
  now: () => number
}

const { path: receiptPath } = routes.receipt

/** Returns the lead as it is afterwards; `undefined` if its state does not allow the act. */
type Act = (leadId: string, ask: Ask) => Promise<Lead | undefined>

type ReadReceipt = { receipt: Receipt; hasMet: boolean }

export type Receipts = {
  routes: Route[]
  find: (token: string) => Promise<Receipt | undefined>
}

export function createReceipts(parts: ReceiptParts): Receipts {
  const { site, store, leadIds, limited, notFound, now } = parts
  const options = preflightHeaders
  const formDoors = (act: Act) => ({
    // A browser may request the address of a form again with GET.
    GET: (ask: Ask) => toReceiptOf(tokenIn(ask)),
    POST: limited(or503(site, (ask) => change(ask, act))),
  })
  return {
    routes: [
      { path: `${receiptPath}*`, doors: { GET: or503(site, showReceipt) }, options },
      { path: `${receiptPath}*${routes.withdraw.path}`, doors: formDoors(withdraw), options },
      { path: `${receiptPath}*${routes.erase.path}`, doors: formDoors(erase), options },
      {
        path: `${receiptPath}*${routes.anotherTime.path}`,
        doors: { ...formDoors(askForOther), POST: limited(or503(site, askInWords)) },
        options,
      },
      {
        path: `${receiptPath}*${routes.visitFile.path}`,
        doors: { GET: or503(site, showVisitFile) },
        options,
      },
    ],
    find,
  }

  async function find(token: string): Promise<Receipt | undefined> {
    const lead = await leadOf(token)
    return lead && receiptOf(lead, token)
  }

  async function showReceipt(ask: Ask): Promise<Answer> {
    const token = ask.path.slice(receiptPath.length)
    const lead = await leadOf(token)
    if (lead === undefined) return missing(ask)
    const { receipt, hasMet } = await readReceipt(lead, token)
    if (!wantsPage(ask)) return asData(ask, receipt)
    const main = receiptMain(receipt, site.business, { hasMet })
    return secretPage(site, ask, { title: `Request ${receipt.reference}`, main })
  }

  async function change(ask: Ask, act: Act): Promise<Answer> {
    const token = tokenIn(ask)
    const lead = await leadOf(token)
    if (lead === undefined) return missing(ask)
    const changed = await act(lead.id, ask)
    if (wantsPage(ask)) return toReceiptOf(token)
    if (changed !== undefined) return asData(ask, await receiptOf(changed, token))
    return failureAnswer(ask, { error: 'INVALID_TRANSITION' })
  }

  function withdraw(leadId: string): Promise<Lead | undefined> {
    return actAsSender(store, 'withdraw', { leadId, at: now() })
  }

  /** Erases only this lead, because the token proves nothing about other leads of the person. */
  function erase(leadId: string): Promise<Lead | undefined> {
    return actAsSender(store, 'erase', { leadId, at: now() })
  }

  /** Refuses what would have to be cut. A browser gets its words back, to correct them. */
  async function askInWords(ask: Ask): Promise<Answer> {
    const token = tokenIn(ask)
    const receipt = await find(token)
    if (receipt === undefined) return missing(ask)
    const words = wordsIn(ask)
    const problem = problemOf(words)
    if (problem === undefined) return change(ask, askForOther)
    if (!wantsPage(ask)) return asError(ask, errors.VALIDATION_ERROR.status, wrongWords)
    if (receipt.another_time_url === undefined) return toReceiptOf(token)
    const { status } = errors.VALIDATION_ERROR
    const main = receiptMain(receipt, site.business, { wrong: { words, problem } })
    return secretPage(site, ask, { status, title: `Problem: request ${receipt.reference}`, main })
  }

  async function askForOther(leadId: string, ask: Ask): Promise<Lead | undefined> {
    const outcome = await actOn(store, leadId, askForAnotherTime(wordsIn(ask), { at: now() }))
    return outcome.kind === 'done' ? outcome.lead : undefined
  }

  /** Has neither the street nor the address of the receipt, because other people may see a calendar. */
  async function showVisitFile(ask: Ask): Promise<Answer> {
    const token = tokenIn(ask)
    const lead = await leadOf(token)
    if (lead === undefined) return missing(ask)
    const { visit_at: visitAt } = await receiptOf(lead, token)
    if (visitAt === undefined) {
      if (wantsPage(ask)) return toReceiptOf(token)
      return asError(ask, errors.NOT_FOUND.status, wordsOf(site.business)(noVisit))
    }
    const { reference, stateChangedAt: changedAt, version } = lead
    const { name, contact, asksFor } = site.business
    const what = capital(nounOf(asksFor.one))
    const about = { what, place: '', name, phone: contact.phone, url: `${site.baseUrl}/` }
    const visit = { reference, at: Date.parse(visitAt), changedAt, version, ...about }
    const file = {
      type: calendarType,
      name: 'visit.ics',
      body: writeCalendar([visit], name),
    }
    return fileAnswer(file, { ...unindexed, ...corsHeaders(ask) })
  }

  /** A 404 with advice about receipts, because a part of the address may have been lost. */
  function missing(ask: Ask): Answer | Promise<Answer> {
    if (prefersMarkdown(ask.headers.accept)) return notFound(ask)
    const { status } = errors.NOT_FOUND
    if (!wantsPage(ask)) return asError(ask, status, noReceipt)
    const [title, main] = ['No receipt here', noReceiptMain(site.business)]
    return secretPage(site, ask, { status, title, main })
  }

  async function receiptOf(lead: Lead, token: string): Promise<Receipt> {
    return (await readReceipt(lead, token)).receipt
  }

  async function readReceipt(lead: Lead, token: string): Promise<ReadReceipt> {
    const { timeZone } = site.business
    const say = wordsOf(site.business)
    const note = farNote(lead.values.postcode, site.business)
    const visit = seenVisit(lead)
    const booked =
      visit && `${say('Consultation booked')}: ${dateInWords(visit.at, timeZone, now())}.`
    const [events = []] = isOpen(lead) ? await store.leads.eventsOf([lead]) : []
    const met = lastMet(lead, readEvents(events), now())
    const receipt = toReceipt(lead, site.baseUrl + receiptPath + token, {
      note,
      booked: booked ?? '',
      metAt: met && overdueAt(met),
      mayAsk: visit !== undefined && mayAsk(lead, events, now()),
    })
    return { receipt: { ...receipt, message: say(receipt.message) }, hasMet: met !== undefined }
  }

  /** Throws while another node may still have the lead: this installation made the token, so it exists. */
  async function leadOf(token: string): Promise<Lead | undefined> {
    const id = leadIds.readToken(token)
    if (id === undefined) return undefined
    const lead = await store.leads.find(id)
    if (lead !== undefined) return lead
    if (store.leads.mayWaitElsewhere(id, now())) throw new StorageUnavailable('journaled')
    return undefined
  }
}

/** Asks the rule itself. `already` also counts: the button was pressed twice. */
function mayAsk(lead: Lead, events: readonly LeadEvent[], at: number): boolean {
  return askForAnotherTime('', { at })(lead, { events }).kind !== 'illegal'
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

function tokenIn({ path }: Ask): string {
  return path.slice(receiptPath.length, path.lastIndexOf('/'))
}

function toReceiptOf(token: string): Answer {
  return seeOther(receiptPath + token, 'The receipt shows what has become of the request.')
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
  const body = site.show({ path: undefined, title, description: title, main, script: formScript })
  return personalPage(site, ask, { status, body, cacheControl: 'no-store', headers })
}

function or503(site: Site, door: (ask: Ask) => Promise<Answer>): App {
  const away = { error: 'LOOKUP_UNAVAILABLE', waitS: retryAfterS } as const
  const { status } = errors[away.error]
  const headers = retryAfter(retryAfterS)
  const title = 'Please come back in a moment'
  const main = html`<h1>${title}</h1>
<p>I can't look this up just now. What I received is safe. Wait ${retryAfterS} seconds, then open this page again.</p>
<p>If it is urgent, ring me.</p>
`
  return async (ask) => {
    try {
      return await door(ask)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      if (!wantsPage(ask)) return failureAnswer(ask, away)
      return secretPage(site, ask, { status, title, main, headers })
    }
  }
}
