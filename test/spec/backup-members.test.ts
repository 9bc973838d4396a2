import assert from 'node:assert/strict'
import test from 'node:test'
import { minuteMs } from '../../src/durations.ts'
import { eraseLead } from '../../src/lead/move.ts'
import type { AccessStore } from '../../src/store/access/store.ts'
import { installationToBackUp } from '../support/backup.ts'
import { newLead, nowMs } from '../support/new-lead.ts'
import { leadIntake } from '../support/operator.ts'

const robin = { id: 'robin', name: 'Robin', email: 'robin@example.com', madeAt: nowMs }

const session = {
  id: 'phone',
  secretHash: '',
  memberId: robin.id,
  madeAt: nowMs,
  seenAt: nowMs,
  endsAt: nowMs + minuteMs,
  freshUntil: nowMs,
  device: 'Phone',
}

test('after a restore everybody signs in anew', async (t) => {
  const { place, withStore, backUp } = await installationToBackUp(t, 1)
  const withAccess = <T>(work: (access: AccessStore) => Promise<T>) =>
    withStore(async (store) => work(await store.access()))
  await withAccess(async (access) => {
    await access.addMember(robin)
    await access.addSession(session)
  })
  // The restore looks at it again, and has nothing to do.
  await withStore((store) => eraseLead(store, { leadId: newLead(0).id, at: nowMs + 1 }))
  const { path } = await backUp()
  const run = await leadIntake(place, ['restore', path])
  assert.equal(run.code, 0, run.error)
  await withAccess(async (access) => {
    assert.deepEqual(await access.listMembers(), [robin])
    assert.deepEqual(await access.listSessions(nowMs), [])
  })
})
