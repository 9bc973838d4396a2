/** The Markdown twin of a page, with front matter that names the page. */
import { documents } from '../contract/documents.ts'
import type { Page } from './page.ts'

export function twinOf(page: Page, baseUrl: string, path: string | undefined): string {
  const head = [
    '---',
    `title: ${JSON.stringify(page.title)}`,
    `description: ${JSON.stringify(page.description)}`,
    ...(path === undefined ? [] : [`canonical_url: ${baseUrl}${path}`]),
    `last_updated: ${page.updated}`,
    '---',
  ]
  const guide = `For agents: site guide at [${documents.llms.path}](${baseUrl}${documents.llms.path})`
  return `${head.join('\n')}\n\n${guide}\n\n${page.markdown}`
}
