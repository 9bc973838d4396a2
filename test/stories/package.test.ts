/** The npm package, as somebody without this checkout gets it. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { before } from 'node:test'
import { promisify } from 'node:util'
import { openRegistry } from '../support/registry.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'

const cleanUps: (() => void)[] = []
const cleaner = { after: (callback: () => void) => cleanUps.push(callback) }
test.after(() => cleanUps.forEach((cleanUp) => cleanUp()))

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
let tarball: string
let registry: string

before(async () => {
  tarball = await pack(temporaryFolder(cleaner))
  registry = await openRegistry(cleaner, [tarball])
})

test('the package holds what it needs, compiled, and nothing else', async () => {
  const paths = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))
  const top = new Set(paths.map((path) => path.split('/')[0]!))
  assert.deepEqual([...top].toSorted(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'content',
    'dist',
    'package.json',
    'public',
  ])
  assert.deepEqual(
    paths.filter((path) => /\.(?:ts|map|test\.js)$/.test(path)),
    [],
  )
  assert.deepEqual(compiledFiles(), paths.filter((path) => path.startsWith('dist/')).sort())
})

test('installed in an empty folder it starts, takes a lead and packs the client', async (t) => {
  const folder = temporaryFolder(t)
  await npm(['install', 'lead-intake'], folder)
  const script = join(folder, 'node_modules/lead-intake/bin/lead-intake.js')
  const env = { CONTENT_DIR: join(dirname(dirname(script)), 'content'), CACHE_DIR: '' }
  const dataDir = join(folder, 'data')
  const service = await startServiceProcess({ dataDir, script, env })
  t.after(() => service.stop('SIGKILL'))
  const sent = await fetch(`${service.url}/api/lead`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name_1: 'Robin Example', email_1: 'robin@example.com' }),
  })
  assert.equal(sent.status, 200)
  assert.match(await (await fetch(`${service.url}/inbox/`)).text(), /<title>/)
  const bytes = Buffer.from(await (await fetch(`${service.url}/consult.tgz`)).arrayBuffer())
  execFileSync('tar', ['-xzf', '-', '-C', folder], { input: bytes })
  const said = execFileSync(process.execPath, [
    join(folder, 'package/dist/consult/consult.js'),
    '--version',
  ])
  assert.equal(said.toString(), `${version}\n`)
  assert.equal(await service.stop(), 0)
  const doctor = await promisify(execFile)(process.execPath, [script, 'doctor'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
  })
  assert.match(doctor.stdout, /database +no damage found/)
})

async function pack(into: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', [
    'pack',
    '--json',
    '--pack-destination',
    into,
  ])
  return join(
    into,
    (JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }])[0].filename,
  )
}

/** With a cache of its own, and without the Node that npm would install. */
function npm(words: readonly string[], cwd: string) {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    npm_config_cache: join(cwd, '.npm'),
    npm_config_registry: registry,
    npm_config_omit: 'optional',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  return promisify(execFile)('npm', words, { cwd, env })
}

function compiledFiles(): string[] {
  return globSync('src/**/*.*', { exclude: ['**/*.test.ts'] })
    .map((path) => path.replace(/^src/, 'dist').replace(/\.ts$/, '.js'))
    .concat('dist/sbom.json', 'dist/THIRD-PARTY-LICENSES')
    .sort()
}
