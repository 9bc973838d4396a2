/** Whether a lead could be committed now, shown by a test commit. */
import type { ReportFailure } from '../log.ts'
import type { Store } from './store.ts'

const probeTimeoutMs = 2_000

export type ProveParts = {
  store: Pick<Store, 'probe'>
  reportFailure: ReportFailure
  now: () => number
}

export type Prove = () => Promise<boolean>

/** One commit answers everybody who asks meanwhile. */
export function createProve({ store, reportFailure, now }: ProveParts): Prove {
  let proving: Promise<boolean> | undefined
  return () => (proving ??= prove().finally(() => (proving = undefined)))

  function prove(): Promise<boolean> {
    return Promise.race([
      store.probe(now()).then(
        () => true,
        (error: unknown) => {
          reportFailure('health.probe-failed', error)
          return false
        },
      ),
      new Promise<false>((resolve) => setTimeout(resolve, probeTimeoutMs, false).unref()),
    ])
  }
}
