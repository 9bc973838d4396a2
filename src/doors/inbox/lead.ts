/** /inbox/lead/<id>: one request, with everything that is known of it. */
import type { Visit } from '../../access/sessions.ts'
import { noteOpened } from '../../desk/opened.ts'
import { readWholeLead } from '../../desk/whole-lead.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { StorageUnavailable } from '../../store/engine/engine.ts'
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
    await markOpened(ask, visit, whole)
    const query = new URLSearchParams(ask.query)
    const { view } = readListPlace((name) => query.get(name) ?? '')
    return showLeadPage(parts, ask, visit, { whole, view })
  }

  /** The mark of having looked: not for a browser that loads ahead. */
  async function markOpened(ask: Ask, { member }: Visit, { lead, isOpened }: WholeLead) {
    if (isOpened || ask.method !== 'GET' || ask.headers['sec-purpose'] !== undefined) return
    const opened = { at: parts.now(), by: member.id }
    await noteOpened(parts.desk.store, lead.id, opened).catch((error: unknown) => {
      // A database that can only be read keeps nobody out.
      if (!(error instanceof StorageUnavailable)) throw error
    })
  }
}
