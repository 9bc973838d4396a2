/** Leads one by one: finding, keeping, changing and erasing them. `views.ts` lists and counts them. */
import type { Recipients } from '../../contract/notices.ts'
import { fromRow, toParameters, type Engine } from '../engine/engine.ts'
import { Photos } from '../photos/photos.ts'
import { BlockedSenders } from './blocked.ts'
import { LeadChanges, type LeadChange } from './changes.ts'
import { detailsBeforeOf, type DetailsBefore } from './details.ts'
import { ErasedFile } from './erasing.ts'
import type { LeadEvent } from './events.ts'
import { keepOnce, type Kept } from './keep.ts'
import { notesOf, type Note } from './notes.ts'
import { readLeads, type Lead, type NewLead } from './rows.ts'

export class Leads {
  readonly #engine: Engine
  readonly #changes: LeadChanges
  readonly #erasedFile: ErasedFile
  readonly #dueListeners: (() => void)[] = []
  readonly #changeListeners: (() => void)[] = []
  readonly blocked: BlockedSenders
  readonly photos: Photos

  constructor(engine: Engine, dataDir?: string) {
    this.#engine = engine
    this.#changes = new LeadChanges(engine)
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

  /** The channels that get each notice, given once at the start. */
  sendNoticesTo(recipients: Recipients): void {
    this.#changes.sendNoticesTo(recipients)
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

  async eventsOf(leads: readonly Lead[]): Promise<LeadEvent[][]> {
    const ids = leads.map(({ id }) => id)
    const sql = `select * from event where lead_id in (${toParameters(ids.length)})
      order by lead_id, number`
    const events = (await this.#engine.read(sql, ids)).map(fromRow<LeadEvent>)
    const byLead = Map.groupBy(events, ({ leadId }) => leadId)
    return ids.map((id) => byLead.get(id) ?? [])
  }

  notesOf(leads: readonly Pick<Lead, 'id'>[]): Promise<Note[]> {
    return notesOf(this.#engine, leads)
  }

  detailsBeforeOf(leads: readonly Pick<Lead, 'id'>[]): Promise<DetailsBefore[][]> {
    return detailsBeforeOf(this.#engine, leads)
  }

  /** What `src/lead/life.ts` needs to know of a lead's past. */
  async historyOf(lead: Lead) {
    const [[events = []], visitBefore, [detailsBefore = []], notes] = await Promise.all([
      this.eventsOf([lead]),
      this.#changes.visitBefore(lead),
      this.detailsBeforeOf([lead]),
      this.notesOf([lead]),
    ])
    return { events, visitBefore, detailsBefore, notes }
  }

  /** Returns the changed lead; `undefined` if another writer changed it since it was read. */
  async apply(lead: Lead, change: LeadChange): Promise<Lead | undefined> {
    const photos = change.erases ? await this.photos.of([lead]) : []
    const applied = await this.#changes.apply(lead, change)
    if (change.blocks) this.blocked.readAgain()
    if (applied !== undefined) call([...this.#dueListeners, ...this.#changeListeners])
    if (!change.erases) return applied
    this.#engine.forgetDeleted()
    if (applied) await this.#erasedFile.add([{ leadId: lead.id, at: change.event.at }])
    if (applied) await this.photos.drop(photos)
    return applied
  }

  /** Lists erased leads that the file in the data folder lacks. */
  noteErased(): Promise<void> {
    return this.#erasedFile.addMissing()
  }

  /** Overwrites everything that is left of leads that were erased since then. */
  async forgetErased(since: number): Promise<void> {
    const sql = `select 1 as one from lead where state = 'erased' and erased_at > $1 limit 1`
    if ((await this.#engine.read(sql, [since])).length > 0) this.#engine.forgetDeleted(true)
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
