/**
 * The search index: the words of every lead up to a mark. An indexer writes it in batches, behind the
 * leads; what comes after the mark is not in it yet.
 */
import { toParameters } from './engine/engine.ts'
import type { Dialect, Engine, Statement } from './engine/engine.ts'
import { jsonRows } from './engine/json-rows.ts'
import { mergeWords } from './merge-words.ts'
import { readLeads } from './rows.ts'
import type { Lead } from './rows.ts'

/**
 * How far the index goes. Each batch changes it, so that of two indexers one fails. `leads`: how many
 * it has passed.
 */
export type SearchMark = { leadId: string; doc: number; batch: number; leads: number }

export type SearchDoc = {
  /** Grows with the time the lead came in. */
  doc: number
  leadId: string
  words: readonly string[]
  personKeys: readonly string[]
}

/** `head`: its last event when it was read; '' of a lead that is gone. */
export type DueLead = { id: string; head: string }

export type SearchIndex = {
  readSearchMark(): Promise<SearchMark>
  /** Those that the indexer has not reached, newest first. */
  unindexedLeads(page: { before?: string; limit: number }): Promise<Lead[]>
  /** Oldest first. */
  leadsToIndex(span: { after: string; before: string }, limit: number): Promise<Lead[]>
  /** Ids of leads that came late, or that have a new note; `upTo` this one. */
  dueIds(limit: number, upTo?: string): Promise<string[]>
  docsOf(leadIds: readonly string[]): Promise<Map<string, number>>
  docsFrom(doc: number, limit: number): Promise<number[]>
  /** The document of the newest indexed lead before this one; 0: there is none. */
  docBefore(leadId: string): Promise<number>
  /** `again`: leads that were due, of which the old words go first. False: another indexer was first. */
  writeDocs(
    mark: { from: SearchMark; to: SearchMark },
    docs: readonly SearchDoc[],
    again: readonly DueLead[],
  ): Promise<boolean>
  /** Removes for good the words of deleted documents, where deleting does not. */
  reindexWords(): Promise<void>
  /** For a lead that is stored after the indexer has passed its time. */
  addDue(leadIds: readonly string[]): Promise<void>
}

const markName = 'search-mark'

export function createSearchIndex(engine: Engine): SearchIndex {
  const { dialect } = engine
  return {
    async readSearchMark() {
      const sql = `select value from installation where name = '${markName}'`
      const [row] = await engine.read(sql)
      const [leadId = '', ...numbers] = String(row?.['value'] ?? '').split(' ')
      const [doc = 0, batch = 0, leads = 0] = numbers.map(Number)
      return { leadId, doc, batch, leads }
    },

    unindexedLeads({ before = '~', limit }) {
      // The mark begins with an id, so it stands between that one and the next.
      const mark = `select value from installation where name = '${markName}'`
      const rest = `where id > coalesce((${mark}), '') and id < $1 order by id desc limit $2`
      return readLeads(engine, rest, [before, limit])
    },

    leadsToIndex({ after, before }, limit) {
      const rest = 'where id > $1 and id < $2 order by id limit $3'
      return readLeads(engine, rest, [after, before, limit])
    },

    async dueIds(limit, upTo = '~') {
      const sql = 'select lead_id from search_due where lead_id <= $1 order by lead_id limit $2'
      const rows = await engine.read(sql, [upTo, limit])
      return rows.map((row) => String(row['lead_id']))
    },

    async docsOf(leadIds) {
      if (leadIds.length === 0) return new Map()
      const rows = await engine.read(
        `select lead_id, doc from search_doc where lead_id in (${toParameters(leadIds.length)})`,
        leadIds,
      )
      return new Map(rows.map((row) => [String(row['lead_id']), Number(row['doc'])]))
    },

    async docsFrom(doc, limit) {
      const sql = 'select doc from search_doc where doc >= $1 order by doc limit $2'
      return (await engine.read(sql, [doc, limit])).map((row) => Number(row['doc']))
    },

    async docBefore(leadId) {
      const sql = 'select doc from search_doc where lead_id < $1 order by lead_id desc limit 1'
      return Number((await engine.read(sql, [leadId]))[0]?.['doc'] ?? 0)
    },

    async writeDocs({ from, to }, docs, again) {
      const value = toValue(to)
      const ids = docs.map(({ leadId }) => leadId)
      const [, moved] = await engine.run([
        [
          'insert into installation (name, value) values ($1, $2) on conflict (name) do nothing',
          [markName, toValue(from)],
        ],
        [
          'update installation set value = $1 where name = $2 and value = $3',
          [value, markName, toValue(from)],
        ],
        ...(ids.length > 0 ? [lockLeads(ids)] : []),
        ...again.flatMap((lead) => removeDoc(lead, value)),
        ...insertDocs(docs, value, { dialect, newBlock: beginsBlock(from, to) }),
      ])
      return moved === 1
    },

    reindexWords: () =>
      dialect === 'sqlite' ? mergeWords(engine) : engine.rebuildIndex('search_words'),

    async addDue(leadIds) {
      if (leadIds.length === 0) return
      const sql = 'insert into search_due (lead_id) values ($1) on conflict do nothing'
      await engine.run(leadIds.map((id): Statement => [sql, [id]]))
    },
  }
}

function toValue({ leadId, doc, batch, leads }: SearchMark): string {
  return `${leadId} ${doc} ${batch} ${leads}`
}

/** Whoever erases one of them waits until the batch is committed, and then finds its words. */
function lockLeads(ids: readonly string[]): Statement {
  return [`select id from lead where id in (${toParameters(ids.length)}) for share`, ids]
}

const isMarked = `exists (select 1 from installation where name = '${markName}' and value = $1)`

/** Still due if there is one more note meanwhile. */
function removeDoc({ id, head }: DueLead, value: string): Statement[] {
  const isChanged = 'exists (select 1 from lead where lead.id = $2 and lead.event_head <> $3)'
  return [
    [`delete from search_doc where ${isMarked} and lead_id = $2`, [value, id]],
    [
      `delete from search_due where ${isMarked} and lead_id = $2 and not ${isChanged}`,
      [value, id, head],
    ],
  ]
}

/** The rows travel as one JSON text: a statement for each row costs PostgreSQL several times as much. */
function insertDocs(
  docs: readonly SearchDoc[],
  value: string,
  { dialect, newBlock }: { dialect: Dialect; newBlock: boolean },
): Statement[] {
  const { columns, values, also } = ways[dialect]
  const rows = jsonRows(dialect, '$2')
  const stillThere = `where ${isMarked} and exists
    (select 1 from lead where lead.id = value->>0 and lead.state <> 'erased') on conflict do nothing`
  const keys = docs.flatMap(({ leadId, personKeys }) => personKeys.map((key) => [leadId, key]))
  return [
    [
      `insert into search_doc (${columns})
       select ${values} from ${rows} ${also.replace('new', newBlock ? '1' : '0')} ${stillThere}`,
      [value, JSON.stringify(docs.map((doc) => [doc.leadId, doc.doc, doc.words.join(' ')]))],
    ],
    [
      `insert into person_key (lead_id, key) select value->>0, value->>1 from ${rows} ${stillThere}`,
      [value, JSON.stringify(keys)],
    ],
  ]
}

const ways = {
  sqlite: {
    columns: 'lead_id, doc, words',
    values: 'value->>0, value->>1, value->>2',
    also: '',
  },
  postgres: {
    columns: 'lead_id, doc, block, words',
    values: `value->>0, cast(value->>1 as bigint), block,
      cast(replace(' ' || (value->>2), ' ', ' ' || block || '/') as tsvector)`,
    // The block of the document before it: a late one must not change their order.
    also: `cross join lateral (select coalesce((select block from search_doc
      where doc < cast(value->>1 as bigint) order by doc desc limit 1), 0) + new as block) as its`,
  },
}

/** Large enough for a rare word to be found in few blocks, small enough for a common one in the first. */
const blockSize = 32_768

function beginsBlock(from: SearchMark, to: SearchMark): boolean {
  return Math.floor(from.leads / blockSize) < Math.floor(to.leads / blockSize)
}
