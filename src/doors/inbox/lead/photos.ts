/** The photos of a request: the strip on its page, the page of each, and adding and removing those of members. */
import { mostPhotos } from '../../../contract/limits.ts'
import { errors } from '../../../contract/errors.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { type NameOf } from '../../../desk/words.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { retryAfter } from '../../../http/answers.ts'
import { withHeaders, type Answer } from '../../../http/message.ts'
import { photoForm, photoProblem, photosScript } from '../../../site/photos.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { isShown, type Photo } from '../../../store/photos/photos.ts'
import { dayAndMonth, minuteMs, partsOf } from '../../../time.ts'
import { isJsonClient } from '../../clients.ts'
import { pictureAnswer, toPhotoFailure } from '../../photo-answers.ts'
import { goOn, missing, scriptAnswer, showPage, showWhole } from '../frame/answers.ts'
import { sentFields, type SignedInCaller } from '../frame/inbox.ts'
import { rowsOptions } from '../frame/rows.ts'
import { withoutControls } from '../frame/words.ts'
import { actPath, leadIdIn, leadPath, paths, leadPhotoPath, picturePath } from '../paths.ts'

/** `words`: what a screen reader says in place of the picture. */
type ShownPhoto = Photo & { words: string }

const stripId = 'photos'

/** For so long the page offers to bring back a photo that was just removed. */
const undoMs = 10 * minuteMs

/** The photos of the request and of those that are joined with it, in the order in which they came. */
export async function photoStrip(caller: SignedInCaller, whole: WholeLead): Promise<Html> {
  const { inbox } = caller
  const { lead } = whole
  if (lead.state === 'erased') return noHtml
  const leads = [lead, ...whole.joined.map((each) => each.lead)]
  const all = await inbox.store.photos.of(leads)
  const shown = withWords(all.filter(isShown), leads, await rowsOptions(caller))
  const removed = all.find(({ removedAt = 0 }) => inbox.now() - removedAt < undoMs)
  const own = shown.filter(({ leadId, origin }) => leadId === lead.id && origin === 'member')
  const form = photoForm({
    path: actPath(lead.id, 'photos'),
    room: mostPhotos - own.length,
    reloads: true,
  })
  const adding = html`<details>
<summary>Add photos</summary>
${form}</details>
`
  const list = html`<h2>Photos</h2>
<ul class="strip plain">
${shown.map(stripItem)}</ul>
`
  return html`<section id="${stripId}" aria-label="Photos">
${shown.length === 0 ? '' : list}${removed ? undoPart(removed) : ''}${inbox.photos ? adding : ''}</section>
`
}

function stripItem({ id, leadId, words }: ShownPhoto): Html {
  return html`<li><a href="${leadPhotoPath(leadId, id)}" id="${itemId(id)}">
<img src="${picturePath(id, 'small')}" alt="${words}" loading="lazy"></a></li>
`
}

function itemId(photoId: string): string {
  return `photo-${photoId}`
}

function undoPart({ id, leadId }: Photo): Html {
  return html`<form class="row" method="post" action="${actPath(leadId, 'remove-photo')}">
<p role="status">The photo was removed.</p>
<input type="hidden" name="photo" value="${id}">
<button type="submit" class="quiet" name="undo" value="yes">Undo</button>
</form>
`
}

type WordsOptions = { now: number; timeZone: string; nameOf: NameOf }

/** "Photo 2 of 3, from Wendy, 2 Nov". */
function withWords(
  photos: readonly Photo[],
  leads: readonly Lead[],
  { now, timeZone, nameOf }: WordsOptions,
): ShownPhoto[] {
  const senderOf = (leadId: string) => leads.find(({ id }) => id === leadId)?.values.name ?? ''
  return photos.map((photo, index) => {
    const { origin, leadId, memberId, at } = photo
    const by =
      origin === 'member'
        ? `by ${nameOf(memberId).replace(/^You$/, 'you')}`
        : `from ${withoutControls(senderOf(leadId))}`
    const day = dayAndMonth(partsOf(at, timeZone, now))
    return { ...photo, words: `Photo ${index + 1} of ${photos.length}, ${by}, ${day}` }
  })
}

/** One photo as large as the screen. The script photos.js adds the arrow keys. */
export async function showPhoto(caller: SignedInCaller): Promise<Answer> {
  const { inbox, ask } = caller
  const photo = await inbox.store.photos.find(ask.path.slice(ask.path.lastIndexOf('/') + 1))
  const isOfPath = photo !== undefined && isShown(photo) && photo.leadId === leadIdIn(ask.path)
  if (!isOfPath) return showPage(caller, missing)
  const whole = await readShown(caller, photo.leadId)
  if (whole === undefined) return showPage(caller, missing)
  const index = whole.photos.findIndex(({ id }) => id === photo.id)
  const shown = whole.photos[index]!
  const back = html`<a href="${leadPath(whole.leadId)}#${itemId(photo.id)}">Back to the request</a>`
  const main = html`<p class="back">${back}</p>
<h1 class="unseen">${shown.words}</h1>
<p class="large-photo"><img src="${picturePath(photo.id, 'large')}" alt="${shown.words}"
  width="${photo.width}" height="${photo.height}"></p>
<nav class="turn" aria-label="Photos">${turn('prev', whole.photos[index - 1])}
<span>${shown.words}</span>
${turn('next', whole.photos[index + 1])}</nav>
${photo.origin === 'member' ? removeForm(photo) : ''}${photosScript}`
  return showWhole(caller, { title: shown.words, main })
}

function turn(rel: 'prev' | 'next', photo: Photo | undefined): Html {
  const words = rel === 'prev' ? 'Previous' : 'Next'
  if (photo === undefined)
    return html`<span class="button quiet none" aria-hidden="true">${words}</span>`
  return html`<a class="button quiet" rel="${rel}" href="${leadPhotoPath(photo.leadId, photo.id)}">${words}</a>`
}

function removeForm({ id, leadId }: Photo): Html {
  return html`<form class="end" method="post" action="${actPath(leadId, 'remove-photo')}">
<input type="hidden" name="photo" value="${id}">
<button type="submit" class="plain">Remove this photo</button>
</form>
`
}

async function readShown(caller: SignedInCaller, ofLeadId: string) {
  const { store } = caller.inbox
  const of = await store.leads.find(ofLeadId)
  const leadId = of?.joinedTo || ofLeadId
  const lead = leadId === ofLeadId ? of : await store.leads.find(leadId)
  if (lead === undefined || lead.state === 'erased') return undefined
  const { joined } = await store.leads.historyOf(lead)
  const photos = await store.photos.of([lead, ...joined])
  const options = await rowsOptions(caller)
  return { leadId, photos: withWords(photos.filter(isShown), [lead, ...joined], options) }
}

/** The bytes of a photo. */
export async function sendPicture(caller: SignedInCaller): Promise<Answer> {
  const { store } = caller.inbox
  const [size, id = ''] = caller.ask.path.slice(paths.pictures.length).split('/')
  const photo = await store.photos.find(id)
  if (photo === undefined) return showPage(caller, missing)
  const picture = await store.photos.readPicture(size === 'small' ? photo.smallHash : photo.hash)
  return picture === undefined ? showPage(caller, missing) : pictureAnswer(picture)
}

/** The script gets JSON, and a form its page. */
export async function addPhoto(caller: SignedInCaller): Promise<Answer> {
  const { inbox, ask, member } = caller
  const leadId = leadIdIn(ask.path)
  const { stream, headers, address } = ask
  if (leadId === '' || stream === undefined || inbox.photos === undefined)
    return showPage(caller, missing)
  const asked = { leadId, origin: 'member', memberId: member.id } as const
  const taken = await inbox.photos.take(asked, { stream, headers, address })
  if (taken.kind === 'kept') {
    return isJsonClient(ask)
      ? scriptAnswer(200, { url: leadPhotoPath(leadId, taken.photo.id) })
      : goOn(caller, 'photo added', `${leadPath(leadId)}#${stripId}`)
  }
  const { error, waitS } = toPhotoFailure(taken)
  const { status } = errors[error]
  if (isJsonClient(ask)) {
    const answer = scriptAnswer(status, { say: photoProblem(error) })
    return waitS === undefined ? answer : withHeaders(answer, retryAfter(waitS))
  }
  const back = html`<a href="${leadPath(leadId)}#${stripId}">Back to the request</a>`
  return showPage(caller, {
    status,
    title: 'The photo was not added',
    back,
    main: html`<p>${photoProblem(error)}</p>`,
  })
}

/** Only photos of members: what the customer sent is erased with the request. */
export async function removePhoto(caller: SignedInCaller): Promise<Answer> {
  const { inbox, ask } = caller
  const field = sentFields(caller)
  const leadId = leadIdIn(ask.path)
  const photo = await inbox.store.photos.find(field('photo'))
  if (photo?.leadId !== leadId || photo.origin !== 'member') return showPage(caller, missing)
  const isUndo = field('undo') !== ''
  await inbox.store.photos.setRemoved(photo, isUndo ? undefined : inbox.now())
  return goOn(
    caller,
    isUndo ? 'photo brought back' : 'photo removed',
    `${leadPath(leadId)}#${stripId}`,
  )
}
