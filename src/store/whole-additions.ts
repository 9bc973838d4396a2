/** All additions of the store. Loaded with their first use. */
import type { Engine } from './engine/engine.ts'
import { createAged } from './aged.ts'
import { createErasing } from './erasing.ts'
import { createExports } from './exports.ts'
import { createFigures } from './figures.ts'
import { createNotes } from './notes.ts'
import { createPeople } from './people.ts'
import { createSearch } from './search.ts'
import { createToldLeads } from './told.ts'
import { createViews } from './views.ts'

/** Their types are in additions.ts. */
export function createWholeAdditions(engine: Engine) {
  return {
    ...createAged(engine),
    ...createErasing(engine),
    ...createExports(engine),
    ...createFigures(engine),
    ...createNotes(engine),
    ...createPeople(engine),
    ...createSearch(engine),
    ...createToldLeads(engine),
    ...createViews(engine),
  }
}
