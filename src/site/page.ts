/** A page of the site, its Markdown twin, its Link header, and its slots. */
import type { Business } from '../contract/business.ts'
import { documents, openapiType } from '../contract/documents.ts'
import { agentsPath } from '../contract/routes.ts'
import { Html } from '../html.ts'

export type Page = {
  /** A path such as `/` or `/decks/`. */
  readonly path: string
  /** The name of the file in content/pages, without the ending: `decks`. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** The day of the last change: `2026-11-15`. */
  readonly updated: string
  /** `undefined` if the navigation does not show the page. */
  readonly label: string | undefined
  /** Whether the sitemap and the guides list the page. */
  readonly indexed: boolean
  /** The Markdown twin, without its front matter. */
  readonly markdown: string
  /** Names the pictures of the page, so that nothing need be rendered to find them. */
  readonly pictured: string
  /** Renders the page. To render all of them would slow each start down, so a door does when it is first asked. */
  readonly main: () => Html
}

export function twinPathOf(path: string): string {
  return path === '/' ? '/index.md' : `${path.replace(/\/$/, '')}.md`
}

export type Publisher = { readonly baseUrl: string; readonly business: Pick<Business, 'notice'> }

/** `path` is `undefined` if the page has no address of its own. */
export function twinOf(page: Page, publisher: Publisher, path: string | undefined): string {
  const { baseUrl, business } = publisher
  const head = [
    '---',
    `title: ${JSON.stringify(page.title)}`,
    `description: ${JSON.stringify(page.description)}`,
    ...(path === undefined ? [] : [`canonical_url: ${baseUrl}${path}`]),
    `last_updated: ${page.updated}`,
    '---',
  ]
  const guide = `For agents: site guide at [${documents.llms.path}](${baseUrl}${documents.llms.path})`
  const notice = business.notice ? `\n${business.notice}\n` : ''
  return `${head.join('\n')}\n\n${guide}\n\n${page.markdown}${notice}`
}

const everywhere = [
  toLink(documents.llms.path, 'describedby'),
  toLink(documents.openapi.path, 'service-desc', openapiType),
  toLink(agentsPath, 'service-doc'),
  toLink(documents.apiCatalog.path, 'api-catalog'),
  toLink(documents.aiCatalog.path, 'ai-catalog'),
]

/** RFC 8288. */
export function linkHeader(baseUrl: string, path: string | undefined): string {
  if (path === undefined) return everywhere.join(', ')
  return [
    `<${baseUrl}${path}>; rel="canonical"`,
    toLink(twinPathOf(path), 'alternate', 'text/markdown'),
    ...everywhere,
  ].join(', ')
}

/** Leave out `type` if the relation implies it, because Node checks every character of every header. */
function toLink(path: string, relation: string, type?: string): string {
  const ofType = type === undefined ? '' : `; type="${type}"`
  return `<${path}>; rel="${relation}"${ofType}`
}

/** A part of a page that each request fills anew. */
export type Slot = 'form' | 'reference' | 'come'

export function slotMark(slot: Slot): string {
  return `<!--${slot}-->`
}

export function fillSlot(page: Html, slot: Slot, filling: Html): Html {
  return new Html(page.text.replace(slotMark(slot), () => filling.text))
}
