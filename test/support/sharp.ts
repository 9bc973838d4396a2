/** Makes pictures for tests, and skips tests about photos where sharp cannot be loaded. */
import type * as Sharp from 'sharp'

const loaded = await import('sharp').then(
  (found) => found.default,
  () => undefined,
)

export const hasSharp = loaded !== undefined
export const aboutPhotos = { skip: !hasSharp && 'sharp cannot be loaded here' }
export const sharp = loaded as typeof Sharp.default
