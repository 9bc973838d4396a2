import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import test, { after } from 'node:test'
import { freePort, temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { readStored } from '../support/stored.ts'
import { run } from '../support/consult.ts'

const dataDir = temporaryFolder({ after })
const port = await freePort()
const baseUrl = `http://localhost:${port}`
await startServiceHere({ after }, { dataDir, env: { PORT: String(port) } })

test('in an empty folder, the first command of /cli.md runs the tool, and the tool that it has installed sends a lead', async (t) => {
  const page = await (await fetch(`${baseUrl}/cli.md`)).text()
  const [, first] = /^# .*\n\n```sh\n(.+)\n```\n/.exec(page)!
  const [program, ...words] = first!.split(' ')
  assert.equal(program, 'npx')
  const cwd = temporaryFolder(t)
  const help = await runNpm([program, ...words], cwd)
  assert.equal(help.code, 0, help.error)
  assert.match(help.out, /^Usage: consult/)
  // The second time npx would start what it has installed the first time.
  const [installed = ''] = globSync(join(cwd, 'home/cache/_npx/*/node_modules/.bin/consult'))
  const input = JSON.stringify({ name_1: 'Sam', email_1: 'npx@example.com' })
  const sent = await run([installed, 'send', '-', '--yes'], { cwd, input })
  assert.equal(sent.code, 0, sent.error)
  assert.match(sent.error, /Consultation request was received/)
  assert.deepEqual(
    readStored(join(dataDir, 'leads.sqlite'))
      .leads.filter(({ values }) => values.email === 'npx@example.com')
      .map(({ door }) => door),
    ['cli'],
  )
})

/** With no registry and nothing from before. */
function runNpm(words: readonly string[], cwd: string) {
  const home = join(cwd, 'home')
  mkdirSync(home)
  const env = {
    HOME: home,
    PATH: `${dirname(systemNode())}${delimiter}${process.env['PATH']}`,
    npm_config_cache: join(home, 'cache'),
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_loglevel: 'error',
  }
  return run(words, { cwd, env })
}

/** The oldest promise is Node 20; where the project brings a newer one, the other is on the PATH. */
function systemNode(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => Number(/\d+/.exec(execFileSync(path, ['--version']).toString())![0]) >= 20)
  return found ?? process.execPath
}
