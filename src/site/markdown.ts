/** Renders the Markdown of pages, fills in their placeholders, and writes tables and lists. */
import MarkdownIt, { type Token } from 'markdown-it'
import { Html } from '../html.ts'
import type { PublicFiles } from './public-files.ts'

export function createRenderer(findBlock: FindBlock, files: PublicFiles): (text: string) => Html {
  const markdown = new MarkdownIt({ html: false, linkify: false })
  const { renderer, options } = markdown
  const { rules } = renderer
  rules['table_open'] = () =>
    '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'
  rules['table_close'] = () => '</table></div>\n'
  const code = rules.fence!
  rules.fence = (...args) => code(...args).replace('<pre>', '<pre tabindex="0">')
  // The first picture of a page is visible at once, so it is not loaded lazily.
  let isLazy = false
  rules.image = (tokens, index, _, env) => {
    const alt = renderer.renderInlineAsText(tokens[index]!.children ?? [], options, env)
    const path = String(tokens[index]!.attrGet('src'))
    const image = files.picture(path, { alt, isLazy })
    isLazy = true
    return image.text
  }
  markdown.core.ruler.push('page', (state) => {
    const make = (type: string, tag: string, nesting: Token['nesting']) =>
      Object.assign(new state.Token(type, tag, nesting), { block: true })
    dress(state.tokens, make)
    state.tokens = inSections(inGalleries(withBlocks(state.tokens, make, findBlock), make), make)
  })
  return (text) => {
    isLazy = false
    return new Html(markdown.render(text))
  }
}

type MakeToken = (type: string, tag: string, nesting: Token['nesting']) => Token

/** Gives elements the ids, classes and tags that the style sheet expects. */
function dress(tokens: readonly Token[], make: MakeToken): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag !== 'h1') {
      token.attrSet('id', toSlug(tokens[index + 1]!.content))
    }
    if (token.type === 'ordered_list_open') token.attrSet('class', 'steps')
    if (token.type === 'paragraph_open') dressParagraph(tokens.slice(index, index + 3), make)
  }
}

/**
 * A link alone in a paragraph becomes a button. An image alone on the first line makes a figure, and the
 * text after it is its caption.
 */
function dressParagraph([open, inline, close]: readonly Token[], make: MakeToken): void {
  const content = inline?.children ?? []
  if (beginsWithPicture(content)) {
    open!.tag = 'figure'
    close!.tag = 'figure'
    open!.attrSet('class', figureClass)
    const [image, _lineBreak, ...caption] = content
    if (caption.length > 0) inline!.children = [image!, ...captioned(caption, make)]
  }
  // In a list the paragraph is hidden, and the link stays a link.
  if (isOneLink(content) && !open!.hidden) {
    open!.attrSet('class', 'action')
    content[0]!.attrSet('class', 'button')
  }
}

function beginsWithPicture([first, second]: readonly Token[]): boolean {
  return first?.type === 'image' && (second === undefined || second.type === 'softbreak')
}

function isOneLink(content: readonly Token[]): boolean {
  const ends = content.filter(({ type }) => type === 'link_close')
  return content[0]?.type === 'link_open' && ends.length === 1 && content.at(-1) === ends[0]
}

const figureClass = 'drawing'

function captioned(words: readonly Token[], make: MakeToken): Token[] {
  const parts = [
    make('caption_open', 'figcaption', 1),
    ...words,
    make('caption_close', 'figcaption', -1),
  ]
  return parts.map((part) => Object.assign(part, { block: false }))
}

/** A paragraph that is a placeholder becomes the HTML of its block, if there is any. */
function withBlocks(tokens: readonly Token[], make: MakeToken, findBlock: FindBlock): Token[] {
  const whole: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const [token, inline] = tokens.slice(index, index + 2)
    const isParagraph = token!.type === 'paragraph_open' && !token!.hidden
    const block = isParagraph ? blockOn(inline!.content, findBlock) : undefined
    if (block?.html === undefined) {
      whole.push(token!)
      continue
    }
    whole.push(Object.assign(make('html_block', '', 0), { content: `${block.html}\n` }))
    index += 2
  }
  return whole
}

/** Successive figures become a gallery. */
function inGalleries(tokens: readonly Token[], make: MakeToken): Token[] {
  const whole: Token[] = []
  for (let index = 0; index < tokens.length;) {
    const end = endOfFigures(tokens, index)
    const isGallery = end - index > tokensOfParagraph
    const part = tokens.slice(index, Math.max(end, index + 1))
    if (isGallery) whole.push(galleryOpen(make), ...part, make('gallery_close', 'div', -1))
    else whole.push(...part)
    index += part.length
  }
  return whole
}

/** An opening token, the text, and a closing token. */
const tokensOfParagraph = 3

function endOfFigures(tokens: readonly Token[], from: number): number {
  let end = from
  while (tokens[end]?.attrGet('class') === figureClass) end += tokensOfParagraph
  return end
}

function galleryOpen(make: MakeToken): Token {
  const open = make('gallery_open', 'div', 1)
  open.attrSet('class', 'photos')
  return open
}

/** Each heading of the second rank begins a section. */
function inSections(tokens: readonly Token[], make: MakeToken): Token[] {
  const whole: Token[] = []
  let isOpen = false
  const end = () => {
    if (isOpen) whole.push(make('section_close', 'section', -1))
  }
  for (const token of tokens) {
    if (token.type === 'heading_open' && token.tag === 'h2') {
      end()
      const open = make('section_open', 'section', 1)
      open.attrSet('aria-labelledby', token.attrGet('id')!)
      whole.push(open)
      isOpen = true
    }
    whole.push(token)
  }
  end()
  return whole
}

export function toSlug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** The page shows `html` if there is any. The Markdown version always shows `markdown`. */
export type PageBlock = { markdown: string; html?: string }

export type FindBlock = (name: string, argument: string) => PageBlock | undefined

export const placeholder = /\{\{([^{}]*)\}\}/g
const blockLine = /^\{\{([a-z][a-z-]*)(?: ([^{}]*))?\}\}$/

/**
 * For a page, a block with HTML stays a placeholder, because the renderer inserts its HTML. `pictured` has that HTML,
 * beside Markdown, and so all pictures of the page.
 */
export type FilledFor = 'page' | 'twin' | 'pictured'

export function fillPlaceholders(
  text: string,
  facts: ReadonlyMap<string, string>,
  findBlock: FindBlock,
  target: FilledFor,
): string {
  const fillLine = (line: string) => {
    const block = blockOn(line, findBlock)
    if (block === undefined) {
      return line.replaceAll(placeholder, (whole, name: string) => facts.get(name) ?? whole)
    }
    if (target === 'twin' || block.html === undefined) return block.markdown
    return target === 'page' ? `\n${line}\n` : block.html
  }
  return text.split('\n').map(fillLine).join('\n')
}

function blockOn(line: string, findBlock: FindBlock): PageBlock | undefined {
  const [, name, argument = ''] = blockLine.exec(line) ?? []
  return name === undefined ? undefined : findBlock(name, argument)
}

export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const escaped = (cell: string) => cell.replaceAll('|', '\\|')
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

export function markdownList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

export function shellCode(...lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n')
}
