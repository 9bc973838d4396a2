/** Deliveries on their way: each is claimed by one worker at a time, on whatever node. */
import type { Engine, Row } from './engine.ts'

export type Delivery = {
  id: string
  leadId: string
  channel: string
  kind: string
  /** This one included. Tells a worker whose claim ran out from the one that took over. */
  attempts: number
}

export type DeliveryOutcome =
  | { kind: 'delivered' }
  | { kind: 'failed'; problem: string; dueAt: number }
  /** It will not be tried again. */
  | { kind: 'dead'; problem: string }

export type Deliveries = {
  /** Those that are due, for this worker alone until the lease ends; then they are due again. */
  claimDeliveries(now: number, limit: number, leaseMs: number): Promise<Delivery[]>
  /** False: the lease had ended, and another worker has claimed it since. */
  finishDelivery(
    delivery: Pick<Delivery, 'id' | 'attempts'>,
    outcome: DeliveryOutcome,
    at: number,
  ): Promise<boolean>
}

export function createDeliveries(engine: Pick<Engine, 'run'>): Deliveries {
  return {
    async claimDeliveries(now, limit, leaseMs) {
      const [claimed] = await engine.run([[claimSql, [now, limit, now + leaseMs]]])
      return (claimed as Row[]).map(toDelivery)
    },
    async finishDelivery({ id, attempts }, outcome, at) {
      const problem = outcome.kind === 'delivered' ? '' : outcome.problem
      const [finished] =
        outcome.kind === 'failed'
          ? await engine.run([[laterSql, [id, attempts, problem, outcome.dueAt]]])
          : await engine.run([[doneSql, [id, attempts, problem, at, outcome.kind]]])
      return finished === 1
    },
  }
}

// Materialized: otherwise PostgreSQL may run the inner select again for every row, and claim too many.
const claimSql = `
  with due as materialized (
    select id from delivery where done_at is null and due_at <= $1
    order by due_at limit $2 for update skip locked
  )
  update delivery set due_at = $3, attempts = attempts + 1 where id in (select id from due)
  returning id, lead_id, channel, kind, attempts`

const laterSql =
  'update delivery set problem = $3, due_at = $4 where id = $1 and attempts = $2 and done_at is null'
const doneSql = `
  update delivery set problem = $3, done_at = $4, outcome = $5
  where id = $1 and attempts = $2 and done_at is null`

function toDelivery(row: Row): Delivery {
  return {
    id: String(row['id']),
    leadId: String(row['lead_id']),
    channel: String(row['channel']),
    kind: String(row['kind']),
    attempts: Number(row['attempts']),
  }
}
