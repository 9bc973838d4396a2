/**
 * Prints what failed, what could not be run here, what a test measured, and as its last line how many
 * passed and failed.
 */
import { relative } from 'node:path'
import { inspect } from 'node:util'
import type { TestEvent } from 'node:test/reporters'

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0
  let failed = 0
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.details.type !== 'suite') {
      if (data.skip === undefined) passed += 1
      // Without a reason it is a test of the other engine.
      else if (typeof data.skip === 'string') yield `NOT RUN ${data.name}: ${data.skip}\n`
    }
    if (type === 'test:fail' && data.details.type !== 'suite') {
      failed += 1
      const { cause } = data.details.error
      yield `\nFAILED ${data.name}\n  ${place(data)}\n${inspect(cause ?? data.details.error)}\n`
    }
    if (type === 'test:diagnostic' && data.message.startsWith('{')) yield `${data.message}\n`
    if (type === 'test:stderr') yield data.message
  }
  yield `\n${passed} passed, ${failed} failed\n`
}

function place(data: { file?: string; line?: number }): string {
  return data.file === undefined ? '' : `${relative('.', data.file)}:${data.line}`
}
