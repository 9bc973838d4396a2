/** Finds the links of a page to the site itself, and rewrites them for its twin. */
import { twinPathOf } from './page.ts'

const link = /\]\(([^)\s]+)\)/g

export type OwnLink = { path: string; anchor: string; index: number }

/** Links within the site. `index`: their position in the text. */
export function ownLinks(text: string): OwnLink[] {
  return [...text.matchAll(link)].flatMap(({ 1: target, index }) => {
    if (!/^[/#]/.test(target!)) return []
    const [path = '', anchor = ''] = target!.split('#')
    return [{ path, anchor, index }]
  })
}

/** Makes them absolute, and those to pages lead to the twins. `isPage`: whether a path has a twin. */
export function toTwinLinks(
  text: string,
  baseUrl: string,
  isPage: (path: string) => boolean,
): string {
  return text.replaceAll(link, (whole, target: string) => {
    if (!target.startsWith('/')) return whole
    const [path = '', anchor] = target.split('#')
    const address = isPage(path) ? twinPathOf(path) : path
    return `](${baseUrl}${address}${anchor === undefined ? '' : `#${anchor}`})`
  })
}
