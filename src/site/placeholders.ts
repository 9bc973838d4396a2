/** Fills the placeholders of a page: facts within a line, blocks alone on a line. */
import type { Fault, Source } from './fault.ts'

/** Markdown for page and twin, or Markdown for the twin and HTML for the page. */
export type PageBlock = { markdown: string; html?: string }

/** `undefined`: there is no block of this name. */
export type FindBlock = (name: string, argument: string) => PageBlock | undefined

const fact = /\{\{([^{}]*)\}\}/g
const blockLine = /^\{\{([a-z][a-z-]*)(?: ([^{}]*))?\}\}$/

/** In a page, blocks with HTML stay as they are: the renderer inserts them. */
export function fillPlaceholders(
  text: string,
  facts: ReadonlyMap<string, string>,
  findBlock: FindBlock,
  target: 'page' | 'twin',
): string {
  const fillLine = (line: string) => {
    const block = blockOn(line, findBlock)
    if (block !== undefined) {
      return target === 'page' && block.html !== undefined ? line : block.markdown
    }
    return line.replaceAll(fact, (placeholder, name: string) => facts.get(name) ?? placeholder)
  }
  return text.split('\n').map(fillLine).join('\n')
}

/** The placeholders that nothing is known of. */
export function findUnknown(
  { file, text, firstLine }: Source,
  facts: ReadonlyMap<string, string>,
  findBlock: FindBlock,
): Fault[] {
  return text.split('\n').flatMap((line, index) => {
    if (blockOn(line, findBlock) !== undefined) return []
    return [...line.matchAll(fact)]
      .filter(([, name]) => !facts.has(name!))
      .map(([placeholder]) => {
        return { file, line: firstLine + index, problem: `nothing is known as ${placeholder}` }
      })
  })
}

/** `undefined`: the line is not a placeholder of a known block. */
export function blockOn(line: string, findBlock: FindBlock): PageBlock | undefined {
  const [, name, argument = ''] = blockLine.exec(line) ?? []
  return name === undefined ? undefined : findBlock(name, argument)
}
