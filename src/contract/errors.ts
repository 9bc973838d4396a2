/** Every error that a client can see: status, message, and how to fix the request. */
import type { Problem } from './check-fields.ts'
import { messageField, requiredInWords } from './fields.ts'
import {
  longestAsking,
  maxBodyBytes,
  maxHeaderBytes,
  mostPhotos,
  photoUpload,
  requestTimeoutMs,
} from './limits.ts'
import { photoFormats, photoSize, pictureSize } from './photos.ts'
import { inKibibytes, inThousands } from '../words.ts'

const required = `${requiredInWords()} are required.`
const provide = `Provide ${requiredInWords()}; see /openapi.json.`
const longestMessage = inThousands(messageField.maxLength)

export const errors = {
  VALIDATION_ERROR: { status: 400, message: required, resolution: provide },
  PARSE_ERROR: {
    status: 400,
    message: `The body could not be read. ${required}`,
    resolution: `Send well-formed JSON (UTF-8, one object) or a form. ${provide}`,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 400,
    message: `This endpoint reads only JSON and form data. ${required}`,
    resolution: `Send application/json or application/x-www-form-urlencoded, without Content-Encoding. ${provide}`,
  },
  BAD_REQUEST: {
    status: 400,
    message: 'The request is not well-formed HTTP/1.1.',
    resolution: 'Send one Host header, one length and a valid request line; then send it again.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'There is nothing at this path.',
    resolution: 'See /llms.txt for what is here, or /openapi.json for the API.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This path does not answer that method.',
    resolution: 'Use one of the methods in the Allow header; see /openapi.json.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request took too long to arrive.',
    resolution: `Send the whole request within ${requestTimeoutMs / 1000} seconds; of a photo, ${photoUpload.leastBytesPerS / 1000} kB or more each second.`,
  },
  INVALID_TRANSITION: {
    status: 409,
    message: 'This cannot be done with the request as it is now.',
    resolution:
      'GET its status_url: the answer has a withdraw_url, an erase_url, an another_time_url or a photos_url only while that can be done.',
  },
  REQUEST_WITHDRAWN: {
    status: 409,
    message:
      'This request was received before and then withdrawn or erased, so it was not accepted again.',
    resolution: 'To ask again, send it with a new idempotency key.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: `The body is larger than ${inKibibytes(maxBodyBytes)}.`,
    resolution: `Shorten the message to at most ${longestMessage} characters and send it again.`,
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: 'This idempotency key was used before, with different content.',
    resolution: 'Send this lead with a new key, or the first lead unchanged with this key.',
  },
  PHOTO_TOO_LARGE: {
    status: 413,
    message: `The photo is larger than ${photoSize} or ${pictureSize}, or takes too much memory to read.`,
    resolution: 'Send it again smaller: 2,000 pixels on the longer side are plenty.',
  },
  PHOTO_TYPE: {
    status: 415,
    message: `The body is no photo in ${photoFormats}.`,
    resolution: `Send the bytes of one ${photoFormats} file as image/* in the body, or as the file of a multipart form.`,
  },
  PHOTO_HEIC: {
    status: 415,
    message: 'The photo is in the format HEIC or AVIF, which cannot be read here.',
    resolution: `Convert it to ${photoFormats} and send it again.`,
  },
  PHOTO_UNREADABLE: {
    status: 422,
    message: 'The photo could not be read: its file is damaged or incomplete.',
    resolution: 'Send the whole file again; saving the photo anew as JPEG often helps.',
  },
  SEVERAL_PHOTOS: {
    status: 422,
    message: 'The form has more than one file, so none was kept.',
    resolution: 'Send each photo in a request of its own.',
  },
  ENOUGH_PHOTOS: {
    status: 409,
    message: `The request has ${mostPhotos} photos already.`,
    resolution: 'Remove one first, or leave it at these.',
  },
  PHOTOS_BUSY: {
    status: 503,
    message: 'Many photos are coming in just now, so this one was not kept.',
    resolution: 'Wait for the seconds in the Retry-After header, then send it again.',
  },
  NO_ROOM_FOR_PHOTOS: {
    status: 503,
    message: 'There is no room for more photos here just now. The request itself is safe.',
    resolution: 'Send the photos by email to the address on /contact/, with the reference.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests came from this address.',
    resolution: 'Wait for the seconds in the Retry-After header, then send it again.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: 'The request headers are too large.',
    resolution: `Send fewer or shorter headers, ${inKibibytes(maxHeaderBytes)} at most.`,
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something went wrong here, not in the request.',
    resolution: 'Send it again with the same idempotency key; it will be received only once.',
  },
  LOOKUP_UNAVAILABLE: {
    status: 503,
    message: 'This cannot be looked up or changed just now. Requests received before are safe.',
    resolution: 'Wait for the seconds in the Retry-After header, then ask again.',
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    message: 'The request could not be stored just now, so it was not received.',
    resolution:
      'Wait for the seconds in the Retry-After header, then send it again with the same idempotency key.',
  },
} as const satisfies Record<string, { status: number; message: string; resolution: string }>

export type ErrorCode = keyof typeof errors

export type ErrorEnvelope = {
  error: { code: ErrorCode; message: string; resolution: string; details?: ErrorDetails }
}
export type ErrorDetails = { fields: readonly Problem[] }

export const noReceipt: ErrorEnvelope = {
  error: {
    code: 'NOT_FOUND',
    message: 'There is no receipt at this address.',
    resolution: 'Use the status_url of a request exactly as you got it, to the last character.',
  },
}

export const noVisit: ErrorEnvelope = {
  error: {
    code: 'NOT_FOUND',
    message: 'No Consultation is booked and shown for this request.',
    resolution: 'GET its status_url: the answer has a calendar_url only while there is one.',
  },
}

export const noPhoto: ErrorEnvelope = {
  error: {
    code: 'NOT_FOUND',
    message: 'The request has no such photo. It may have been removed.',
    resolution: 'GET its status_url: the answer lists the photos that are there.',
  },
}

export const exampleWords = 'Friday after 3 pm would suit me.'
const wordsProblem = `must be a text of 1 to ${inThousands(longestAsking)} characters`

/** The form that asks for another time has a field of its own, and none of a lead. */
export const wrongWords: ErrorEnvelope = {
  error: {
    code: 'VALIDATION_ERROR',
    message: `words ${wordsProblem}.`,
    resolution: 'Send in words which days and hours suit the person.',
    details: {
      fields: [{ field: 'words', problem: wordsProblem, example: exampleWords }],
    },
  },
}

export function errorEnvelope(code: ErrorCode, problems: readonly Problem[] = []): ErrorEnvelope {
  const { message, resolution } = errors[code]
  if (problems.length === 0) return { error: { code, message, resolution } }
  const named = problems.map(({ field, problem }) => `${field} ${problem}`).join('; ')
  return {
    error: {
      code,
      message: `${message} In this request: ${named}.`,
      resolution: `${resolution} Correct the fields named in details.fields.`,
      details: { fields: problems },
    },
  }
}
