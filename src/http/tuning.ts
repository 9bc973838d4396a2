/** What V8 is told about a service under load. Neither changes an answer; docs/benchmark.md has what they save. */
import { executionAsyncResource } from 'node:async_hooks'
import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

const alive: object[] = []

/**
 * node makes an object for each `process.nextTick`, several in a request. When a collection finds
 * none of them alive, V8 forgets their shape and makes each one the slow way ever after. So, from
 * the start on, one of them stays alive.
 */
export function keepTickShape(): void {
  process.nextTick(() => alive.push(executionAsyncResource()))
}

/**
 * A request passes through many small functions, and V8's own limits stop before they have become
 * one. Compiled code is remembered for the limits it was compiled under: what a start loads is
 * written down first, and would be refused at the next start if they were changed before that.
 */
export function widenInlining(): void {
  flushCompileCache()
  setFlagsFromString('--max-inlined-bytecode-size=2000')
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=5000')
}
