/** The photos of a request: rows that name their pictures. A photo is kept after its picture is synced. */
import { mostPhotos } from '../../contract/limits.ts'
import { dayMs } from '../../time.ts'
import { Columns, fromRow, toParameters, type Engine, type Statement } from '../engine/engine.ts'
import type { Lead } from '../leads/rows.ts'
import {
  hashOfPicture,
  namedHashes,
  noPictures,
  photosFolder,
  pictureDeadlineMs,
  PicturesInFolder,
  PicturesInTable,
  type Pictures,
} from './pictures.ts'

/** Who added a photo. The receipt shows those of the sender only. */
export type Origin = 'sender' | 'member'

export type Photo = {
  id: string
  leadId: string
  origin: Origin
  /** '' for the sender. */
  memberId: string
  at: number
  hash: string
  smallHash: string
  /** The size of both pictures together. */
  bytes: number
  width: number
  height: number
  /** When a member removed it. Until the next night, that can be undone. */
  removedAt: number | undefined
}

export type NewPhoto = Pick<Photo, 'id' | 'leadId' | 'origin' | 'memberId' | 'at'> & {
  picture: Picture
}

/** What is kept of a picture: without anything that was not seen in it. */
export type Picture = { large: Buffer; small: Buffer; width: number; height: number }

/** `full`: the request has as many photos of this origin as it may have. */
export type KeptPhoto = { kind: 'kept'; photo: Photo } | { kind: 'full' } | { kind: 'gone' }

const photoColumns = new Columns('photo', {
  id: 'text',
  leadId: 'text',
  origin: 'text',
  memberId: 'text',
  at: 'integer',
  hash: 'text',
  smallHash: 'text',
  bytes: 'integer',
  width: 'integer',
  height: 'integer',
})

const removedForMs = dayMs
const orphanForMs = dayMs

export class Photos {
  readonly #engine: Engine
  readonly #pictures: Pictures
  #turn: Promise<unknown> = Promise.resolve()

  constructor(engine: Engine, dataDir: string | undefined) {
    this.#engine = engine
    this.#pictures = picturesOf(engine, dataDir)
  }

  /** The same picture again is no second photo, and brings back one that was removed. */
  keep({ picture, ...photo }: NewPhoto): Promise<KeptPhoto> {
    return this.#inTurn(async () => {
      const { large, small, width, height } = picture
      const { leadId, origin } = photo
      const hash = hashOfPicture(large)
      const bytes = large.length + small.length
      const row = { ...photo, hash, smallHash: hashOfPicture(small), bytes, width, height }
      const which = [leadId, origin, hash]
      const found = 'lead_id = $1 and origin = $2 and hash = $3'
      const hasRoom = `exists (select 1 from lead where id = $1 and state <> 'erased')
        and (exists (select 1 from photo where ${found}) or ${mostPhotos} >
          (select count(*) from photo where lead_id = $1 and origin = $2 and removed_at is null))`
      await this.#engine.run(
        [
          // Comes first, too: on PostgreSQL it locks the lead, which may be being erased.
          countPhotos(leadId),
          ...(await this.#pictures.put([large, small], photo.at)),
          photoColumns.insertIf([hasRoom, which], row),
          [`update photo set removed_at = null where ${found}`, which],
          countPhotos(leadId),
        ],
        pictureDeadlineMs,
      )
      const kept = (await this.#read(`where ${found}`, which)).find(isShown)
      if (kept !== undefined) return { kind: 'kept', photo: kept }
      await this.#pictures.drop([row.hash, row.smallHash])
      const [lead] = await this.#engine.read('select state from lead where id = $1', [leadId])
      return { kind: lead === undefined || lead['state'] === 'erased' ? 'gone' : 'full' }
    })
  }

  /** In the order in which they came, with those that were removed and can be brought back. */
  of(leads: readonly Pick<Lead, 'id'>[]): Promise<Photo[]> {
    const ids = leads.map(({ id }) => id)
    return this.#read(`where lead_id in (${toParameters(ids.length)}) order by at, id`, ids)
  }

  async find(id: string): Promise<Photo | undefined> {
    return (await this.#read('where id = $1', [id]))[0]
  }

  /** `undefined` if the picture is missing, for example because a restore did not find it. */
  readPicture(hash: string): Promise<Buffer | undefined> {
    return this.#pictures.read(hash)
  }

  /** `at` is `undefined` to undo it. */
  async setRemoved({ id, leadId }: Photo, at: number | undefined): Promise<void> {
    const sql = 'update photo set removed_at = $2 where id = $1'
    await this.#engine.run([[sql, [id, at ?? null]], countPhotos(leadId)])
  }

  async delete(photo: Photo): Promise<void> {
    const { id, leadId } = photo
    await this.#engine.run([['delete from photo where id = $1', [id]], countPhotos(leadId)])
    await this.drop([photo])
  }

  /** Call it after the rows are deleted. What fails here goes after a day. */
  drop(photos: readonly Photo[]): Promise<void> {
    if (photos.length === 0) return Promise.resolve()
    const hashes = photos.flatMap(({ hash, smallHash }) => [hash, smallHash])
    return this.#inTurn(() => this.#pictures.drop(hashes))
  }

  /** The names of the pictures of all photos. */
  async pictureNames(): Promise<string[]> {
    return (await this.#engine.read(namedHashes)).map((row) => String(row['hash']))
  }

  async usedBytes(): Promise<number> {
    const [row] = await this.#engine.read('select sum(bytes) as bytes from photo')
    return Number(row?.['bytes'] ?? 0)
  }

  /** Deletes what was removed a day ago, and pictures that no photo names. */
  async forgetOld(at: number): Promise<void> {
    const sql = 'delete from photo where removed_at < $1'
    await this.#engine.run([[sql, [at - removedForMs]]])
    await this.#inTurn(() => this.#pictures.dropOrphans(at - orphanForMs))
  }

  async #read(rest: string, values: readonly string[]): Promise<Photo[]> {
    return (await this.#engine.read(`select * from photo ${rest}`, values)).map(fromRow<Photo>)
  }

  /** A picture that two requests share must not be dropped while it is kept for the other one. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

export function isShown({ removedAt }: Photo): boolean {
  return removedAt === undefined
}

function countPhotos(leadId: string): Statement {
  const count = 'select count(*) from photo where lead_id = $1 and removed_at is null'
  return [`update lead set photos = (${count}) where id = $1`, [leadId]]
}

function picturesOf(engine: Engine, dataDir: string | undefined): Pictures {
  if (engine.dialect === 'postgres') return new PicturesInTable(engine)
  return dataDir === undefined ? noPictures : new PicturesInFolder(engine, photosFolder(dataDir))
}
