/** How the cases load their servers. */
import type { Effort } from './case.ts'
import type { Method } from './compare.ts'

export function cpuMethod(effort: Effort): Method {
  return {
    cost: 'cpu',
    connections: 32,
    warmUp: 12_000,
    rounds: 100 * effort,
    untimed: 200,
    timed: 1_000,
    budgetMs: 60_000 * effort,
  }
}

/** For requests that wait for the disk. */
export function durableCpuMethod(connections: number, effort: Effort): Method {
  return {
    ...durableSlice(connections),
    cost: 'cpu',
    warmUp: 12_000,
    rounds: 100 * effort,
    budgetMs: 20_000 * effort,
  }
}

export function durableWallMethod(connections: number, effort: Effort): Method {
  return {
    ...durableSlice(connections),
    cost: 'wall',
    warmUp: 3_000,
    rounds: 50 * effort,
    budgetMs: 15_000 * effort,
  }
}

/** A single connection waits for the disk with every request, so its slices are shorter. */
function durableSlice(connections: number) {
  return { connections, untimed: connections * 3, timed: connections === 1 ? 250 : 1_000 }
}
