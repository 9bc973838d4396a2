/** cli.md: the command, and the same stages for who has only curl. */
import { commandsAsMarkdown } from '../contract/commands-page.ts'
import { documents } from '../contract/documents.ts'
import { routes } from '../contract/routes.ts'
import type { Facts } from './facts.ts'
import { curlToSend } from './guide-parts.ts'

export function writeCommandLine({ baseUrl }: Facts): string {
  return `${commandsAsMarkdown({ baseUrl })}
## The same with curl

Look: the site guide, and whether a request could be received now.

${code(`curl ${baseUrl}${documents.llms.path}`, `curl ${baseUrl}${routes.lead.path}`)}

Send, once the person has seen the details and agreed. Keep the key: sending again with the same one does no harm.

${curlToSend(baseUrl)}

Follow: the answer holds a private \`status_url\`.

${code('curl -H "Accept: application/json" "$STATUS_URL"')}

Withdraw, if the person wants that.

${code(`curl -X POST -H "Accept: application/json" "$STATUS_URL${routes.withdraw.path}"`)}
`
}

function code(...lines: string[]): string {
  return ['```sh', ...lines, '```'].join('\n')
}
