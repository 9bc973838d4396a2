/** What the doors of photos share: pictures as answers, and why a photo was not taken. */
import type { ErrorCode } from '../contract/errors.ts'
import { answerOf, inert, uncached, type Policy } from '../http/answers.ts'
import type { Answer } from '../http/message.ts'
import type { PhotoRefusal, TakenPhoto } from '../lead/photos/taking.ts'
import type { DoorError } from './outcomes.ts'

const picturePolicy: Policy = {
  ...inert('sandbox; '),
  ...uncached,
  'Cache-Control': 'private, no-store',
  'Content-Disposition': 'inline; filename="photo.jpg"',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
}

/** Nothing but a picture comes from its address, whatever was sent: it is what sharp has made. */
export function pictureAnswer(body: Buffer): Answer {
  return answerOf({ type: 'image/jpeg', body }, picturePolicy)
}

const refusals: Record<PhotoRefusal, ErrorCode> = {
  nothing: 'PHOTO_TYPE',
  several: 'SEVERAL_PHOTOS',
  'cut-off': 'BAD_REQUEST',
  'too-large': 'PHOTO_TOO_LARGE',
  'other-type': 'PHOTO_TYPE',
  heic: 'PHOTO_HEIC',
  damaged: 'PHOTO_UNREADABLE',
}

export function toPhotoFailure(taken: Exclude<TakenPhoto, { kind: 'kept' }>): DoorError {
  switch (taken.kind) {
    case 'refused':
      return { error: refusals[taken.why] }
    case 'limited':
      return { error: 'RATE_LIMITED', waitS: taken.waitS }
    case 'busy':
      return { error: 'PHOTOS_BUSY', waitS: taken.waitS }
    case 'full':
      return { error: 'ENOUGH_PHOTOS' }
    case 'gone':
      return { error: 'INVALID_TRANSITION' }
    case 'no-room':
      return { error: 'NO_ROOM_FOR_PHOTOS' }
  }
}
