/** Acts on the requests of a list: on one, or on all that the page shows. */
import { isState } from '../../../contract/states.ts'
import { type Answer } from '../../../http/message.ts'
import { actOn, type Act, type ActOutcome } from '../../../lead/act.ts'
import { move, undo, type Decide } from '../../../lead/life.ts'
import { mostAtOnce, readOnPage, type LeadOnPage } from '../act-fields.ts'
import { goOn, goTo } from '../frame/answers.ts'
import { type Done } from '../frame/done-bar.ts'
import { sentFields, sentPairs, type SignedInCaller } from '../frame/inbox.ts'
import { listPath, readListPlace } from '../paths.ts'

/** The field `only` names a move and one request; without it, all those sent are moved. */
export async function moveSeveral(caller: SignedInCaller): Promise<Answer> {
  const { ask } = caller
  const field = sentFields(caller)
  const place = readListPlace(field)
  const [, to = field('to'), one] = /^([a-z_]+)\.(.*)$/.exec(field('only')) ?? []
  const all = sentPairs(ask).flatMap(([name, text]) => (name === 'lead' ? [text] : []))
  const texts = one === undefined ? all.slice(0, mostAtOnce) : [one]
  const named = texts.flatMap((text) => readOnPage(text) ?? [])
  const byId = new Map(named.map((about) => [about.leadId, about]))
  if (byId.size === 0 || (to !== 'undo' && !isState(to))) return goTo(listPath(place))
  const done = await actOnEach(caller, [...byId.values()], (act) =>
    to === 'undo' ? undo(act) : move(to, {}, act),
  )
  const bar = { ...done, what: to === 'undo' ? ('undone' as const) : to }
  return goOn(caller, `moved ${done.leadIds.length}`, listPath(place), bar)
}

/** Returns the leads that changed, and how many could not be changed. */
async function actOnEach(
  { inbox, member }: SignedInCaller,
  leads: readonly LeadOnPage[],
  decide: (act: Act) => Decide,
): Promise<Omit<Done, 'what'>> {
  const by = { by: member.id, at: inbox.now() }
  const outcomes: ActOutcome[] = []
  for (const each of leads) {
    outcomes.push(await actOn(inbox.store, each.leadId, decide({ ...each, ...by })))
  }
  const leadIds = outcomes.flatMap((outcome, index) => {
    const isChanged = outcome.kind === 'done' && outcome.lead.version !== leads[index]!.version
    return isChanged ? [outcome.lead.id] : []
  })
  return { leadIds, missed: outcomes.filter(({ kind }) => kind !== 'done').length }
}
