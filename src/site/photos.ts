/** Adding photos, as the receipt, the thanks page and the inbox show it, and the words for what went wrong. */
import type { ErrorCode } from '../contract/errors.ts'
import { mostPhotos } from '../contract/limits.ts'
import { photoFormats, photoSize, photoTypes, pictureSize } from '../contract/photos.ts'
import { html, type Html } from '../html.ts'

/** Improves the form, and turns the pages of photos. It is loaded only where one of them is. */
export const photosScript = html`<script type="module" src="/photos.js"></script>
`

const problems: Partial<Record<ErrorCode, string>> = {
  PHOTO_TOO_LARGE: `That photo is too large to be read here: at most ${photoSize} and ${pictureSize}. Please send a smaller copy, or a screenshot of it.`,
  PHOTO_TYPE: `That is no photo that can be read here. Please choose a ${photoFormats} file.`,
  PHOTO_HEIC:
    'That photo is in the HEIC format, which cannot be read here. Choose it from the photo library of the iPhone, which converts it, or save it as JPEG.',
  PHOTO_UNREADABLE:
    'That photo could not be read: its file is damaged or incomplete. Please choose it again, or send a screenshot of it.',
  SEVERAL_PHOTOS: 'Please send one photo at a time. None of these was kept.',
  ENOUGH_PHOTOS: `There are ${mostPhotos} photos already. Remove one to add another.`,
  NO_ROOM_FOR_PHOTOS: 'There is no room for more photos here just now. Please send them by email.',
  PHOTOS_BUSY: 'Many photos are coming in just now. Please send it again in a minute.',
  RATE_LIMITED:
    'These are more photos than I can take from one place in a day. Please send the rest by email.',
  INVALID_TRANSITION: 'This request takes no more photos. Load the page again to see why.',
}

const otherProblem = 'The photo did not arrive. Please send it again.'

export function photoProblem(error: ErrorCode): string {
  return problems[error] ?? otherProblem
}

/** For the script, which gets the codes. */
const problemsAsData = JSON.stringify({ ...problems, other: otherProblem })

type PhotoForm = {
  /** Where the photos are sent to. */
  path: string
  /** How many more there may be. */
  room: number
  /** With the script, the page is loaded again when all are sent. */
  reloads?: boolean
}

/** Sends one photo at a time; with the script photos.js several, each shown as it goes. */
export function photoForm({ path, room, reloads = false }: PhotoForm): Html {
  if (room <= 0)
    return html`<p class="small">That is all ${mostPhotos} photos. Remove one to add another.</p>
`
  const most = room === 1 ? 'one more' : `up to ${room}`
  return html`<form class="add-photos" method="post" action="${path}" enctype="multipart/form-data"
  data-photos="${room}" data-there="${mostPhotos - room}"
  data-words="${problemsAsData}"${reloads ? html` data-after="reload"` : ''}>
<label for="photo">Add photos <span>(${most}; ${photoFormats}, ${photoSize} each)</span></label>
<input type="file" id="photo" name="photo" accept="${photoTypes}" required>
<button type="submit" class="quiet">Send the photo</button>
<ul class="sending strip plain"></ul>
<p class="told small" role="status" tabindex="-1"></p>
</form>
${photosScript}`
}
