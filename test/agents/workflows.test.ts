import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { freePort, startServiceProcess, temporaryFolder } from '../support/service.ts'

test('the published workflows run as they stand against the live service', async (t) => {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const service = await startServiceProcess({
    dataDir: folder,
    env: { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` },
  })
  t.after(() => service.stop())
  const published = await fetch(`${service.url}/arazzo.yaml`)
  writeFileSync(join(folder, 'arazzo.yaml'), await published.text())
  const result = join(folder, 'result.json')
  const { stdout } = await promisify(execFile)(
    resolve('node_modules/.bin/redocly'),
    ['respect', 'arazzo.yaml', `--json-output=${result}`],
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    },
  )
  assert.match(stdout, /Workflows: 3 passed, 3 total/)
  assert.doesNotMatch(stdout, /[1-9]\d* (?:failed|warnings)/)
})
