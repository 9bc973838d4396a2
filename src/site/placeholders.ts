/** Fills the placeholders of a page: facts within a line, blocks alone on a line. */
import { ContentFault } from './fault.ts'

/** Markdown for page and twin, or Markdown for the twin and HTML for the page. */
export type PageBlock = { markdown: string; html?: string }

/** `undefined`: there is no block of this name. */
export type FindBlock = (name: string, argument: string) => PageBlock | undefined

/** The text of a file from `firstLine` on. */
export type Source = { file: string; text: string; firstLine: number }

const fact = /\{\{([^{}]*)\}\}/g
const blockLine = /^\{\{([a-z][a-z-]*)(?: ([^{}]*))?\}\}$/

/** In a page, blocks with HTML stay as they are: the renderer inserts them. */
export function fillPlaceholders(
  { file, text, firstLine }: Source,
  facts: ReadonlyMap<string, string>,
  findBlock: FindBlock,
  target: 'page' | 'twin',
): string {
  const fillLine = (line: string, index: number) => {
    const block = blockOn(line, findBlock)
    if (block !== undefined) {
      return target === 'page' && block.html !== undefined ? line : block.markdown
    }
    return line.replaceAll(fact, (placeholder, name: string) => {
      const value = facts.get(name)
      if (value !== undefined) return value
      throw new ContentFault(file, firstLine + index, `nothing is known as ${placeholder}`)
    })
  }
  return text.split('\n').map(fillLine).join('\n')
}

/** `undefined`: the line is not a placeholder of a known block. */
export function blockOn(line: string, findBlock: FindBlock): PageBlock | undefined {
  const [, name, argument = ''] = blockLine.exec(line) ?? []
  return name === undefined ? undefined : findBlock(name, argument)
}
