import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { documents } from '../../src/contract/documents.ts'
import { isUnguessable } from '../../src/contract/idempotency-key.ts'
import { freePort, startServiceProcess, temporaryFolder } from '../support/service.ts'

const program = (name: string) =>
  process.env['PATH']!.split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

const guides = [documents.llms.path, documents.skill.path, '/agents.md']

test('a sample makes a key that nobody guesses, and sends a lead', async (t) => {
  const folder = temporaryFolder(t)
  for (const name of ['sh', 'cat']) symlinkSync(program(name)!, join(folder, name))
  const curl = program('curl')
  if (curl !== undefined) symlinkSync(curl, join(folder, 'curl'))
  const shell = (script: string) =>
    promisify(execFile)('sh', ['-c', script], { env: { PATH: folder } })
  const port = await freePort()
  const service = await startServiceProcess({
    dataDir: temporaryFolder(t),
    env: { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` },
  })
  t.after(() => service.stop())
  for (const path of guides) {
    const guide = await (await fetch(service.url + path)).text()
    const samples = [...guide.matchAll(/^```sh\n(.+?)\n```$/gms)].map(([, script]) => script!)
    const sample = samples.find((script) => script.includes('/api/lead'))!
    const { stdout: key } = await shell(`${sample.split('\n')[0]}\nprintf %s "$KEY"`)
    assert.ok(isUnguessable(key), `${path}: ${key}`)
    // A machine without curl has shown that the key is good.
    if (curl === undefined) continue
    const { stdout } = await shell(sample)
    assert.equal((JSON.parse(stdout) as { ok: boolean }).ok, true, path)
  }
})
