import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'

const suite = resolve('node_modules/.bin/conformance')

/**
 * Its scenarios also ask for tools and features of a test server. What fails for want of those is
 * listed; anything else that fails, or that passes and is still listed, fails here. Side by side,
 * because they spend most of their time waiting.
 */
describe('the conformance suite of the protocol', { concurrency: true }, () => {
  for (const version of ['2025-11-25', '2026-07-28']) {
    test(`finds nothing new in version ${version} [4.3.mcp]`, async (t) => {
      const service = await startServiceProcess({ dataDir: temporaryFolder(t) })
      t.after(() => service.stop())
      const expected = `test/data/mcp-conformance/base.${version}.yml`
      const { code, output } = await run(`${service.url}/mcp`, version, expected)
      assert.equal(code, 0, output)
    })
  }
})

function run(
  url: string,
  version: string,
  expected: string,
): Promise<{ code: number; output: string }> {
  const options = ['--url', url, '--requirements', version, '--expected-failures', expected]
  return new Promise((done) => {
    execFile(suite, ['server', ...options], (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}
