/**
 * The one road in for photos: a bounded number at a time is received into a file, read, and kept. A lead never
 * waits for one.
 */
import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { maxPhotoBytes, uploadsAtOnce } from '../../contract/limits.ts'
import type { ClientAddress } from '../../http/client-address.ts'
import { receiveFile, type Received, type Upload } from '../../http/upload.ts'
import type { Limits } from '../limits.ts'
import { StorageUnavailable } from '../../store/engine/engine.ts'
import type { DiskState } from '../../store/files.ts'
import type { KeptPhoto, NewPhoto } from '../../store/photos/photos.ts'
import { openUpload } from '../../store/photos/pictures.ts'
import type { Store } from '../../store/store.ts'
import { isRefused, type PictureReader, type PictureRefusal } from './reading.ts'

export type PhotoPlace = {
  reader: Pick<PictureReader, 'read'>
  dataDir: string
  /** The room for all photos of the site. */
  mostBytes: number
  readDisk: () => Promise<Pick<DiskState, 'isLow'>>
}

export type PhotoParts = PhotoPlace & {
  store: Pick<Store, 'photos'>
  limits: Limits
  now: () => number
}

/**
 * `busy`: as many come in as may at once, or the process that reads them was stopped. `no-room`: the photos of the site are as many bytes as they may be, or its disk
 * is nearly full.
 */
export type TakenPhoto =
  | KeptPhoto
  | { kind: 'refused'; why: PhotoRefusal }
  | { kind: 'limited'; waitS: number }
  | { kind: 'busy'; waitS: number }
  | { kind: 'no-room' }

export type PhotoRefusal = PictureRefusal | Exclude<Received, 'received'> | 'heic' | 'other-type'

type Asked = Pick<NewPhoto, 'leadId' | 'origin' | 'memberId'>
type Uploading = Upload & { address: ClientAddress }

/** Until one that is under way may be done. */
const busy = { kind: 'busy', waitS: 5 } as const

export class PhotoTaker {
  readonly #parts: PhotoParts
  readonly #underWay = new Map<string, number>()
  #all = 0

  constructor(parts: PhotoParts) {
    this.#parts = parts
  }

  async take(asked: Asked, sent: Uploading): Promise<TakenPhoto> {
    const { limits, now } = this.#parts
    const { network } = sent.address
    const own = this.#underWay.get(network) ?? 0
    const isBusy = own >= uploadsAtOnce.perAddress || this.#all >= uploadsAtOnce.all
    if (isBusy) return busy
    const waitS = asked.origin === 'sender' ? limits.countPhoto(sent.address, now()) : undefined
    if (waitS !== undefined) return { kind: 'limited', waitS }
    this.#count(network, 1)
    try {
      return (await this.#hasRoom()) ? await this.#receive(asked, sent) : { kind: 'no-room' }
    } catch (error) {
      throw isDiskFault(error) ? new StorageUnavailable('input-output') : error
    } finally {
      this.#count(network, -1)
    }
  }

  async #receive(asked: Asked, sent: Uploading): Promise<TakenPhoto> {
    const file = await openUpload(this.#parts.dataDir)
    try {
      const received = await receiveFile(sent, file, maxPhotoBytes)
      if (received !== 'received') return { kind: 'refused', why: received }
      return await this.#keep(asked, file)
    } finally {
      await file.close()
    }
  }

  async #keep(asked: Asked, file: FileHandle): Promise<TakenPhoto> {
    const { store, reader, now } = this.#parts
    const type = await readType(file)
    if (type !== 'known') return { kind: 'refused', why: type }
    const picture = await reader.read(file.fd)
    if (isRefused(picture)) {
      const { refused: why } = picture
      return why === 'unread' ? busy : { kind: 'refused', why }
    }
    return store.photos.keep({ id: randomUUID(), ...asked, at: now(), picture })
  }

  async #hasRoom(): Promise<boolean> {
    const { store, mostBytes, readDisk } = this.#parts
    return (await store.photos.usedBytes()) < mostBytes && !(await readDisk()).isLow
  }

  #count(network: string, change: number): void {
    this.#all += change
    const count = (this.#underWay.get(network) ?? 0) + change
    if (count === 0) this.#underWay.delete(network)
    else this.#underWay.set(network, count)
  }
}

/** The first bytes of a file say what it is. Its name and its declared type say nothing. */
async function readType(file: FileHandle): Promise<'known' | 'heic' | 'other-type'> {
  const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0)
  const begin = buffer.toString('latin1')
  if (/^(?:\xff\xd8\xff|\x89PNG\r\n|RIFF....WEBP)/s.test(begin)) return 'known'
  return /^....ftyp(?:he|mif1|msf1|avif)/s.test(begin) ? 'heic' : 'other-type'
}

/** Any fault of the system, such as a full disk. */
function isDiskFault(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined
}
