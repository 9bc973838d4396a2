/** Block placeholders that only content of older formats has. */
import { errors } from '../contract/errors.ts'
import { tools } from '../contract/tools.ts'
import type { PageBlock } from './placeholders.ts'
import { list, table } from './write-markdown.ts'

/** Both were on /agents/ before formats had numbers. */
export const olderBlocks: Readonly<Record<string, PageBlock>> = {
  errors: {
    markdown: table(
      ['Status', 'Code', 'What to do'],
      Object.entries(errors).map(([code, { status, resolution }]) => [
        String(status),
        `\`${code}\``,
        resolution,
      ]),
    ),
  },
  tools: { markdown: list(Object.values(tools).map(({ name, title }) => `\`${name}\`: ${title}`)) },
}
