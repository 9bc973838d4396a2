/** /inbox/lead/<id>: one request, with everything that is known of it. */
import type { Visit } from '../../access/sessions.ts'
import { readWholeLead } from '../../desk/whole-lead.ts'
import type { Answer, Ask } from '../../http/message.ts'
import type { InboxRoute } from './guard.ts'
import { missingLead, showLeadPage } from './lead-page.ts'
import type { InboxParts } from './parts.ts'
import { leadIdIn, leadPath, paths, readListPlace } from './paths.ts'

export function leadRoutes(parts: InboxParts): InboxRoute[] {
  return [{ path: `${paths.lead}*`, method: 'GET', who: 'member', door: show }]

  async function show(ask: Ask, visit: Visit): Promise<Answer> {
    const id = leadIdIn(ask.path)
    const isWholePath = ask.path === leadPath(id)
    const whole = isWholePath ? await readWholeLead(parts.desk, id) : undefined
    if (whole === undefined) return missingLead(parts, ask, visit)
    const query = new URLSearchParams(ask.query)
    const { view } = readListPlace((name) => query.get(name) ?? '')
    return showLeadPage(parts, ask, visit, { whole, view })
  }
}
