/** What a photo of a request may be, in words and for browsers. */
import { maxPhotoBytes, mostPixels } from './limits.ts'

/** iPhones convert their photos to one of these. */
export const photoTypes = 'image/jpeg,image/png,image/webp'
export const photoFormats = 'JPEG, PNG or WebP'
export const photoSize = `${maxPhotoBytes / 1_000_000} MB`
export const pictureSize = `${mostPixels / 1_000_000} megapixels`
