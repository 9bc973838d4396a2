/** A restored backup must not let anybody in whom the database that it replaces does not let in. */
import type { Engine } from '../engine/engine.ts'
import type { AccessStore } from './store.ts'

export type LetIn = {
  /** All members, with the time they left. */
  members: Map<string, number | undefined>
  passkeys: Set<string>
}

export type ShutOut = { members: number; passkeys: number }

/** `schema`: of PostgreSQL, with a dot at its end. */
export async function readLetIn(engine: Pick<Engine, 'read'>, schema = ''): Promise<LetIn> {
  const members = await engine.read(`select id, ended_at from ${schema}member`)
  const passkeys = await engine.read(`select id from ${schema}passkey`)
  return {
    members: new Map(
      members.map(({ id, ended_at: at }) => [String(id), at === null ? undefined : Number(at)]),
    ),
    passkeys: new Set(passkeys.map(({ id }) => String(id))),
  }
}

/** Members whom it does not know stay as they are: they may be those of another installation. */
export async function shutOut(access: AccessStore, { members, passkeys }: LetIn): Promise<ShutOut> {
  const done: ShutOut = { members: 0, passkeys: 0 }
  for (const { id } of await access.listMembers()) {
    if (!members.has(id)) continue
    const endedAt = members.get(id)
    if (endedAt !== undefined) {
      await access.endMember(id, endedAt)
      done.members += 1
      continue
    }
    for (const passkey of await access.listPasskeys(id)) {
      if (passkeys.has(passkey.id)) continue
      await access.removePasskey(id, passkey.id, '')
      done.passkeys += 1
    }
  }
  return done
}
