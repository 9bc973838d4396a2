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
  return (text) => {
    isLazy = false
    const tokens = markdown.parse(text, {})
    dress(tokens)
    const rendered = inSections(withCaptions(renderer.render(tokens, options, {})))
    const whole = rendered.replaceAll(
      /<p>(\{\{[^{}]*\}\})<\/p>/g,
      (paragraph, line: string) => blockOn(line, findBlock)?.html ?? paragraph,
    )
    return new Html(whole)
  }
}

/** Gives elements the ids, classes and tags that the style sheet expects. */
function dress(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag !== 'h1') {
      token.attrSet('id', toSlug(tokens[index + 1]!.content))
    }
    if (token.type === 'ordered_list_open') token.attrSet('class', 'steps')
    if (token.type === 'paragraph_open') dressParagraph(tokens.slice(index, index + 3))
  }
}

/** A link alone in a paragraph becomes a button. An image alone on the first line makes a figure. */
function dressParagraph([open, inline, close]: readonly Token[]): void {
  const content = inline?.children ?? []
  if (beginsWithPicture(content)) {
    open!.tag = 'figure'
    close!.tag = 'figure'
    open!.attrSet('class', 'drawing')
  }
  if (isOneLink(content)) {
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

/** The line after a picture becomes its caption. Successive pictures become a gallery. */
function withCaptions(rendered: string): string {
  return rendered
    .replaceAll(
      /(<figure class="drawing"><img[^>]*>)\n(.*)(?=<\/figure>)/g,
      '$1<figcaption>$2</figcaption>',
    )
    .replaceAll(
      /(?:<figure class="drawing">.*<\/figure>\n){2,}/g,
      '<div class="photos">\n$&</div>\n',
    )
}

function inSections(rendered: string): string {
  const [before, ...sections] = rendered.split(/(?=<h2 id=")/)
  const wrapped = sections.map((section) => {
    const [, id] = /id="([^"]*)"/.exec(section)!
    return `<section aria-labelledby="${id}">\n${section}</section>\n`
  })
  return [before, ...wrapped].join('')
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

/** For a page, a block with HTML stays a placeholder, because the renderer inserts its HTML. */
export function fillPlaceholders(
  text: string,
  facts: ReadonlyMap<string, string>,
  findBlock: FindBlock,
  target: 'page' | 'twin',
): string {
  const fillLine = (line: string) => {
    const block = blockOn(line, findBlock)
    if (block === undefined) {
      return line.replaceAll(placeholder, (whole, name: string) => facts.get(name) ?? whole)
    }
    return target === 'page' && block.html !== undefined ? `\n${line}\n` : block.markdown
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
