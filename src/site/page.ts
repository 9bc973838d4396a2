/** A page of the site, and the path of its twin. */
import type { Html } from '../html.ts'

export type Page = {
  /** As in `/` or `/decks/`. */
  readonly path: string
  /** As in `decks`: the name of its file in content/pages, without the ending. */
  readonly name: string
  readonly title: string
  /** One sentence, for search results, link lists and guides. */
  readonly description: string
  /** The day of its last change, as in `2026-11-15`. */
  readonly updated: string
  /** Its label in the navigation; `undefined`: not in it. */
  readonly label: string | undefined
  /** Whether it is in sitemap and guides. */
  readonly indexed: boolean
  /** With placeholders filled: the twin, without front matter. */
  readonly markdown: string
  /** The inside of `<main>`. */
  readonly main: Html
}

/** `/` becomes `/index.md`, `/decks/` becomes `/decks.md`. */
export function twinPathOf(path: string): string {
  return path === '/' ? '/index.md' : `${path.replace(/\/$/, '')}.md`
}
