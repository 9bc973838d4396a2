/**
 * GET /readyz: how it stands with the database, for the operator's own tools on this machine. To
 * anybody else, and through any proxy that says for whom it asks, there is nothing here.
 */
import { jsonAnswer } from '../http/answer.ts'
import type { App } from '../http/message.ts'
import type { Store } from '../store/store.ts'

export type ReadyParts = { store: Pick<Store, 'state'>; notFound: App; now: () => number }

/** 200 when all is well. 503 is no reason to send people elsewhere: `GET /api/lead` tells that. */
export function createReadyDoor({ store, notFound, now }: ReadyParts): App {
  return async (ask) => {
    if (!ask.address.local) return notFound(ask)
    const { away, spool } = await store.state()
    const refused = spool?.setAside.length ?? 0
    const isWell = away === undefined && refused === 0
    return jsonAnswer(isWell ? 200 : 503, {
      ready: isWell,
      database: away ?? 'ok',
      spool: {
        depth: spool?.depth ?? 0,
        oldest_age_s:
          spool?.oldestAt === undefined ? 0 : Math.ceil((now() - spool.oldestAt) / 1000),
        set_aside: refused,
      },
    })
  }
}
