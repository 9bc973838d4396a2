/** Work that comes round by the clock, one turn after the other. */

export type ByClock = {
  /** Begins no more turns; resolves when the one under way has ended. */
  stop(): Promise<void>
}

/** `work` sees to its own failures, and returns how long to rest, in milliseconds. */
export function repeatByClock(work: () => Promise<number>, firstMs: number): ByClock {
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let stopped = false
  plan(firstMs)
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }

  function plan(waitMs: number): void {
    if (stopped) return
    timer = setTimeout(() => {
      working = work().then(plan)
    }, waitMs).unref()
  }
}
