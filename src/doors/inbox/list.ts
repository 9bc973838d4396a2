/** /inbox/: a greeting, until the list of requests comes here. */
import type { Visit } from '../../access/sessions.ts'
import { html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import type { InboxRoute } from './guard.ts'
import type { InboxParts } from './parts.ts'
import { paths } from './paths.ts'

export function listRoutes({ showPage }: InboxParts): InboxRoute[] {
  return [{ path: paths.list, method: 'GET', who: 'member', door: show }]

  function show(ask: Ask, visit: Visit): Promise<Answer> {
    const main = html`<h1>Hello, ${visit.member.name}</h1>
<p>You are signed in.</p>
`
    return showPage(ask, { title: 'Inbox', main, visit })
  }
}
