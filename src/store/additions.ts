/** What the desk and the monitoring ask of the store, besides leads, moves and deliveries. */
import type { Engine } from './engine/engine.ts'
import { createAged } from './aged.ts'
import type { Aged } from './aged.ts'
import { createChains } from './chains.ts'
import type { Chains } from './chains.ts'
import { createErasing } from './erasing.ts'
import type { Erasing } from './erasing.ts'
import { createExports } from './exports.ts'
import type { Exports } from './exports.ts'
import { createFigures } from './figures.ts'
import type { Figures } from './figures.ts'
import { createNotes } from './notes.ts'
import type { Notes } from './notes.ts'
import { createPeople } from './people.ts'
import type { People } from './people.ts'
import { createSearchIndex } from './search-index.ts'
import type { SearchIndex } from './search-index.ts'
import { createSearchQuery } from './search-query.ts'
import type { SearchQuery } from './search-query.ts'
import { createToldLeads } from './told.ts'
import type { ToldLeads } from './told.ts'
import { createViews } from './views.ts'
import type { Views } from './views.ts'

export type Additions = Aged &
  Chains &
  Erasing &
  Exports &
  Figures &
  Notes &
  People &
  SearchIndex &
  SearchQuery &
  ToldLeads &
  Views

export function createAdditions(engine: Engine): Additions {
  return {
    ...createAged(engine),
    ...createChains(engine),
    ...createErasing(engine),
    ...createExports(engine),
    ...createFigures(engine),
    ...createNotes(engine),
    ...createPeople(engine),
    ...createSearchIndex(engine),
    ...createSearchQuery(engine),
    ...createToldLeads(engine),
    ...createViews(engine),
  }
}
