/** The owner's own colours and type: `style.css` in content/, which follows the style sheet of the program. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ContentFault, lineAt } from './fault.ts'

export const ownStyleName = 'style.css'

/** Empty where there is none. It is put inline into every page, so it must not end its element. */
export function readOwnStyle(folder: string): string {
  const path = join(folder, ownStyleName)
  if (!existsSync(path)) return ''
  const style = readFileSync(path, 'utf8')
  const refuse = (pattern: RegExp, problem: string) => {
    const at = style.search(pattern)
    if (at >= 0) throw new ContentFault({ file: path, line: lineAt(style, at), problem })
  }
  refuse(/</, 'a style sheet holds no <')
  refuse(/@import|url\(\s*["']?(?:[a-z]+:)?\/\//i, 'nothing is loaded from other sites')
  return style
}

export type Paper = { light: string; dark: string }

/** `--paper` by day and by night, for the browser's own bars. The last one counts, as in the browser. */
export function paperOf(style: string): Paper {
  const paper = { light: '', dark: '' }
  const rules = /(?:@media([^{]*)\{\s*)?:root ?\{[^}]*--paper: ?([^;}]+)/g
  for (const [, media = 'light dark', colour] of style.matchAll(rules)) {
    for (const time of ['light', 'dark'] as const) {
      if (media.includes(time)) paper[time] = colour!.trim()
    }
  }
  return paper
}
