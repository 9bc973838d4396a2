/** How much a network has sent to each of several nodes, for limits that hold across them. */
import type { Engine, Statement } from './engine.ts'
import { toInsertSql } from './insert.ts'

export type Usage = {
  /** The name of the limit. */
  limit: string
  /** A keyed hash: the database names nobody's address. */
  network: string
  amount: number
  /** When its window closes. */
  endsAt: number
}

/** Tells what this node has counted, and answers with what the others have, for the same networks. */
export type ShareUsage = (
  node: string,
  own: readonly Usage[],
  now: number,
) => Promise<Omit<Usage, 'endsAt'>[]>

export function createShareUsage(engine: Engine): ShareUsage {
  return async (node, own, now) => {
    if (own.length === 0) return []
    await engine.run(own.map((usage) => toUpsert(node, usage)))
    await engine.run([['delete from network_usage where ends_at <= $1', [now]]])
    const places = own.map((_, index) => `$${index + 3}`).join(', ')
    const rows = await engine.read(
      `select limit_name, network, cast(sum(amount) as bigint) as amount from network_usage
       where node <> $1 and ends_at > $2 and network in (${places}) group by limit_name, network`,
      [node, now, ...own.map(({ network }) => network)],
    )
    return rows.map((row) => ({
      limit: String(row['limit_name']),
      network: String(row['network']),
      amount: Number(row['amount']),
    }))
  }
}

function toUpsert(node: string, { limit, network, amount, endsAt }: Usage): Statement {
  return [upsertSql, [network, limit, node, amount, endsAt]]
}

const upsertSql = toInsertSql({
  into: 'network_usage',
  given: {
    network: 'text',
    limit_name: 'text',
    node: 'text',
    amount: 'bigint',
    ends_at: 'bigint',
  },
  conflict:
    'on conflict (limit_name, network, node) do update set amount = excluded.amount, ends_at = excluded.ends_at',
  collidesOn: 'network',
})
