/** Asks the search index for the newest documents with some words. */
import type { Engine } from './engine/engine.ts'
import { findByFts5 } from './search-fts5.ts'
import { findByGin } from './search-gin.ts'
import type { Readings } from './sought.ts'

export type FoundDoc = { doc: number; leadId: string }

export type SearchQuery = {
  /** Newest first. */
  findDocs(readings: Readings, page: { before: number; limit: number }): Promise<FoundDoc[]>
}

export function createSearchQuery(engine: Engine): SearchQuery {
  const find = engine.dialect === 'sqlite' ? findByFts5 : findByGin
  return {
    async findDocs(readings, page) {
      const rows = await find(engine, { readings, ...page })
      return rows.map((row) => ({ doc: Number(row['doc']), leadId: String(row['lead_id']) }))
    },
  }
}
