/** Which requests are of one person. */
import type { State } from '../../contract/states.ts'
import { fromRow, type Engine } from '../engine/engine.ts'

type Named = { name: string; email: string }

/**
 * Whether two requests that share a number or an email are of one person. A whole household may use one number, so
 * beside a number the names must agree: "Wendy" agrees with "Wendy Cho", and an empty name with any.
 */
export function isSamePerson(
  { values: one }: { values: Named },
  other: { values: Named },
): boolean {
  return isAlike(one, other.values)
}

function isAlike(one: Named, other: Named): boolean {
  if (one.email !== '' && one.email.toLowerCase() === other.email.toLowerCase()) return true
  const [name, otherName] = [one.name, other.name].map((each) => `${each.toLowerCase()} `)
  if (!/\p{L}/u.test(name!) || !/\p{L}/u.test(otherName!)) return true
  return name!.startsWith(otherName!) || otherName!.startsWith(name!)
}

/** These columns tell whose a request is, and what became of it. */
export type PersonLead = Named & {
  id: string
  emailKey: string
  phoneKey: string
  state: State
  stateChangedAt: number
}

/** Anybody can send any number of requests with one email. */
const mostOfKey = 100

/** What the person of each request has sent up to it, with itself; nothing without email and number. */
export async function sentUpTo(
  engine: Engine,
  requests: readonly PersonLead[],
): Promise<Map<string, PersonLead[]>> {
  const keys = [...new Set(requests.flatMap(personKeysIn))]
  const alike = keys.length === 0 ? [] : await readWithKeys(engine, keys)
  const isSame = (one: PersonLead, other: PersonLead) =>
    (one.emailKey !== '' && one.emailKey === other.emailKey) || isAlike(one, other)
  const byKey = new Map<string, PersonLead[]>(keys.map((key) => [key, []]))
  for (const each of alike) for (const key of personKeysIn(each)) byKey.get(key)?.push(each)
  return new Map(
    requests.map((request) => {
      const isOwn = (other: PersonLead) => other.id <= request.id && isSame(request, other)
      const own = personKeysIn(request).flatMap((key) => byKey.get(key)!.filter(isOwn))
      return [request.id, [...new Set(own)]]
    }),
  )
}

/** None where neither email nor number was given. */
export function personKeysIn({
  emailKey,
  phoneKey,
}: Pick<PersonLead, 'emailKey' | 'phoneKey'>): string[] {
  return [emailKey, phoneKey].filter((key) => key !== '')
}

async function readWithKeys(engine: Engine, keys: readonly string[]): Promise<PersonLead[]> {
  const parts = keys.map(
    (key, index) => `select lead_id from (select lead_id from search_doc
      where ${key.startsWith('e') ? 'email_key' : 'phone_key'} = $${index + 1}
      order by lead_id limit ${mostOfKey}) as part${index}`,
  )
  const sql = `select ${personColumns} from lead where id in (${parts.join(' union all ')})`
  return (await engine.read(sql, keys)).map(fromRow<PersonLead>)
}

export const personColumns = 'id, name, email, email_key, phone_key, state, state_changed_at'
