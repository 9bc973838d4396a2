/** `lead-intake leads show`: one lead and its history. */
import type { Lead } from '../store/rows.ts'
import { findNamed } from '../lead/find.ts'
import type { Store } from '../store/store.ts'
import { withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toShown, toTime } from './shown-lead.ts'
import { toPlain, toPlainLines, toTable } from './table.ts'

export async function showLead(reference: string, { json }: { json?: true }): Promise<void> {
  await withStoreToRead(async (store) => {
    const lead = await findOne(store, reference)
    const [events = []] = await store.eventsOf([lead])
    if (json) {
      const shown = events.map(({ at, kind, data }) => ({
        at: toTime(at),
        kind,
        data: readData(data),
      }))
      return print(toJson({ ...toShown(lead), events: shown }))
    }
    const facts = Object.entries(toShown(lead)).filter(([, value]) => value !== '')
    await print(
      facts.map(([name, value]) => `${name.padEnd(17)} ${indent(String(value))}\n`).join(''),
    )
    const rows = events.map(({ at, kind, data }) => [toTime(at), kind, toPlain(data)])
    await print(`\n${toTable(['at', 'event', 'with'], rows)}`)
  })
}

export async function findOne(
  store: Pick<Store, 'findLead' | 'findByReference'>,
  reference: string,
): Promise<Lead> {
  const [lead, ...others] = await findNamed(store, reference)
  if (lead === undefined) {
    throw new CommandFailed(
      'missing',
      `There is no lead ${toPlain(reference)}. See "lead-intake leads list".`,
    )
  }
  if (others.length > 0) {
    const ids = [lead, ...others].map(({ id }) => id).join(', ')
    throw new CommandFailed(
      'usage',
      `Several leads share this reference. Name one by its id: ${ids}.`,
    )
  }
  return lead
}

/** The raw text if it was changed to invalid JSON; `events verify` reports that. */
function readData(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

function indent(text: string): string {
  return toPlainLines(text).replaceAll('\n', `\n${' '.repeat(18)}`)
}
