/**
 * The journal is a file of this node with the leads that wait for PostgreSQL. Each lead is a line
 * of JSON, which is synced before the sender gets an answer. A replay that starts over recognises
 * by their ids the leads that are committed already.
 */
import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fieldKeys } from '../../contract/fields.ts'
import type { ReportEvent } from '../../log.ts'
import { StorageUnavailable } from '../engine/engine.ts'
import { appendSynced } from '../files.ts'
import { identify, type DedupKey, type Kept } from '../leads/keep.ts'
import type { NewLead } from '../leads/rows.ts'

export type JournalState = {
  leads: number
  oldestAt: number | undefined
  /** The path of the file of refused leads; `undefined` if there is no such file. */
  refused: string | undefined
}

type Waiting = { lead: NewLead; fingerprint: string; keys: DedupKey[] }

export function journalPath(dataDir: string): string {
  return join(dataDir, 'journal.ndjson')
}

export class Journal {
  readonly #path: string
  readonly #refusedPath: string
  readonly #report: ReportEvent
  readonly waiting = new Map<string, Waiting>()
  /** Lines that are no lead, for example after a fault of the disk. */
  readonly #odd: string[] = []
  /** Where the next lead is written. Bytes after it are no lead. */
  #end: number
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(dataDir: string, report: ReportEvent = () => {}) {
    this.#path = journalPath(dataDir)
    this.#refusedPath = join(dataDir, 'journal-refused.ndjson')
    this.#report = report
    const file = existsSync(this.#path) ? readFileSync(this.#path) : Buffer.alloc(0)
    this.#end = file.lastIndexOf('\n') + 1
    for (const line of file.toString('utf8', 0, this.#end).split('\n')) {
      try {
        if (line.trim() !== '') this.#wait(readLine(line))
      } catch {
        this.#odd.push(line)
      }
    }
  }

  find(lead: NewLead): Kept | undefined {
    const { fingerprint, keys: own } = identify(lead)
    const isHeld = ({ name, until }: DedupKey) => name === own[0]?.name && until > lead.receivedAt
    const earlier = [...this.waiting.values()].find(({ keys }) => keys.some(isHeld))
    if (earlier === undefined) return undefined
    if (earlier.fingerprint !== fingerprint) return { kind: 'key-reused' }
    const { id, reference } = earlier.lead
    return { kind: 'repeated', id, reference }
  }

  add(lead: NewLead): Promise<Kept> {
    return this.#inTurn(async () => {
      const earlier = this.find(lead)
      if (earlier !== undefined) return earlier
      const line = `${JSON.stringify(lead)}\n`
      await this.#append(line)
      this.#end += Buffer.byteLength(line)
      this.#wait(lead)
      return { kind: 'kept', reference: lead.reference }
    })
  }

  /** Writes as many bytes as the largest request has. The next write removes them. */
  probe(): Promise<void> {
    return this.#inTurn(() => this.#append(`${' '.repeat(65_536)}\n`))
  }

  state(): JournalState {
    const [oldest] = this.waiting.values()
    const refused = existsSync(this.#refusedPath) ? this.#refusedPath : undefined
    return { leads: this.waiting.size, oldestAt: oldest?.lead.receivedAt, refused }
  }

  /** A lead that PostgreSQL refuses goes to another file, so that it delays no other lead. */
  async replay(keep: (lead: NewLead) => Promise<void>): Promise<void> {
    for (const line of this.#odd.splice(0)) await this.#refuse(line)
    for (const [id, waiting] of this.waiting) {
      try {
        await keep(waiting.lead)
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        const reason = reasonOf(error)
        await this.#refuse(JSON.stringify({ ...waiting.lead, refused: reason }))
        this.#report('journal.refused', { lead: id, reason, file: this.#refusedPath })
      }
      this.waiting.delete(id)
    }
    await this.#inTurn(async () => {
      if (this.waiting.size > 0) return
      rmSync(this.#path, { force: true })
      this.#end = 0
    })
  }

  #wait(lead: NewLead): void {
    this.waiting.set(lead.id, { lead, ...identify(lead) })
  }

  async #append(text: string): Promise<void> {
    try {
      // Removes the bytes that a crash, a full disk or a probe has left.
      if (existsSync(this.#path)) truncateSync(this.#path, this.#end)
      await appendSynced(this.#path, text)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new StorageUnavailable(code === 'ENOSPC' ? 'full' : 'input-output', error)
    }
  }

  #refuse(line: string): Promise<void> {
    return appendSynced(this.#refusedPath, `${line}\n`)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastTurn.then(work)
    this.#lastTurn = done.catch(() => {})
    return done
  }
}

/** Removes quoted text from a message of PostgreSQL, because the text may be what a person wrote. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  return `${code ?? 'failed'}: ${message.replaceAll(/"[^"]*"/g, '"…"')}`
}

/** A version that knew fewer fields may have written the line. */
function readLine(line: string): NewLead {
  const lead = JSON.parse(line) as NewLead
  const empty = Object.fromEntries(fieldKeys.map((key) => [key, '']))
  return { ...lead, values: { ...empty, ...lead.values } }
}
