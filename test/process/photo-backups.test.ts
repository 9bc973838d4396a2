import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { folderOfPictures } from '../../src/backup/picture-lists.ts'
import { makeBackup } from '../../src/backup/make.ts'
import { forgetBackups } from '../../src/backup/names.ts'
import { drillBackup } from '../../src/backup/restore.ts'
import type { Store } from '../../src/store/store.ts'
import { dayMs, hourMs } from '../../src/time.ts'
import {
  emptyPlace,
  installationToBackUp,
  restore,
  withStoreOf,
  type BackedUp,
} from '../support/backup.ts'
import { newLead, nowMs } from '../support/leads.ts'
import { eraseLead, photoOf } from '../support/life.ts'
import { temporaryFolder } from '../support/service.ts'

const keep = (store: Store, lead: number, words: string) =>
  store.photos.keep(photoOf(newLead(lead).id, 'sender', nowMs, words))

const backUp = ({ settings }: BackedUp, to: string, at: number, key?: string) =>
  makeBackup({ settings: { ...settings, BACKUP_KEY: key }, to, now: () => at })

const picturesIn = (to: string) =>
  readdirSync(folderOfPictures(to)).filter((file) => /^[0-9a-f]{64}/.test(file))

const lawnIn = (store: Store) =>
  store.photos.of([newLead(1)]).then(async ([photo]) => {
    return photo && String(await store.photos.readPicture(photo.hash))
  })

test('a backup copies only pictures that its folder lacks, and a restore has them all', async (t) => {
  const installation = await installationToBackUp(t, 3)
  const to = temporaryFolder(t)
  await installation.withStore((store) => keep(store, 1, 'lawn'))
  const first = await backUp(installation, to, nowMs)
  const writtenAt = () => picturesIn(to).map((file) => statSync(join(to, 'photos', file)).mtimeMs)
  const before = writtenAt()
  assert.equal(before.length, 2)
  await installation.withStore((store) => keep(store, 2, 'gate'))
  const second = await backUp(installation, to, nowMs + hourMs)
  assert.deepEqual([first.pictures, second.pictures, second.missingPictures], [2, 4, 0])
  assert.deepEqual(writtenAt().filter((at) => before.includes(at)).length, 2)

  const place = await emptyPlace(t)
  const restored = await restore(place, second.path)
  assert.equal(restored.missingPictures, 0)
  assert.equal(await withStoreOf(place, lawnIn), 'lawn')
})

test('a picture that no kept backup names is removed, and those of kept ones stay', async (t) => {
  const installation = await installationToBackUp(t, 3)
  const to = temporaryFolder(t)
  await installation.withStore(async (store) => {
    await keep(store, 1, 'lawn')
    await keep(store, 2, 'gate')
  })
  await backUp(installation, to, nowMs - 40 * dayMs)
  await installation.withStore(async (store) => {
    const lead = (await store.leads.find(newLead(1).id))!
    await eraseLead(store, lead, { by: 'owner', at: nowMs })
  })
  const newest = await backUp(installation, to, nowMs)
  assert.equal(picturesIn(to).length, 4)
  await forgetBackups(to, { h: 1, d: 0, w: 0, m: 0 }, newest, nowMs)
  assert.equal(picturesIn(to).length, 2)
  const place = await emptyPlace(t)
  await restore(place, newest.path)
  assert.equal(await withStoreOf(place, lawnIn), undefined)
})

test('a drill finds a picture that is damaged or gone', async (t) => {
  const installation = await installationToBackUp(t, 3)
  const { settings } = installation
  const to = temporaryFolder(t)
  await installation.withStore((store) => keep(store, 1, 'lawn'))
  const { path } = await backUp(installation, to, nowMs)
  await drillBackup(settings, path)
  const picture = join(to, 'photos', picturesIn(to)[0]!)
  writeFileSync(picture, 'other')
  await assert.rejects(drillBackup(settings, path), /its photo [0-9a-f]+ is damaged/)
  rmSync(picture)
  await assert.rejects(drillBackup(settings, path), /it lacks the photo/)
})

test('pictures are encrypted where backups are, and read with the key', async (t) => {
  const installation = await installationToBackUp(t, 3)
  const to = temporaryFolder(t)
  const identity = await generateIdentity()
  const keyFile = join(to, 'key')
  writeFileSync(keyFile, identity)
  await installation.withStore((store) => keep(store, 1, 'lawn'))
  const key = await identityToRecipient(identity)
  const { path } = await backUp(installation, to, nowMs, key)
  for (const file of picturesIn(to)) assert.match(file, /\.age$/)
  const place = await emptyPlace(t)
  await restore(place, path, { keyFile })
  assert.equal(await withStoreOf(place, lawnIn), 'lawn')
})

test('a backup without photos has no folder for them', async (t) => {
  const installation = await installationToBackUp(t, 1)
  const to = temporaryFolder(t)
  await backUp(installation, to, nowMs)
  assert.ok(!existsSync(folderOfPictures(to)))
})
