import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import test, { after, before } from 'node:test'
import { commandName, packageName } from '../../src/contract/commands.ts'
import { freePort, startServiceProcess, temporaryFolder } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { openFlakyLine } from './flaky-line.ts'
import { run } from './run.ts'
import { answerJson, startStandIn } from './stand-in.ts'
import type { Heard } from './stand-in.ts'

const cleanUps: (() => void)[] = []
const dataDir = temporaryFolder({ after: (callback) => cleanUps.push(callback) })
let service: RunningService
let baseUrl: string

before(async () => {
  const port = await freePort()
  baseUrl = `http://localhost:${port}`
  service = await startServiceProcess({ dataDir, env: { PORT: String(port) } })
})
after(async () => {
  await service.stop()
  for (const cleanUp of cleanUps) cleanUp()
})

test('in an empty folder, the first command of /cli.md runs the tool, and one like it sends a lead', async (t) => {
  const page = await (await fetch(`${baseUrl}/cli.md`)).text()
  const [, first] = /^# .*\n\n```sh\n(.+)\n```\n/.exec(page)!
  const [program, ...words] = first!.split(' ')
  assert.equal(program, 'npx')
  const npx = (more: readonly string[]) => runNpm([program, ...more], temporaryFolder(t))
  const help = await npx(words)
  assert.equal(help.code, 0, help.error)
  assert.ok(help.out.includes(`The site is ${baseUrl};`), help.out)
  const start = words.slice(0, words.indexOf(commandName) + 1)
  const lead = ['send', '--yes', '--name', 'Sam', '--email', 'npx@example.com']
  const sent = await npx([...start, ...lead])
  assert.equal(sent.code, 0, sent.error)
  assert.match(sent.out, /Consultation request was received/)
  assert.deepEqual(
    readStored(join(dataDir, 'leads.sqlite'))
      .leads.filter(({ values }) => values.email === 'npx@example.com')
      .map(({ door }) => door),
    ['cli'],
  )
})

test('installed for good, the tool runs on the Node of the system and says the version of the page', async (t) => {
  const folder = temporaryFolder(t)
  const page = await (await fetch(`${baseUrl}/cli.md`)).text()
  const [, version] = /This runs version (\S+) of/.exec(page)!
  const [, url] = /^npm install --global (\S+)$/m.exec(page)!
  const installed = await runNpm(['npm', 'install', '--global', '--prefix', folder, url!], folder)
  assert.equal(installed.code, 0, installed.error)
  const home = join(folder, 'lib/node_modules', packageName)
  assert.deepEqual(globSync('*', { cwd: join(home, 'dist') }).sort(), ['consult', 'contract'])
  assert.ok(existsSync(join(home, 'LICENSE')))
  assert.deepEqual(strangeImports(home), [])

  const command = join(folder, 'bin', commandName)
  const site = await startStandIn(t, (response) =>
    answerJson(response, 200, { ok: true, message: 'Received.' }),
  )
  const line = await openFlakyLine(t, site.url)
  const at = { cwd: folder, baseUrl: line.url }
  const said = await run([systemNode(), command, '--version'], at)
  assert.deepEqual(said, { code: 0, out: `${version}\n`, error: '' })
  const words = ['--name', 'Sam', '--email', 'sam@example.com', '--postcode', '0800']
  const sent = await run([systemNode(), command, 'send', ...words, '--timeout', '180', '--yes'], at)
  assert.deepEqual([sent.code, sent.out], [0, 'Received.\n'])
  assert.equal(line.attempts, 3)
  const [{ headers, body }] = site.heard as [Heard]
  assert.equal(headers['user-agent'], `consult/${version}`)
  assert.deepEqual(JSON.parse(body), { name_1: 'Sam', email_1: 'sam@example.com', text_1: '0800' })
})

test('the package is the same, byte for byte, from a service that is started anew', async (t) => {
  const first = await fetch(`${baseUrl}/consult.tgz`)
  assert.deepEqual([first.status, first.headers.get('content-type')], [200, 'application/gzip'])
  const bytes = Buffer.from(await first.arrayBuffer())
  const other = await startServiceProcess({
    dataDir: temporaryFolder(t),
    env: { BASE_URL: baseUrl },
  })
  t.after(() => other.stop())
  const again = await fetch(`${other.url}/consult.tgz`)
  assert.ok(bytes.equals(Buffer.from(await again.arrayBuffer())))
  assert.equal(again.headers.get('etag'), first.headers.get('etag'))
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

/** Nothing but Node itself, and files of its own. */
function strangeImports(home: string): string[] {
  return globSync('dist/**/*.js', { cwd: home })
    .flatMap((file) => [...readFileSync(join(home, file), 'utf8').matchAll(/from '([^']+)'/g)])
    .map(([, name]) => name!)
    .filter((name) => !name.startsWith('node:') && !/^\.\.?\/[\w./-]+\.js$/.test(name))
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
