/** `lead-intake leads rejected`: leads in this node's spool that PostgreSQL refused. */
import { toTime } from '../desk/shown-lead.ts'
import type { Lead } from '../store/rows.ts'
import { openRejected } from '../store/spool/rejected.ts'
import type { Rejected, RejectedLeads } from '../store/spool/rejected.ts'
import { findOne } from './leads-show.ts'
import { settingsOrFail } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toPlain, toTable } from './table.ts'

export async function listRejected({ json }: { json?: true }): Promise<void> {
  await withRejected(async (rejected) => {
    const shown = (await rejected.list()).map(toShownRejection)
    if (json) return print(toJson(shown))
    if (shown.length === 0) return print('No rejected leads.\n')
    const rows = shown.map((each) => [each.reference, each.received_at, toPlain(each.reason)])
    return print(toTable(['reference', 'received at', 'refused for'], rows))
  })
}

export async function retryRejected(
  reference: string | undefined,
  { json }: { json?: true },
): Promise<void> {
  const moved = await withRejected(async (rejected) => {
    const all = (await rejected.list()).map(({ lead }) => lead)
    const named = reference === undefined ? all : [await findRejected(rejected, reference)]
    return rejected.retry(named, Date.now())
  })
  const shown = moved.map(({ entry, rejectedFor }) => ({
    reference: entry.lead.reference,
    kept: rejectedFor === undefined,
    reason: rejectedFor ?? '',
  }))
  const lines = shown.map(
    (each) => `${each.reference}: ${each.kept ? 'in the database' : `refused: ${each.reason}`}\n`,
  )
  await print(json ? toJson(shown) : lines.join('') || 'No rejected leads.\n')
  const refused = shown.filter(({ kept }) => !kept).length
  if (refused === 0) return
  throw new CommandFailed('unwell', `PostgreSQL still refuses ${refused}. They stay in the spool.`)
}

export async function eraseRejected(
  reference: string,
  { yes, json }: { yes?: true; json?: true },
): Promise<void> {
  if (!yes) {
    throw new CommandFailed(
      'usage',
      'This removes the lead from the spool, the only place where it is, and cannot be undone. Add --yes.',
    )
  }
  await withRejected(async (rejected) => {
    const lead = await findRejected(rejected, reference)
    const isForgotten = await rejected.erase(lead)
    await print(
      json ? toJson({ reference: lead.reference, erased: true }) : `${lead.reference}: erased\n`,
    )
    if (isForgotten) return
    throw new CommandFailed(
      'unwell',
      'It is erased, but another program keeps the write-ahead log of the spool busy, which may still hold the old text. Restart the service to empty it.',
    )
  })
}

async function findRejected(rejected: RejectedLeads, reference: string): Promise<Lead> {
  const lead = await findOne(rejected.spool, reference)
  if ((await rejected.list()).some((each) => each.lead.id === lead.id)) return lead
  throw new CommandFailed('missing', `${lead.reference} waits in the spool, but is not refused.`)
}

function toShownRejection({ lead, at, reason }: Rejected) {
  return {
    reference: lead.reference,
    id: lead.id,
    received_at: toTime(lead.receivedAt),
    refused_at: toTime(at),
    reason,
  }
}

async function withRejected<T>(work: (rejected: RejectedLeads) => Promise<T>): Promise<T> {
  const rejected = openRejected(settingsOrFail())
  if (rejected === undefined) {
    throw new CommandFailed(
      'missing',
      'There is no spool in DATA_DIR. Only a node with PostgreSQL has one: run this on that node, with its settings.',
    )
  }
  try {
    return await work(rejected)
  } finally {
    await rejected.close()
  }
}
