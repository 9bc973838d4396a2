import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import { commandName, packageFolder, packageName } from '../../src/contract/commands.ts'
import { temporaryFolder } from '../support/service.ts'
import { openFlakyLine } from './flaky-line.ts'
import { run } from './run.ts'
import { answerJson, startStandIn } from './stand-in.ts'
import type { Heard } from './stand-in.ts'

test('the package is installed from its tarball alone, and runs on the Node of the system', async (t) => {
  const folder = temporaryFolder(t)
  const env = { npm_config_cache: join(folder, 'cache'), npm_config_loglevel: 'error' }
  const npm = (words: string[], cwd: string) => run(['npm', ...words], { cwd, env })
  const packed = await npm(['pack', '--pack-destination', folder], packageFolder)
  assert.equal(packed.code, 0, packed.error)
  const [tarball] = globSync(join(folder, `${packageName}-*.tgz`))
  const installed = await npm(['install', '--offline', '--prefix', folder, tarball!], folder)
  assert.equal(installed.code, 0, installed.error)

  const home = join(folder, 'node_modules', packageName)
  assert.deepEqual(globSync('*', { cwd: join(home, 'dist') }).sort(), ['consult', 'contract'])
  assert.ok(existsSync(join(home, 'LICENSE')))
  assert.deepEqual(strangeImports(home), [])

  const command = join(folder, 'node_modules', '.bin', commandName)
  const site = await startStandIn(t, (response) =>
    answerJson(response, 200, { ok: true, message: 'Received.' }),
  )
  const line = await openFlakyLine(t, site.url)
  const at = { cwd: folder, baseUrl: line.url }
  const version = await run([systemNode(), command, '--version'], at)
  assert.deepEqual(version, { code: 0, out: `${ownVersion()}\n`, error: '' })
  const words = ['--name', 'Sam', '--email', 'sam@example.com', '--postcode', '0800']
  const sent = await run([systemNode(), command, 'send', ...words, '--timeout', '180', '--yes'], at)
  assert.deepEqual([sent.code, sent.out], [0, 'Received.\n'])
  assert.equal(line.attempts, 3)
  const [{ headers, body }] = site.heard as [Heard]
  assert.equal(headers['user-agent'], `consult/${ownVersion()}`)
  assert.deepEqual(JSON.parse(body), { name_1: 'Sam', email_1: 'sam@example.com', text_1: '0800' })
})

test('the package has the name of the contract and the version of the service', () => {
  const { name, bin, dependencies } = readPackage(packageFolder)
  assert.equal(name, packageName)
  assert.deepEqual(Object.keys(bin), [commandName])
  assert.equal(dependencies, undefined)
  assert.equal(ownVersion(), readPackage('.').version)
})

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

function ownVersion(): string {
  return readPackage(packageFolder).version
}

function readPackage(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    bin: Record<string, string>
    dependencies?: object
  }
}
