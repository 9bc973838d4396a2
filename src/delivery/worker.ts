/** Tells every channel what is due. Each channel has a lane of its own, so that a dead one delays nobody. */
import type { Log } from '../log.ts'
import type { Leased, NewDelivery } from '../store/delivery-rows.ts'
import type { Store } from '../store/store.ts'
import type { DeliveryChannel } from './channel.ts'
import { createLane } from './lane.ts'
import type { Notice } from './notice.ts'

export type WorkerParts = {
  store: Pick<Store, 'leaseDeliveries' | 'finishDelivery' | 'nextDue' | 'retryPutOff'>
  channels: readonly DeliveryChannel[]
  /** `undefined`: there is nothing left to tell. */
  readNotice: (delivery: Leased) => Promise<{ at: number; notice: Notice } | undefined>
  /** What is to be told later, because this was delivered or died. */
  whatFollows: (delivery: Leased, ending: 'delivered' | 'dead', at: number) => NewDelivery[]
  log: Log
  now: () => number
  random: () => number
}

export type DeliveryWorker = {
  /** Something may be due: a lead was committed, or a time has come. */
  wake(): void
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** What is under way is given a moment to end, then it is given back. */
  stop(patienceMs: number): Promise<void>
}

export function createWorker(parts: WorkerParts): DeliveryWorker {
  const lanes = parts.channels.map((channel) => createLane(parts, channel))
  return {
    wake() {
      for (const lane of lanes) lane.wake()
    },
    async settled() {
      while (lanes.some((lane) => lane.isBusy())) {
        await Promise.all(lanes.map((lane) => lane.settled()))
      }
    },
    async stop(patienceMs) {
      await Promise.all(lanes.map((lane) => lane.stop(patienceMs)))
      for (const channel of parts.channels) channel.close()
    },
  }
}
