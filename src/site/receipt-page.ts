/** What a customer sees of a request: the receipt, and the reference on the thanks page. */
import type { Business } from '../contract/business.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { longestAsking, mostPhotos } from '../contract/limits.ts'
import { otherStays, type Receipt } from '../contract/receipt.ts'
import { receiptRoad, type ReceiptStatus } from '../contract/states.ts'
import { privacyPath, routes } from '../contract/routes.ts'
import { wordsOf } from '../contract/wording.ts'
import { html, type Html, noHtml } from '../html.ts'
import { inFullWords } from '../time.ts'
import { inThousands } from '../words.ts'
import { photoForm, photoProblem } from './photos.ts'
import { askParagraph } from './ring.ts'

/** Words for another time that cannot be used. The page shows them again, to be corrected. */
export type WrongAsking = { words: string; problem: 'missing' | 'too long' }

/** `hasMet`: whether a visit has taken place. */
type ReceiptOptions = { hasMet?: boolean; wrong?: WrongAsking; wrongPhoto?: ErrorCode }

export function receiptMain(
  receipt: Receipt,
  business: Business,
  { hasMet = false, wrong, wrongPhoto }: ReceiptOptions = {},
): Html {
  const { status, withdraw_url: withdrawUrl, erase_url: eraseUrl } = receipt
  const say = wordsOf(business)
  const stays = status === 'joined' ? ` ${otherStays}` : ''
  const withdrawForm = withdrawUrl ? inTwoClicks(withdrawUrl, withdrawal(business, stays)) : ''
  const again = status === 'withdrawn' ? askAgain(business) : ''
  const eraseForm = eraseUrl ? inTwoClicks(eraseUrl, erasing(stays)) : ''
  return html`<h1>${say('Your Consultation request')}</h1>
${receipt.visit_at ? visitPart(receipt, business, wrong) : messagePart(receipt, business)}
<div class="reference"><p>Your reference <strong>${receipt.reference}</strong></p>
${status === 'erased' ? '' : sayIt}</div>
<ol class="progress">
${stepItems(receipt, business, hasMet)}</ol>
${photosPart(receipt, wrongPhoto)}${withdrawForm}${again}${eraseForm}`
}

/** What the customer sent, and the form for more. */
function photosPart({ photos = [], photos_url: url }: Receipt, wrong?: ErrorCode): Html {
  if (photos.length === 0 && url === undefined) return noHtml
  const items = photos.map(({ url: photo, remove_url: remove }, index) => {
    const words = `Photo ${index + 1} of ${photos.length}`
    const path = new URL(photo).pathname
    return html`<li><a href="${path}">
<img src="${path}/small" alt="${words}, from you" loading="lazy"></a>
<form method="post" action="${new URL(remove).pathname}">
<button class="quiet" type="submit" aria-label="Remove ${words}">Remove</button></form></li>
`
  })
  const list = html`<ul class="strip plain">
${items}</ul>
`
  const problem = html`<p class="problem" role="alert" tabindex="-1">${wrong ? photoProblem(wrong) : ''}</p>
`
  const form = url
    ? photoForm({ path: new URL(url).pathname, room: mostPhotos - photos.length })
    : ''
  return html`<section id="photos">
<h2>Photos</h2>
${wrong ? problem : ''}${photos.length > 0 ? list : ''}${form}</section>
`
}

function messagePart({ status, message }: Receipt, { answers }: Business): Html {
  const isWaiting = status === 'received' && answers !== undefined
  return html`<p>${message}</p>${isWaiting ? html`\n<p>${answers}</p>` : ''}`
}

function visitPart(receipt: Receipt, { timeZone }: Business, wrong?: WrongAsking): Html {
  const { message, calendar_url: calendarUrl, asked_at: askedAt } = receipt
  return html`<p><strong>${message}</strong></p>
${askedAt ? askedOn(askedAt, timeZone) : ''}${calendarUrl ? saveLink(calendarUrl) : ''}
${askedAt && !wrong ? '' : anotherTimeForm(receipt.another_time_url, wrong)}`
}

function askedOn(askedAt: string, timeZone: string): Html {
  const when = inFullWords(Date.parse(askedAt), timeZone)
  return html`<p>You asked on ${when}. If it is urgent, please ring me.</p>
`
}

function saveLink(url: string): Html {
  return html`<p><a class="button" href="${new URL(url).pathname}">Add to calendar</a></p>`
}

function anotherTimeForm(url: string | undefined, wrong?: WrongAsking): Html {
  if (url !== undefined) return askForm(url, wrong)
  return html`<p>If the time no longer suits you, please ring me.</p>`
}

const problems: Record<WrongAsking['problem'], string> = {
  missing: 'Please tell me which days and hours suit you.',
  'too long': `That is too long. Please keep it to ${inThousands(longestAsking)} characters.`,
}

function askForm(url: string, wrong?: WrongAsking): Html {
  const problem = wrong
    ? html`<p class="problem" id="words-problem" role="alert">${problems[wrong.problem]}</p>
`
    : ''
  const invalid = wrong
    ? html` aria-invalid="true" aria-describedby="words-problem" autofocus`
    : noHtml
  // HTML parsers drop a newline at the start of a textarea, so one is added before the words.
  return html`<details${wrong ? html` open` : ''}>
<summary>Another time, please</summary>
<form method="post" action="${new URL(url).pathname}">
<div class="field">
<label for="words">Which days and hours suit you?</label>
<p class="hint">The booked time stays until I answer.</p>
${problem}<textarea id="words" name="words" rows="4" maxlength="${longestAsking}" required${invalid}>
${wrong?.words ?? ''}</textarea>
</div>
<p><button type="submit">Ask for another time</button></p>
</form>
</details>`
}

export type SentRequest = { reference: string; url: string }

/** The link by which a customer emails photos to the owner. */
export function photosLink(reference: string, owner: string) {
  return { words: 'Send me photos by email', href: `mailto:${owner}?subject=${reference}` }
}

/** The script thanks.js makes "Copy the link" visible. */
export function thanksReference(
  { reference, url }: SentRequest,
  business: Business,
  canAddPhotos: boolean,
): Html {
  const say = wordsOf(business)
  const subject = encodeURIComponent(`${say('Consultation request')} ${reference}`)
  const body = encodeURIComponent(`Reference: ${reference}\r\nReceipt: ${url}\r\n`)
  const byMail = photosLink(reference, business.contact.email)
  const photos = canAddPhotos
    ? photoForm({ path: `${new URL(url).pathname}${routes.photos.path}`, room: mostPhotos })
    : html`<p><a href="${byMail.href}">${byMail.words}</a></p>
`
  return html`<div class="reference"><p>Your reference <strong>${reference}</strong></p>
<p><a class="button" href="${new URL(url).pathname}">See your request</a></p>
<p class="keep">
<a href="mailto:?subject=${subject}&body=${body}">Email the link to yourself</a>
<button class="quiet" type="button" hidden data-copy="${url}">Copy the link</button>
</p>
<p class="small">Keep that link to yourself: anyone who has it can see, withdraw or erase the request.</p>
${photos}</div>`
}

export function noReceiptMain({ contact: { email } }: Business): Html {
  return html`<h1>No receipt here</h1>
<p>There is no request at this address. Part of the link may be missing: please check that you have all of it, to the last character.</p>
<p>If you saw a reference, your request is safe with me. Ring me or write to <a href="mailto:${email}">${email}</a> with the reference or your name, and I'll look it up.</p>
`
}

const sayIt = html`<p class="small">Mention it when you ring or write to me, and I'll know which request you mean.</p>`

const titles: Record<ReceiptStatus, string> = {
  received: 'Received',
  contacted: 'I have been in touch',
  consultation_booked: 'Consultation booked',
  met: 'We have met',
  working_on_it: 'I am working on it',
  going_ahead: 'Going ahead',
  joined: 'Put together with another request',
  closed: 'Closed',
  withdrawn: 'Withdrawn',
  erased: 'Details erased',
}

/** What a receipt says is still to come: the road that everybody goes. */
const titlesAhead: Partial<Record<ReceiptStatus, string>> = {
  contacted: 'I get in touch',
  consultation_booked: 'A time is set for your Consultation',
}

function stepItems(receipt: Receipt, business: Business, hasMet: boolean): Html[] {
  const { timeZone } = business
  const { status } = receipt
  const say = wordsOf(business)
  const statuses = stepsTo(status, hasMet)
  const now = statuses.indexOf(status)
  return statuses.map((each, index) => {
    if (index > now) {
      const title = say(titlesAhead[each] ?? titles[each])
      return html`<li class="ahead"><strong>${title}</strong><span>still to come</span></li>`
    }
    const when = timeOf(stepTime(receipt, index, index === now), timeZone)
    const place = index === now ? html`class="now" aria-current="step"` : html`class="done"`
    return html`<li ${place}><strong>${say(titles[each])}</strong>${when}</li>`
  })
}

/** `undefined`: the step is shown without a time. */
function stepTime(receipt: Receipt, index: number, isNow: boolean): string | undefined {
  const { status, received_at, changed_at, visit_at } = receipt
  if (index === 0) return received_at
  if (!isNow) return undefined
  // When the owner pressed the button is left out: it would look like the time of the appointment.
  const isVisit = status === 'consultation_booked' || status === 'met'
  return isVisit ? visit_at : changed_at
}

function timeOf(at: string | undefined, timeZone: string): Html | '' {
  if (at === undefined) return ''
  const words = inFullWords(Date.parse(at), timeZone)
  return html`<span><time datetime="${at}">${words}</time></span>`
}

/** The road with the visit, or the meeting in its place; what only some come to, while they are there. */
function stepsTo(status: ReceiptStatus, hasMet: boolean): readonly ReceiptStatus[] {
  const isForAll = (each: ReceiptStatus) => each === 'received' || titlesAhead[each] !== undefined
  const road = receiptRoad
    .filter((each) => each === status || isForAll(each))
    .filter((each) => each !== 'consultation_booked' || isForAll(status) || hasMet)
    .map((each) => (each === 'consultation_booked' && hasMet ? 'met' : each))
  return road.includes(status) ? road : ['received', status]
}

type FormWords = { summary: string; words: Html; button: string }

/** The form is hidden until its summary is clicked, so that nobody sends it by accident. */
function inTwoClicks(url: string, { summary, words, button }: FormWords): Html {
  return html`<details>
<summary>${summary}</summary>
<p>${words}</p>
<form method="post" action="${new URL(url).pathname}"><button class="quiet" type="submit">${button}</button></form>
</details>
`
}

function withdrawal({ asksFor }: Business, stays: string): FormWords {
  return {
    summary: 'Withdraw this request',
    words: html`If you no longer want ${asksFor.one}, you can withdraw your request. I will not contact you about it, and this cannot be undone.${stays} I keep your details as my <a href="${privacyPath}">privacy page</a> says, unless you erase them.`,
    button: 'Yes, withdraw it',
  }
}

function erasing(stays: string): FormWords {
  const [what, about] =
    stays === ''
      ? ['Everything you sent', '']
      : ['Everything you sent with this request', ' about it']
  return {
    summary: 'Erase my details',
    words: html`${what} is erased at once, along with my notes. I cannot contact you${about} after that, and this cannot be undone.${stays} I keep only the reference and the times.`,
    button: 'Yes, erase my details',
  }
}

function askAgain(business: Business): Html {
  return html`<p>Changed your mind? You can ask again at any time.</p>
${askParagraph(business, 'Ask again')}<p>I keep your details as my <a href="${privacyPath}">privacy page</a> says, unless you erase them.</p>
`
}
