/** `{{cards decks, pergolas}}`: pages as cards with a drawing, or as a list of links in the twin. */
import { html } from '../html.ts'
import type { ImageSize } from './markdown.ts'
import type { Block } from './placeholders.ts'

export type Card = {
  path: string
  title: string
  description: string
  drawing: string
  size: ImageSize
}

/** `undefined`: one of the names is no page with a drawing. */
export function cards(
  names: string,
  cardOf: (page: string) => Card | undefined,
): Block | undefined {
  const found: Card[] = []
  for (const name of names.split(',')) {
    const card = cardOf(name.trim())
    if (card === undefined) return undefined
    found.push(card)
  }
  return {
    markdown: found
      .map(({ path, title, description }) => `- [${title}](${path}): ${description}`)
      .join('\n'),
    html: html`<ul class="cards">
${found.map(
  ({
    path,
    title,
    description,
    drawing,
    size,
  }) => html`<li><a href="${path}"><img src="${drawing}" alt="" width="${size.width}" height="${size.height}" loading="lazy"><span class="card-title">${title}</span><span class="card-text">${description}</span></a></li>
`,
)}</ul>`.text,
  }
}
