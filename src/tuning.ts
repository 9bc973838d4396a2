/** What V8 is told about a service under load. It changes no answer; docs/benchmark.md has what it saves. */
import { executionAsyncResource } from 'node:async_hooks'

const alive: object[] = []

/**
 * node makes an object for each `process.nextTick`, several in a request. When a full collection
 * finds none of them alive, V8 forgets their shape and allocates them slowly from then on. So one
 * of them stays alive.
 */
export function keepTickShape(): void {
  process.nextTick(() => alive.push(executionAsyncResource()))
}
