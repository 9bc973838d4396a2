import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import test from 'node:test'
import { openBundle } from '../../src/backup/open-bundle.ts'
import { readPresent } from '../../src/backup/present.ts'
import type { Present } from '../../src/backup/present.ts'
import { restoreBundle } from '../../src/backup/restore.ts'
import type { Restored } from '../../src/backup/restore.ts'
import type { Settings } from '../../src/config.ts'
import { minuteMs } from '../../src/durations.ts'
import { eraseLead } from '../../src/lead/move.ts'
import type { AccessStore } from '../../src/store/access/store.ts'
import { listReplaced } from '../../src/store/before-restore.ts'
import { erasedPath } from '../../src/store/erased-file.ts'
import { fileOf } from '../../src/store/open.ts'
import { installationToBackUp } from '../support/backup.ts'
import { onPostgres } from '../support/engines.ts'
import { newLead, nowMs } from '../support/new-lead.ts'
import { leadIntake } from '../support/operator.ts'

const robin = { id: 'robin', name: 'Robin', email: 'robin@example.com', madeAt: nowMs }
const alex = { id: 'alex', name: 'Alex', email: 'alex@example.com', madeAt: nowMs }

const passkey = (id: string, memberId: string) => ({
  id,
  memberId,
  rpId: 'example.com',
  publicKey: '',
  counter: 0,
  backedUp: false,
  name: 'Phone',
  madeAt: nowMs,
  usedAt: undefined,
})

const session = {
  id: 'phone',
  secretHash: '',
  memberId: robin.id,
  madeAt: nowMs,
  seenAt: nowMs,
  endsAt: nowMs + minuteMs,
  provedAt: nowMs,
}

test('after a restore everybody signs in anew, but who was removed since the backup cannot [backup.members]', async (t) => {
  const { place, withStore, backUp } = await installationToBackUp(t, 1)
  const withAccess = <T>(work: (access: AccessStore) => Promise<T>) =>
    withStore(async (store) => work(store.access))
  await withAccess(async (access) => {
    for (const member of [robin, alex]) await access.addMember(member)
    for (const id of ['kept', 'stolen']) await access.addPasskey(passkey(id, robin.id))
    await access.addPasskey(passkey('of-alex', alex.id))
    await access.saveSession(session)
  })
  // The restore looks at it again, and has nothing to do.
  await withStore((store) => eraseLead(store, { leadId: newLead(0).id, at: nowMs + 1 }))
  const { path } = await backUp()
  await withAccess(async (access) => {
    await access.removePasskey(robin.id, 'stolen', session.id)
    await access.endMember(alex.id, nowMs + 1)
  })
  const run = await leadIntake(place, ['restore', path])
  assert.equal(run.code, 0, run.error)
  assert.match(run.out, /and now removed again: 1 member, 1 passkey\./)
  await withAccess(async (access) => {
    assert.deepEqual(await access.listMembers(), [robin])
    assert.deepEqual(await access.listPasskeys(robin.id), [passkey('kept', robin.id)])
    assert.equal(await access.findPasskey('of-alex'), undefined)
    assert.equal(await access.countSessions(robin.id, nowMs), 0)
  })
})

/** No service runs while a file is restored. */
const besideTheService = { skip: !onPostgres && 'a file is restored while the service is stopped' }

test(
  'what the service erases and whom it shuts out while a restore runs stays so',
  besideTheService,
  async (t) => {
    const { place, settings, withStore, backUp } = await installationToBackUp(t, 2)
    await withStore(async (store) => {
      const access = store.access
      await access.addMember(alex)
      await access.addPasskey(passkey('of-alex', alex.id))
    })
    const { path } = await backUp()
    const restored = await restoreWhile(settings, path, async () => {
      await withStore(async (store) => {
        await eraseLead(store, { leadId: newLead(1).id, at: nowMs + 1 })
        await store.access.endMember(alex.id, nowMs + 1)
      })
      // As if another machine had done it: the file beside the database knows nothing of it.
      rmSync(erasedPath(place.dataDir))
    })
    assert.equal(restored.erasedAgain, 1)
    assert.deepEqual(restored.shutOut, { members: 1, passkeys: 0 })
    await withStore(async (store) => {
      const access = store.access
      assert.deepEqual(await access.listMembers(), [])
      assert.equal(await access.findPasskey('of-alex'), undefined)
      assert.equal((await store.findLead(newLead(1).id))?.state, 'erased')
    })
  },
)

test(
  'a lead that comes while a restore runs is in what is kept, and counted',
  besideTheService,
  async (t) => {
    const { settings, withStore, backUp } = await installationToBackUp(t, 0)
    await withStore((store) => store.probe(nowMs))
    const { path } = await backUp()
    const busy = await restoreWhile(settings, path, () =>
      withStore(async (store) => void (await store.keepLead(newLead(1)))),
    )
    assert.equal(busy.keptLeads, 1)
    assert.deepEqual(
      (await listReplaced(settings)).map(({ name }) => name),
      [basename(busy.keptAs!)],
    )
    assert.equal(await withStore((store) => store.countLeads(undefined, 9)), 0)
    const quiet = await restoreWhile(settings, path, () => Promise.resolve())
    assert.equal(quiet.keptLeads, 0)
    assert.equal(quiet.keptAs, undefined, 'tables without a lead are dropped')
  },
)

let restores = 0

/** `meanwhile`: what the service does after the restore has looked at the database. */
async function restoreWhile(
  settings: Settings,
  bundle: string,
  meanwhile: () => Promise<void>,
): Promise<Restored> {
  const folder = mkdtempSync(join(dirname(fileOf(settings)), 'unpacked-'))
  await openBundle(bundle, folder)
  const stamp = `2026-11-16T00000${(restores += 1)}Z`
  const present = await readPresent(settings, { stamp, newest: '' })
  const replace: Present['replace'] = async (...given) => {
    await meanwhile()
    return present.replace(...given)
  }
  const parts = { settings, folder, stamp, now: Date.now, dryRun: false }
  return restoreBundle({ ...parts, present: { ...present, replace } })
}
