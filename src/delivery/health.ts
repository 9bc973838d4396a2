/** Whether a channel as a whole works, judged by what came of its deliveries. */
import type { Sent } from './channel.ts'
import { failuresUntilDown, restMs } from './schedule.ts'

export class ChannelHealth {
  #rest = { from: 0, ms: 0 }
  #failuresInARow = 0
  /** True at the start: how long the channel was gone before is not known. */
  #wasDown = true

  get isDown(): boolean {
    return this.#failuresInARow >= failuresUntilDown
  }

  note(sent: Sent, at: number): void {
    if (sent.kind === 'delivered' || sent.kind === 'refused') this.#failuresInARow = 0
    if (sent.kind !== 'failed' || !sent.channelFault) return
    this.#failuresInARow += 1
    this.#wasDown ||= this.isDown
    this.#rest = { from: at, ms: restMs(this.#failuresInARow) }
  }

  /** How long no delivery is to be tried; 0 too where the clock was set back behind the failure. */
  restLeftMs(at: number): number {
    const { from, ms } = this.#rest
    return at < from ? 0 : Math.max(0, from + ms - at)
  }

  /** True for the first delivery that gets through after a start or after the channel was down. */
  isBackWith(sent: Sent): boolean {
    if (sent.kind !== 'delivered' || !this.#wasDown) return false
    this.#wasDown = false
    return true
  }
}
