/** Asks the search index for the newest leads with some words. */
import type { Engine } from './engine/engine.ts'
import { toLead } from './rows.ts'
import type { Lead } from './rows.ts'
import { findByFts5 } from './search-fts5.ts'
import { findByGin } from './search-gin.ts'
import type { Readings } from './sought.ts'

export type SearchQuery = {
  /** Newest first. `before` is the number of a document. */
  findIndexed(readings: Readings, page: { before: number; limit: number }): Promise<Lead[]>
}

export function createSearchQuery(engine: Engine): SearchQuery {
  const find = engine.dialect === 'sqlite' ? findByFts5 : findByGin
  return {
    async findIndexed(readings, page) {
      return (await find(engine, { readings, ...page })).map(toLead)
    },
  }
}
