/** `{{cards decks, pergolas}}`: pages as cards with a drawing, or as a list of links in the twin. */
import { html } from '../html.ts'
import type { ImageSize } from './image-size.ts'
import type { PageBlock } from './placeholders.ts'
import { list } from './write-markdown.ts'

export type Card = {
  path: string
  title: string
  description: string
  drawing: string
  size: ImageSize
}

/** `undefined`: one of the names is not a page with a drawing. */
export function cards(
  names: string,
  cardOf: (page: string) => Card | undefined,
): PageBlock | undefined {
  const found: Card[] = []
  for (const name of names.split(',')) {
    const card = cardOf(name.trim())
    if (card === undefined) return undefined
    found.push(card)
  }
  return {
    markdown: list(
      found.map(({ path, title, description }) => `[${title}](${path}): ${description}`),
    ),
    html: html`<ul class="cards">
${found.map(
  ({
    path,
    title,
    description,
    drawing,
    size,
  }) => html`<li><a href="${path}"><img src="${drawing}" alt="" width="${size.width}" height="${size.height}" loading="lazy">
<h3 class="card-title">${title}</h3>
<p class="card-text">${description}</p></a></li>
`,
)}</ul>`.text,
  }
}
