import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { nobody } from '../../src/contract/notices.ts'
import { isShown, type Photo } from '../../src/store/photos/photos.ts'
import { photosFolder } from '../../src/store/photos/pictures.ts'
import { Store } from '../../src/store/store.ts'
import { dayMs } from '../../src/time.ts'
import { leadAt } from '../support/desk.ts'
import { newDatabase, onPostgres } from '../support/engines.ts'
import { nowMs } from '../support/leads.ts'
import { eraseLead, photoOf } from '../support/life.ts'
import { temporaryFolder, type Cleaner } from '../support/service.ts'

test('a photo is kept with its picture, and the same picture again is no second photo', async (t) => {
  const { store, pictures } = openPhotos(t)
  const { id } = await keepLead(store, 1)
  const first = await keep(store, photoOf(id, 'sender', nowMs, 'a lawn'))
  const again = await keep(store, photoOf(id, 'sender', nowMs + 1, 'a lawn'))
  assert.equal(again.id, first.id)
  await keep(store, photoOf(id, 'member', nowMs + 2, 'a sketch'))
  const photos = await store.photos.of([{ id }])
  assert.deepEqual(
    photos.map(({ origin, width, height }) => [origin, width, height]),
    [
      ['sender', 4, 3],
      ['member', 4, 3],
    ],
  )
  assert.equal(String(await store.photos.readPicture(first.hash)), 'a lawn')
  assert.equal(String(await store.photos.readPicture(first.smallHash)), 'a lawn, small')
  assert.equal((await store.leads.find(id))?.photos, 2)
  assert.equal((await pictures()).length, 4)
  assert.equal(await store.photos.usedBytes(), photos[0]!.bytes + photos[1]!.bytes)
})

test('a request has six photos of its sender and six of the members, also if many come at once', async (t) => {
  const { store, pictures } = openPhotos(t)
  const { id } = await keepLead(store, 1)
  const each = Array.from({ length: 8 }, (_, index) => `garden ${index}`)
  for (const origin of ['sender', 'member'] as const) {
    const photos = each.map((words) => photoOf(id, origin, nowMs, `${origin} ${words}`))
    const kept = await Promise.all(photos.map((photo) => store.photos.keep(photo)))
    assert.deepEqual(kept.map(({ kind }) => kind).toSorted(), [
      'full',
      'full',
      ...Array<string>(6).fill('kept'),
    ])
  }
  assert.equal((await store.leads.find(id))?.photos, 12)
  // The last one again, because its answer was lost, is no seventh.
  const again = await store.photos.keep(photoOf(id, 'sender', nowMs, 'sender garden 0'))
  assert.equal(again.kind, 'kept')
  assert.equal((await pictures()).length, 24)
})

test('a photo that a member removed comes back by an undo, and is gone for good a day later', async (t) => {
  const { store, pictures } = openPhotos(t)
  const { id } = await keepLead(store, 1)
  const photo = await keep(store, photoOf(id, 'member', nowMs))
  await store.photos.setRemoved(photo, nowMs)
  assert.equal((await store.leads.find(id))?.photos, 0)
  assert.deepEqual((await store.photos.of([{ id }])).filter(isShown), [])
  await store.photos.setRemoved(photo, undefined)
  assert.equal((await store.leads.find(id))?.photos, 1)
  await store.photos.setRemoved(photo, nowMs)
  await store.photos.forgetOld(nowMs + dayMs + 1)
  assert.deepEqual(await store.photos.of([{ id }]), [])
  await store.photos.forgetOld(Date.now() + 2 * dayMs)
  assert.deepEqual(await pictures(), [])
})

test('erasing a request removes its pictures, but not one that another request has, too', async (t) => {
  const { store, pictures } = openPhotos(t)
  const [one, other] = [await keepLead(store, 1), await keepLead(store, 2)]
  await keep(store, photoOf(one.id, 'sender', nowMs, 'own'))
  await keep(store, photoOf(one.id, 'sender', nowMs, 'shared'))
  const shared = await keep(store, photoOf(other.id, 'member', nowMs, 'shared'))
  await eraseLead(store, (await store.leads.find(one.id))!, { by: 'owner', at: nowMs })
  assert.deepEqual((await pictures()).toSorted(), [shared.hash, shared.smallHash].toSorted())
  assert.equal((await store.leads.find(one.id))?.photos, 0)
  const late = await store.photos.keep(photoOf(one.id, 'sender', nowMs))
  assert.equal(late.kind, 'gone')
  assert.equal((await pictures()).length, 2)
})

test('a picture is kept while the same one is erased with another request', async (t) => {
  const { store, pictures } = openPhotos(t)
  const other = await keepLead(store, 100)
  for (let turn = 1; turn <= 10; turn += 1) {
    const { id } = await keepLead(store, turn)
    await keep(store, photoOf(id, 'sender', nowMs, 'shared'))
    const lead = (await store.leads.find(id))!
    await Promise.all([
      eraseLead(store, lead, { by: 'owner', at: nowMs }),
      keep(store, photoOf(other.id, 'sender', nowMs, 'shared')),
      store.photos.forgetOld(nowMs),
    ])
    assert.equal((await pictures()).length, 2)
    const [photo] = await store.photos.of([other])
    await store.photos.delete(photo!)
    assert.deepEqual(await pictures(), [])
  }
})

test('a photo that comes while its request is erased is either erased or refused', async (t) => {
  const { store, pictures } = openPhotos(t)
  for (let turn = 1; turn <= 10; turn += 1) {
    const { id } = await keepLead(store, turn)
    const lead = (await store.leads.find(id))!
    const coming = store.photos.keep(photoOf(id, 'sender', nowMs))
    await Promise.all([coming, eraseLead(store, lead, { by: 'owner', at: nowMs })])
    assert.deepEqual(await store.photos.of([{ id }]), [])
  }
  await store.photos.forgetOld(Date.now() + 2 * dayMs)
  assert.deepEqual(await pictures(), [])
})

test('what a crash left goes after a day, and not before', async (t) => {
  const { store, pictures, leave } = openPhotos(t)
  const { id } = await keepLead(store, 1)
  const photo = await keep(store, photoOf(id, 'sender', Date.now()))
  const own = [photo.hash, photo.smallHash].toSorted()
  await leave('left', Date.now())
  await store.photos.forgetOld(Date.now() + dayMs / 2)
  assert.deepEqual((await pictures()).toSorted(), [...own, 'left'])
  await store.photos.forgetOld(Date.now() + 2 * dayMs)
  assert.deepEqual((await pictures()).toSorted(), own)
})

function openPhotos(t: Cleaner) {
  const dataDir = temporaryFolder(t)
  const database = newDatabase(t)
  const store = new Store(database.open(), nobody, dataDir)
  t.after(() => store.close())
  const pictures = async (): Promise<string[]> => {
    if (!onPostgres) return readdirSync(photosFolder(dataDir))
    const rows = await database.execute('select hash from picture')
    return rows.map((row) => String(row['hash']))
  }
  const leave = async (name: string, at: number) => {
    if (!onPostgres) writeFileSync(join(photosFolder(dataDir), name), 'half a picture')
    else await database.execute(`insert into picture values ('${name}', ${at}, '')`)
  }
  return { store, pictures, leave }
}

async function keepLead(store: Store, minute: number) {
  const lead = leadAt(minute)
  await store.leads.keep(lead)
  return lead
}

async function keep(store: Store, photo: ReturnType<typeof photoOf>): Promise<Photo> {
  const kept = await store.photos.keep(photo)
  assert.equal(kept.kind, 'kept')
  return (kept as { photo: Photo }).photo
}
