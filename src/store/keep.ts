/** Keeps a lead with its deliveries: all or nothing, and once. Chooses between the two ways to do so. */
import type { Engine } from './engine/engine.ts'
import { createKeepByKey } from './keep-by-key.ts'
import type { OtherStore } from './keep-by-key.ts'
import { createKeepByMemory } from './keep-by-memory.ts'
import type { KeepLead } from './kept.ts'
import { createRepeats } from './repeats.ts'

/** `repeats` is shared where two engines keep leads for one node. */
export function createKeepLead(
  engine: Engine,
  other?: OtherStore,
  repeats = createRepeats(),
): KeepLead {
  const keepByKey = createKeepByKey(engine, repeats, other)
  if (!engine.soleWriter) return keepByKey
  const keepByMemory = createKeepByMemory(engine, repeats)
  return (lead) => (lead.dedup.by === 'content' ? keepByMemory(lead) : keepByKey(lead))
}
