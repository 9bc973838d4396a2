/** Who opened a lead first, and when. It changes nothing of the lead, so it overtakes nobody. */
import type { Store } from '../store/store.ts'

export type Opened = { at: number; by: string }

const idOf = (leadId: string) => `opened ${leadId}`

/** `by`: the id of the member. Later openings leave it as it is. */
export async function noteOpened(
  store: Pick<Store, 'firstSince'>,
  leadId: string,
  { at, by }: Opened,
): Promise<void> {
  await store.firstSince(idOf(leadId), at, { about: by })
}

export async function findOpened(
  store: Pick<Store, 'findOnce'>,
  leadId: string,
): Promise<Opened | undefined> {
  const found = await store.findOnce(idOf(leadId))
  return found && { at: found.at, by: found.about }
}
