/**
 * What the desk and the monitoring ask of the store, besides leads, moves and deliveries. Loaded with
 * the first use: together they would take a tenth of every start.
 */
import { createLateMethods } from '../lazy.ts'
import type { Engine } from './engine/engine.ts'
import type { Aged } from './aged.ts'
import type { Erasing } from './erasing.ts'
import type { Exports } from './exports.ts'
import type { Figures } from './figures.ts'
import type { Notes } from './notes.ts'
import type { People } from './people.ts'
import type { Search } from './search.ts'
import type { ToldLeads } from './told.ts'
import type { Views } from './views.ts'

export type Additions = Aged &
  Erasing &
  Exports &
  Figures &
  Notes &
  People &
  Search &
  ToldLeads &
  Views

const names = {
  agedLeads: true,
  eraseLead: true,
  eraseLeads: true,
  noteExport: true,
  listExports: true,
  newestLeadAt: true,
  countWanted: true,
  waitingSince: true,
  addNote: true,
  notesOf: true,
  personKeysOf: true,
  leadsOfPerson: true,
  findByWords: true,
  reindexWords: true,
  toldOf: true,
  leadsInStates: true,
  countStates: true,
  findLeads: true,
} as const satisfies Record<keyof Additions, true>

export function createAdditions(engine: Engine): Additions {
  return createLateMethods<Additions>(names, async () => {
    const { createWholeAdditions } = await import('./whole-additions.ts')
    return createWholeAdditions(engine)
  })
}
