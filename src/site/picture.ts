/** A picture with its size, so that nothing jumps, and with its smaller copies for small screens. */
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import type { PublicFiles } from './public-files.ts'

export type PictureFiles = Pick<PublicFiles, 'sizeOf' | 'widthsOf'>

/** `sizes`: how wide it is shown, as in CSS. */
export function picture(
  files: PictureFiles,
  path: string,
  { alt = '', sizes, isLazy = true }: { alt?: string | undefined; sizes: string; isLazy?: boolean },
): Html {
  const attributes = pictureAttributes(files, path, sizes, isLazy).map(
    ([name, value]) => html` ${name}="${value}"`,
  )
  return html`<img src="${path}" alt="${alt}"${attributes}>`
}

/** All but `src` and `alt`. */
export function pictureAttributes(
  { sizeOf, widthsOf }: PictureFiles,
  path: string,
  sizes: string,
  isLazy: boolean,
): [name: string, value: string][] {
  const size = sizeOf(path)
  const widths = widthsOf(path)
  const attributes: [string, string][] = []
  if (size !== undefined) {
    attributes.push(['width', String(size.width)], ['height', String(size.height)])
  }
  if (widths.length > 1) {
    const set = widths.map((each) => `${each.path} ${each.width}w`).join(', ')
    attributes.push(['srcset', set], ['sizes', sizes])
  }
  if (isLazy) attributes.push(['loading', 'lazy'])
  return attributes
}
