/** POST /inbox/moves: the same move, or its undo, for the requests that were ticked on a page. */
import type { Visit } from '../../access/sessions.ts'
import { isState } from '../../contract/states.ts'
import { actOnEach, mostAtOnce, moveByMember, undoByMember } from '../../desk/acts.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { goTo, logged } from './answers.ts'
import { doneCookie, readTicked } from './done-bar.ts'
import { sentFields, sentList } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import type { InboxParts } from './parts.ts'
import { listPath, paths, readListPlace } from './paths.ts'

export function bulkMovesRoutes(parts: InboxParts): InboxRoute[] {
  const { desk, now } = parts
  return [{ path: paths.moves, method: 'POST', who: 'member', door: move }]

  async function move(ask: Ask, { member }: Visit): Promise<Answer> {
    const field = sentFields(ask)
    const to = field('to')
    const at = now()
    const ticked = sentList(ask, 'lead').flatMap((text) => readTicked(text) ?? [])
    const once = [...new Map(ticked.map((about) => [about.leadId, about])).values()]
    // A page has no more than can be moved at once.
    const by = { by: member.id, at, tell: desk.tell }
    const acts = once.slice(0, mostAtOnce).map((about) => ({ ...about, ...by }))
    const back = listPath(readListPlace(field))
    if (acts.length === 0 || (to !== 'undo' && !isState(to))) return goTo(back)
    const outcomes = await actOnEach(acts, (act) =>
      to === 'undo' ? undoByMember(desk.store, act) : moveByMember(desk.store, act, to),
    )
    const leadIds = outcomes.flatMap((each) => (each.kind === 'done' ? [each.lead.id] : []))
    const what = to === 'undo' ? 'undone' : to
    const cookie = doneCookie(parts, { what, leadIds, missed: acts.length - leadIds.length })
    return logged(goTo(back, cookie), `moved ${leadIds.length}`, member.id)
  }
}
