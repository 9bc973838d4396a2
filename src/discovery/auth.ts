/** auth.md: no authentication is needed. */
import { documents } from '../contract/documents.ts'
import { routes } from '../contract/routes.ts'
import type { Facts } from './facts.ts'
import { consent } from './guide-parts.ts'

export function writeAuth({ baseUrl }: Facts): string {
  return `# auth.md: no authentication

Nothing on this site asks for credentials. There is no account, no key and no token to get, and no authorization server.

- API: \`${baseUrl}${routes.lead.path}\`, described in ${baseUrl}${documents.openapi.path}
- MCP endpoint: \`${baseUrl}${routes.mcp.path}\`

Send no \`Authorization\` header: nobody reads it.

## What takes its place

- **Consent.** ${consent}
- **Receipts.** The \`status_url\` in an answer is private. Whoever has it can see what became of that request, and withdraw it; so give it to the person and to nobody else.
- **Limits.** Requests are counted by network address. An answer to a client past the limit says in \`Retry-After\` how long to wait.
`
}
