/**
 * The journal of this node: leads that wait for PostgreSQL. Each lead is a line of JSON, synced before
 * the answer, and replayed in order. The file is removed after the last lead. If a replay starts over,
 * it finds the leads that are in the database by their ids. Nobody else writes here: a node has its own
 * DATA_DIR.
 */
import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../log.ts'
import { StorageUnavailable } from './engine/engine.ts'
import { appendSynced } from './files.ts'
import { identify, type DedupKey, type Kept } from './leads/keep.ts'
import type { NewLead } from './leads/rows.ts'

export type JournalState = {
  /** How many leads wait. */
  leads: number
  /** When the oldest waiting lead came in. */
  oldestAt: number | undefined
  /** The file of leads that PostgreSQL refused, if there is one. */
  refused: string | undefined
}

type Waiting = { lead: NewLead; fingerprint: string; keys: DedupKey[] }

export function journalPath(dataDir: string): string {
  return join(dataDir, 'journal.ndjson')
}

/** Commands read the journal also while a service runs. Some of its leads may be in the database already. */
export class Journal {
  readonly #path: string
  readonly #refusedPath: string
  readonly #report: Report
  /** The waiting leads by id, in the order of the file. */
  readonly waiting = new Map<string, Waiting>()
  /** Lines that cannot be read as a lead, for example after a fault of the disk. */
  readonly #odd: string[] = []
  /** The end of the last whole line. A torn line after it was never acknowledged: the next write removes it. */
  #end: number
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(dataDir: string, report: Report = () => {}) {
    this.#path = journalPath(dataDir)
    this.#refusedPath = join(dataDir, 'journal-refused.ndjson')
    this.#report = report
    const file = existsSync(this.#path) ? readFileSync(this.#path) : Buffer.alloc(0)
    this.#end = file.lastIndexOf('\n') + 1
    for (const line of file.toString('utf8', 0, this.#end).split('\n')) {
      try {
        if (line.trim() !== '') this.#wait(JSON.parse(line) as NewLead)
      } catch {
        this.#odd.push(line)
      }
    }
  }

  /** Finds a waiting lead with the same key, whose content is the same (`repeated`) or not (`key-reused`). */
  find(lead: NewLead): Kept | undefined {
    const { fingerprint, keys: own } = identify(lead)
    const isHeld = ({ name, until }: DedupKey) => name === own[0]?.name && until > lead.receivedAt
    const earlier = [...this.waiting.values()].find(({ keys }) => keys.some(isHeld))
    if (earlier === undefined) return undefined
    if (earlier.fingerprint !== fingerprint) return { kind: 'key-reused' }
    const { id, reference } = earlier.lead
    return { kind: 'repeated', id, reference }
  }

  /** Resolves once the lead is on the disk, or with what `find` returns if the key is waiting already. */
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

  /**
   * Proves that a lead could be written: writes as many bytes as the largest lead. The next write
   * removes them.
   */
  probe(): Promise<void> {
    return this.#inTurn(() => this.#append(`${' '.repeat(65_536)}\n`))
  }

  state(): JournalState {
    const [oldest] = this.waiting.values()
    const refused = existsSync(this.#refusedPath) ? this.#refusedPath : undefined
    return { leads: this.waiting.size, oldestAt: oldest?.lead.receivedAt, refused }
  }

  /**
   * Passes every waiting lead to `keep`, also leads that come meanwhile. Rejects if PostgreSQL cannot
   * be used. A lead that PostgreSQL refuses goes to the file `#refusedPath`, and delays no other lead.
   */
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
      // Removes the bytes that a crash, a full disk or a probe has left after the last whole line.
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

  /** Runs writes one after the other, in the order of the calls. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastTurn.then(work)
    this.#lastTurn = done.catch(() => {})
    return done
  }
}

/** Removes quoted text from a message of PostgreSQL: the text may be a person's words. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  return `${code ?? 'failed'}: ${message.replaceAll(/"[^"]*"/g, '"…"')}`
}
