/** Leads one by one: finding, keeping, changing and erasing them. `views.ts` lists and counts them. */
import type { Recipients } from '../../contract/notices.ts'
import { fromRow, toParameters, type Engine } from '../engine/engine.ts'
import { Photos } from '../photos/photos.ts'
import { BlockedSenders } from './blocked.ts'
import { LeadChanges, type ChangedLead, type LeadChange } from './changes.ts'
import { detailsBeforeOf, type DetailsBefore } from './details.ts'
import { ErasedFile, leftStatements } from './erasing.ts'
import type { LeadEvent } from './events.ts'
import { keepOnce, type Kept } from './keep.ts'
import { notesOf, notesWithJoined, type Note } from './notes.ts'
import { readLeads, type Lead, type NewLead } from './rows.ts'

export class Leads {
  readonly #engine: Engine
  readonly #changes: LeadChanges
  readonly #erasedFile: ErasedFile
  readonly #dueListeners: (() => void)[] = []
  readonly #changeListeners: (() => void)[] = []
  readonly blocked: BlockedSenders
  readonly photos: Photos

  constructor(engine: Engine, recipients: Recipients, dataDir?: string) {
    this.#engine = engine
    this.#changes = new LeadChanges(engine, recipients)
    this.blocked = new BlockedSenders(engine)
    this.#erasedFile = new ErasedFile(engine, dataDir)
    this.photos = new Photos(engine, dataDir)
  }

  /** `callback` is called after a lead was kept with a delivery, or changed, because one may then be due. */
  onDue(callback: () => void): void {
    this.#dueListeners.push(callback)
  }

  /** `callback` is called after a lead was kept or changed. */
  onChange(callback: () => void): void {
    this.#changeListeners.push(callback)
  }

  async keep(lead: NewLead): Promise<Kept> {
    const { kept, isDue } = await keepOnce(this.#engine, lead)
    if (isDue) call(this.#dueListeners)
    if (kept.kind === 'kept') call(this.#changeListeners)
    return kept
  }

  async find(id: string): Promise<Lead | undefined> {
    return (await readLeads(this.#engine, 'where id = $1', [id]))[0]
  }

  async findByReference(reference: string): Promise<Lead | undefined> {
    return (await readLeads(this.#engine, 'where reference = $1', [reference]))[0]
  }

  async findMany(ids: readonly string[]): Promise<Lead[]> {
    const found = await readLeads(this.#engine, `where id in (${toParameters(ids.length)})`, ids)
    const byId = new Map(found.map((lead) => [lead.id, lead]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  /** The references of the requests that are joined with each of these. */
  async referencesJoined(leads: readonly Pick<Lead, 'id'>[]): Promise<Map<string, string[]>> {
    const joined = await this.joinedWith(leads)
    const pairs = leads.map(({ id }): [string, string[]] => [
      id,
      (joined.get(id) ?? []).map(({ reference }) => reference),
    ])
    return new Map(pairs)
  }

  /** The requests that are joined with each of these, the oldest first. */
  async joinedWith(leads: readonly Pick<Lead, 'id'>[]): Promise<Map<string, Lead[]>> {
    const rest = `where joined_to in (${toParameters(leads.length)}) and joined_to <> '' order by id`
    const ids = leads.map(({ id }) => id)
    return Map.groupBy(await readLeads(this.#engine, rest, ids), ({ joinedTo }) => joinedTo)
  }

  /** Returns each lead once. In place of a joined one stands the one that it is joined with. */
  async asFirsts(leads: readonly Lead[]): Promise<Lead[]> {
    if (leads.every(({ joinedTo }) => joinedTo === '')) return [...leads]
    return this.findMany([...new Set(leads.map(({ id, joinedTo }) => joinedTo || id))])
  }

  async eventsOf(leads: readonly Lead[]): Promise<LeadEvent[][]> {
    const ids = leads.map(({ id }) => id)
    const sql = `select lead_id, number, at, kind, data from event where lead_id in (${toParameters(ids.length)})
      order by lead_id, number`
    const events = (await this.#engine.read(sql, ids)).map(fromRow<LeadEvent>)
    const byLead = Map.groupBy(events, ({ leadId }) => leadId)
    return ids.map((id) => byLead.get(id) ?? [])
  }

  notesOf(leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]> {
    return notesOf(this.#engine, leads)
  }

  notesWithJoined(leads: readonly Pick<Lead, 'id'>[]): Promise<Map<string, Note[]>> {
    return notesWithJoined(this.#engine, leads)
  }

  detailsBeforeOf(leads: readonly Pick<Lead, 'id'>[]): Promise<DetailsBefore[][]> {
    return detailsBeforeOf(this.#engine, leads)
  }

  /** What `src/lead/life.ts` needs to know of a lead's past. */
  async historyOf(lead: Lead) {
    const [[events = []], visitBefore, [detailsBefore = []], notes, family] = await Promise.all([
      this.eventsOf([lead]),
      this.#changes.visitBefore(lead),
      this.detailsBeforeOf([lead]),
      this.notesOf([lead]),
      this.familyOf(lead),
    ])
    return { events, visitBefore, detailsBefore, notes, ...family }
  }

  /** The request that this one is joined with, and the others that are joined with the same. */
  async familyOf({ id, joinedTo }: Lead): Promise<{ first: Lead | undefined; joined: Lead[] }> {
    const rest = `where joined_to = $1 and joined_to <> '' order by id`
    const [first, joined] = await Promise.all([
      joinedTo === '' ? undefined : this.find(joinedTo),
      readLeads(this.#engine, rest, [joinedTo || id]),
    ])
    return { first, joined: joined.filter((each) => each.id !== id) }
  }

  /**
   * Returns the changed lead; `undefined` if another writer changed it since it was read, or one of
   * those that change with it (`also`). Then nothing changes.
   */
  async apply(
    lead: Lead,
    change: LeadChange,
    also: readonly ChangedLead[] = [],
  ): Promise<Lead | undefined> {
    const all = [{ lead, change }, ...also]
    const erased = all.filter((each) => each.change.erases).map((each) => each.lead)
    const photos = erased.length === 0 ? [] : await this.photos.of(erased)
    const applied = await this.#changes.apply(all)
    if (change.blocks) this.blocked.readAgain()
    if (applied.length > 0) call([...this.#dueListeners, ...this.#changeListeners])
    if (erased.length > 0) this.#engine.forgetDeleted()
    if (erased.length > 0 && applied.length > 0) {
      const { at } = change.event
      await this.#erasedFile.add(erased.map(({ id }) => ({ leadId: id, at })))
      await this.photos.drop(photos)
    }
    return applied.find(({ id }) => id === lead.id)
  }

  /** Lists erased leads that the file in the data folder lacks. */
  noteErased(): Promise<void> {
    return this.#erasedFile.addMissing()
  }

  /** Deletes and overwrites everything that is left of leads that were erased since then. */
  async forgetErased(since: number): Promise<void> {
    const sql = `select 1 as one from lead where state = 'erased' and erased_at > $1 limit 1`
    if ((await this.#engine.read(sql, [since])).length === 0) return
    await this.#engine.run(leftStatements(since))
    this.#engine.forgetDeleted(true)
  }

  async forgetExpiredKeys(at: number): Promise<void> {
    await this.#engine.run([['delete from dedup where until <= $1', [at]]])
  }

  /** Whether a lead that the database lacks may still be in the journal of another node. */
  mayWaitElsewhere(_leadId: string, _at: number): boolean {
    return false
  }
}

function call(listeners: readonly (() => void)[]): void {
  for (const listener of listeners) listener()
}
