/** `lead-intake leads show`: one lead and its history. */
import { howToType } from '../how-to-type.ts'
import type { Lead } from '../store/rows.ts'
import { findNamed } from '../lead/find.ts'
import type { Store } from '../store/store.ts'
import { eventWords } from './event-words.ts'
import { withStoreToRead } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toShown, toShownNotes, toTime } from '../desk/shown-lead.ts'
import { toPlain, toPlainLines, toTable } from './table.ts'

export async function showLead(reference: string, { json }: { json?: true }): Promise<void> {
  await withStoreToRead(async (store) => {
    const lead = await findOne(store, reference)
    const [events = []] = await store.eventsOf([lead])
    const notes = toShownNotes(await store.notesOf([lead]))
    if (json) {
      const shown = events.map(({ at, kind, data }) => ({
        at: toTime(at),
        kind,
        data: JSON.parse(data),
      }))
      return print(toJson({ ...toShown(lead), notes, events: shown }))
    }
    const facts = Object.entries(toShown(lead)).filter(([, value]) => value !== '')
    await print(
      facts.map(([name, value]) => `${name.padEnd(17)} ${indent(String(value))}\n`).join(''),
    )
    for (const { at, words } of notes) {
      await print(`${'note'.padEnd(17)} ${indent(`${at} ${words}`)}\n`)
    }
    const members = await (await store.access()).listMembers()
    const rows = events.map(({ at, kind, data }) => [toTime(at), kind, eventWords(data, members)])
    await print(`\n${toTable(['at', 'event', 'with'], rows)}`)
  })
}

export async function findOne(
  store: Pick<Store, 'findLead' | 'findByReference'>,
  reference: string,
): Promise<Lead> {
  const lead = await findNamed(store, reference)
  if (lead === undefined) {
    throw new CommandFailed(
      'missing',
      `There is no lead ${toPlain(reference)}. See "${howToType('leads list')}".`,
    )
  }
  return lead
}

function indent(text: string): string {
  return toPlainLines(text).replaceAll('\n', `\n${' '.repeat(18)}`)
}
