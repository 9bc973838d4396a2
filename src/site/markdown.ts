/** Renders Markdown to HTML with a few conventions of this site, and fills in its placeholders. Raw HTML is off. */
import MarkdownIt, { type StateBlock, type Token } from 'markdown-it'
import { Html } from '../html.ts'
import { pictureAttributes, type PictureFiles } from './public-files.ts'
import type { Fault, Source } from './yaml.ts'

export type RenderParts = { findBlock: FindBlock; files: PictureFiles }

/** `anchors`: the ids of the headings. */
export type Rendered = { html: Html; anchors: string[] }

export function createRenderer({ findBlock, files }: RenderParts): (text: string) => Rendered {
  const markdown = new MarkdownIt({ html: false, linkify: false })
  markdown.block.ruler.before('paragraph', 'own-block', ownBlock)
  markdown.renderer.rules['own_block'] = (tokens, index) => `${tokens[index]!.content}\n`
  markdown.renderer.rules['table_open'] = () =>
    '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'
  markdown.renderer.rules['table_close'] = () => '</table></div>\n'
  const code = markdown.renderer.rules.fence!
  markdown.renderer.rules.fence = (...args) => code(...args).replace('<pre>', '<pre tabindex="0">')

  return (text) => {
    const tokens = markdown.parse(text, {})
    dressParagraphs(tokens, files)
    for (const token of tokens) {
      if (token.type === 'ordered_list_open') token.attrSet('class', 'steps')
    }
    const { whole, anchors } = inSections(tokens)
    return { html: new Html(markdown.renderer.render(whole, markdown.options, {})), anchors }
  }

  function ownBlock(state: StateBlock, startLine: number, _: number, silent: boolean): boolean {
    const start = state.bMarks[startLine]! + state.tShift[startLine]!
    const block = blockOn(state.src.slice(start, state.eMarks[startLine]), findBlock)
    if (block?.html === undefined) return false
    if (!silent) {
      state.push('own_block', '', 0).content = block.html
      state.line = startLine + 1
    }
    return true
  }
}

/** A link alone in its paragraph is a button, an image alone a figure. */
function dressParagraphs(tokens: Token[], files: PictureFiles): void {
  let pictures = 0
  for (const [index, token] of tokens.entries()) {
    const inside = tokens[index + 1]?.children
    if (token.type !== 'paragraph_open' || !inside) continue
    const [first, ...rest] = inside
    if (first?.type === 'image' && rest.length === 0) {
      token.tag = tokens[index + 2]!.tag = 'figure'
      token.attrSet('class', 'drawing')
      dressImage(first, files, pictures === 0)
      pictures += 1
    } else if (first?.type === 'link_open' && rest.at(-1)?.type === 'link_close') {
      if (rest.filter(({ type }) => type === 'link_close').length > 1) continue
      token.attrSet('class', 'action')
      first.attrSet('class', 'button')
    }
  }
}

function dressImage(image: Token, files: PictureFiles, isFirst: boolean): void {
  const path = String(image.attrGet('src'))
  for (const [name, value] of pictureAttributes(files, path, figureWide, !isFirst)) {
    image.attrSet(name, value)
  }
}

/** As the style sheet lays it out. */
const figureWide = '(min-width: 62rem) 38rem, 92vw'

/** Wraps each h2 and its text in a section, and gives headings an id. */
function inSections(tokens: Token[]): { whole: Token[]; anchors: string[] } {
  const whole: Token[] = []
  const anchors: string[] = []
  let open = false
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const id = toSlug(tokens[index + 1]!.content)
      anchors.push(id)
      if (token.tag !== 'h1') token.attrSet('id', id)
      if (token.tag === 'h2') {
        whole.push(raw(token, `${open ? '</section>\n' : ''}<section aria-labelledby="${id}">\n`))
        open = true
      }
    }
    whole.push(token)
  }
  const last = tokens.at(-1)
  if (open && last) whole.push(raw(last, '</section>\n'))
  return { whole, anchors }
}

function raw(beside: Token, content: string): Token {
  return Object.assign(Object.create(Object.getPrototypeOf(beside)), beside, {
    type: 'own_block',
    content,
  })
}

export function toSlug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

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
function blockOn(line: string, findBlock: FindBlock): PageBlock | undefined {
  const [, name, argument = ''] = blockLine.exec(line) ?? []
  return name === undefined ? undefined : findBlock(name, argument)
}
