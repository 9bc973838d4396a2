/**
 * Leads of this node that wait for PostgreSQL: one line of JSON each, synced before the answer, and
 * replayed in their order. Lines stay until all are done; a second replay finds a lead by its id. A
 * line without its end was never acknowledged. A node has its own DATA_DIR, so nobody else writes.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Report } from '../log.ts'
import { fingerprintOf } from './chain.ts'
import { toDedupKey } from './dedup.ts'
import { StorageUnavailable } from './engine/engine.ts'
import { syncFolder } from './engine/folder.ts'
import type { Kept } from './kept.ts'
import type { NewLead } from './rows.ts'

export type JournalState = {
  /** How many leads wait. */
  leads: number
  /** When the oldest of them came in. */
  oldestAt: number | undefined
  /** The file of leads that PostgreSQL refused, if there is one. */
  refused: string | undefined
}

/** A lead of the file, without its words: an outage may last. */
type Waiting = {
  id: string
  receivedAt: number
  fingerprint: string
  keys: { name: string; until: number }[]
  /** Where its line is. */
  from: number
  bytes: number
  written: Promise<void>
}

export function journalPath(dataDir: string): string {
  return join(dataDir, 'journal.ndjson')
}

/** What a service has left there, or has there now. */
export function readJournal(dataDir: string): JournalState {
  return new Journal(dataDir).state()
}

export class Journal {
  readonly #path: string
  readonly #refusedPath: string
  readonly #report: Report
  /** By id, in the order of the file. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #byKey = new Map<string, Waiting>()
  /** Unreadable lines, as after a fault of the disk. */
  readonly #odd: string[] = []
  /** The end of the last whole line. */
  #end = 0
  #unwritten: { line: string; waiting: Waiting }[] = []
  #nextWrite: Promise<void> | undefined
  #lastWrite: Promise<unknown> = Promise.resolve()

  constructor(dataDir: string, report: Report = () => {}) {
    this.#report = report
    this.#path = journalPath(dataDir)
    this.#refusedPath = join(dataDir, 'journal-refused.ndjson')
    if (existsSync(this.#path)) this.#readLines(readFileSync(this.#path))
  }

  #readLines(file: Buffer): void {
    for (let end = file.indexOf('\n'); end !== -1; end = file.indexOf('\n', this.#end)) {
      const line = file.toString('utf8', this.#end, end)
      try {
        const place = { from: this.#end, bytes: end - this.#end }
        this.#note(JSON.parse(line) as NewLead, { ...place, written: Promise.resolve() })
      } catch {
        if (line.trim() !== '') this.#odd.push(line)
      }
      this.#end = end + 1
    }
  }

  /** An earlier send of the same lead that still waits, or another lead under its key. */
  async find(lead: NewLead): Promise<Kept | undefined> {
    const fingerprint = fingerprintOf(lead.values, lead.unlisted)
    const { name } = toDedupKey(lead, fingerprint)
    const earlier = this.#byKey.get(name)
    const key = earlier?.keys.find((each) => each.name === name)
    if (earlier === undefined || key!.until <= lead.receivedAt) return undefined
    await earlier.written
    return earlier.fingerprint === fingerprint
      ? { kind: 'repeated', id: earlier.id }
      : { kind: 'key-reused' }
  }

  /** Resolves once the lead is on the disk. Leads of one moment share a sync. */
  add(lead: NewLead): Promise<void> {
    const line = `${JSON.stringify(lead)}\n`
    this.#nextWrite ??= this.#inTurn(() => this.#write())
    const waiting = this.#note(lead, { from: 0, bytes: 0, written: this.#nextWrite })
    this.#unwritten.push({ line, waiting })
    return this.#nextWrite
  }

  isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  hasWaiting(isMeant: (id: string) => boolean): boolean {
    return [...this.#waiting.keys()].some(isMeant)
  }

  state(): JournalState {
    const [oldest] = this.#waiting.values()
    const refused = existsSync(this.#refusedPath) ? this.#refusedPath : undefined
    return { leads: this.#waiting.size, oldestAt: oldest?.receivedAt, refused }
  }

  /** Writes as much as the largest lead takes; rejects where that fails. */
  probe(): Promise<void> {
    return this.#inTurn(() => this.#append(`${' '.repeat(probeBytes)}\n`, 'take-back'))
  }

  /**
   * Hands every lead to `keep`, those that come meanwhile too. Rejects where PostgreSQL cannot be used;
   * a lead that it refuses goes to a file of its own, and holds up nobody.
   */
  async replay(keep: (lead: NewLead) => Promise<void>): Promise<void> {
    for (const line of this.#odd.splice(0)) await this.#refuse(line)
    for (const waiting of this.#waiting.values()) {
      const lead = await this.#read(waiting)
      if (lead === undefined) continue
      try {
        await keep(lead)
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        const reason = reasonOf(error)
        await this.#refuse(JSON.stringify({ ...lead, refused: reason }))
        this.#report('journal.refused', { lead: lead.id, reason, file: this.#refusedPath })
      }
      this.#forget(waiting)
    }
    await this.#inTurn(() => this.#removeIfDone())
  }

  #note(lead: NewLead, place: Pick<Waiting, 'from' | 'bytes' | 'written'>): Waiting {
    const { id, receivedAt } = lead
    const fingerprint = fingerprintOf(lead.values, lead.unlisted)
    // Sent again without its key, it is still the same lead.
    const byContent = toDedupKey({ ...lead, dedup: { by: 'content' } }, fingerprint)
    const keys = [toDedupKey(lead, fingerprint), byContent]
    const waiting = { id, receivedAt, fingerprint, keys, ...place }
    this.#waiting.set(id, waiting)
    for (const { name } of keys) this.#byKey.set(name, waiting)
    return waiting
  }

  #forget(waiting: Waiting): void {
    this.#waiting.delete(waiting.id)
    for (const { name } of waiting.keys) {
      if (this.#byKey.get(name) === waiting) this.#byKey.delete(name)
    }
  }

  /** `undefined`: it could not be written, and its sender knows. */
  async #read(waiting: Waiting): Promise<NewLead | undefined> {
    await waiting.written.catch(() => {})
    if (!this.#waiting.has(waiting.id)) return undefined
    const file = await open(this.#path)
    try {
      const bytes = Buffer.alloc(waiting.bytes)
      await file.read(bytes, 0, waiting.bytes, waiting.from)
      return JSON.parse(bytes.toString()) as NewLead
    } finally {
      await file.close()
    }
  }

  async #write(): Promise<void> {
    const lines = this.#unwritten
    this.#unwritten = []
    this.#nextWrite = undefined
    let from = this.#end
    try {
      await this.#append(lines.map(({ line }) => line).join(''))
    } catch (error) {
      for (const { waiting } of lines) this.#forget(waiting)
      throw error
    }
    for (const { line, waiting } of lines) {
      waiting.from = from
      waiting.bytes = Buffer.byteLength(line) - 1
      from += waiting.bytes + 1
    }
  }

  async #append(text: string, then?: 'take-back'): Promise<void> {
    try {
      const isNew = !existsSync(this.#path)
      const file = await open(this.#path, 'a', 0o600)
      try {
        // Removes the rest of a line that a crash or a full disk has cut off.
        await file.truncate(this.#end)
        await file.appendFile(text)
        await file.sync()
        if (isNew) syncFolder(dirname(this.#path))
        if (then === 'take-back') await file.truncate(this.#end)
        else this.#end += Buffer.byteLength(text)
      } finally {
        await file.close()
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new StorageUnavailable(code === 'ENOSPC' ? 'full' : 'input-output', error)
    }
  }

  async #refuse(line: string): Promise<void> {
    const file = await open(this.#refusedPath, 'a', 0o600)
    try {
      await file.appendFile(`${line}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    syncFolder(dirname(this.#refusedPath))
  }

  #removeIfDone(): Promise<void> {
    if (this.#waiting.size === 0) {
      rmSync(this.#path, { force: true })
      this.#end = 0
    }
    return Promise.resolve()
  }

  /** One after the other, in the order of the calls. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#lastWrite.then(work)
    this.#lastWrite = done.catch(() => {})
    return done
  }
}

const probeBytes = 65_536

/** Without quoted text: it may be a person's words. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  return `${code ?? 'failed'}: ${message.replaceAll(/"[^"]*"/g, '"…"')}`
}
