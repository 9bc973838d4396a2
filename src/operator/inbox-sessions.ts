/** `lead-intake inbox sessions`: the devices that are signed in. */
import { withStore, withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toTime } from '../desk/shown-lead.ts'
import { toTable } from './table.ts'

export async function listOpenSessions({ json }: { json?: true }): Promise<void> {
  const shown = await withStoreToRead(async (store) => {
    const { access } = store
    const members = new Map((await access.listMembers()).map(({ id, name }) => [id, name]))
    return (await access.listSessions(Date.now())).map(
      ({ id, memberId, device, seenAt, endsAt }) => ({
        id,
        member: members.get(memberId) ?? '',
        device,
        lastSeen: toTime(seenAt),
        ends: toTime(endsAt),
      }),
    )
  })
  if (json) return print(toJson(shown))
  if (shown.length === 0) return print('No device is signed in.\n')
  const rows = shown.map(({ id, member, device, lastSeen, ends }) => [
    id,
    member,
    device,
    lastSeen.slice(0, 10),
    ends.slice(0, 10),
  ])
  await print(toTable(['id', 'member', 'device', 'last seen', 'ends'], rows))
}

type Options = { all?: true; json?: true }

export async function endOpenSessions(
  id: string | undefined,
  { all, json }: Options,
): Promise<void> {
  if ((id === undefined) === (all === undefined)) {
    throw new CommandFailed('usage', 'Name the id of one device, or say --all.')
  }
  await withStore(async (store) => {
    const { access } = store
    const ended =
      id === undefined ? await access.endSessions({}) : Number(await access.endSession(id))
    if (id !== undefined && ended === 0) {
      throw new CommandFailed('missing', 'There is no such device. Look at "inbox sessions list".')
    }
    await print(json ? toJson({ ended }) : `Signed out: ${ended}.\n`)
  })
}
