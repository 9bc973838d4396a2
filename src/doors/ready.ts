/**
 * GET /readyz: how it stands with the database and with telling the owner, for the operator's own tools on this machine. To
 * anybody else, and through any proxy that says for whom it asks, there is nothing here.
 */
import { jsonAnswer } from '../http/answer.ts'
import type { App } from '../http/message.ts'
import type { Store } from '../store/store.ts'

export type ReadyParts = {
  store: Pick<Store, 'state' | 'countDeliveries'>
  notFound: App
  now: () => number
}

/** 200 when all is well. 503 is no reason to send people elsewhere: `GET /api/lead` tells that. */
export function createReadyDoor({ store, notFound, now }: ReadyParts): App {
  return async (ask) => {
    if (!ask.address.local) return notFound(ask)
    const { away, spool } = await store.state()
    const refused = spool?.rejected.length ?? 0
    const deliveries = await countAll(store)
    const isWell = away === undefined && refused === 0 && !deliveries?.dead
    return jsonAnswer(isWell ? 200 : 503, {
      ready: isWell,
      database: away ?? 'ok',
      spool: {
        depth: spool?.depth ?? 0,
        oldest_age_s:
          spool?.oldestAt === undefined ? 0 : Math.ceil((now() - spool.oldestAt) / 1000),
        rejected: refused,
      },
      deliveries,
    })
  }
}

/** `undefined` while the database is away. */
async function countAll(
  store: Pick<Store, 'countDeliveries'>,
): Promise<{ waiting: number; dead: number } | undefined> {
  const counts = await store.countDeliveries().catch(() => undefined)
  return counts?.reduce(
    (sum, { waiting, dead }) => ({ waiting: sum.waiting + waiting, dead: sum.dead + dead }),
    { waiting: 0, dead: 0 },
  )
}
