import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import test, { after, before } from 'node:test'
import { promisify } from 'node:util'
import { isNewEnough } from '../../bin/node-version.js'
import { readLock } from '../../packaging/third-party.ts'
import { filesIn } from '../../src/site/public-files.ts'
import { leadIntake } from '../support/operator.ts'
import { openRegistry } from '../support/registry.ts'
import {
  postLead,
  startServiceProcess,
  temporaryFolder,
  type RunningService,
} from '../support/service.ts'

const start = promisify(execFile)
const cleanUps: (() => void)[] = []
const forAll = { after: (callback: () => void) => cleanUps.push(callback) }
after(() => cleanUps.forEach((cleanUp) => cleanUp()))

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const folder = temporaryFolder(forAll)
const site = join(folder, 'my-site')
const program = join(site, 'node_modules/lead-intake')
const place = { dataDir: join(site, 'data') }
let tarball: string
let service: RunningService

before(async () => {
  tarball = await pack('.')
  const registry = await openRegistry(forAll, [tarball, await pack('packages/create-lead-intake')])
  // With a cache of its own, and without the Node that npm would install.
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    npm_config_cache: join(folder, '.npm'),
    npm_config_registry: registry,
    npm_config_omit: 'optional',
  }
  await start('npm', ['create', '--yes', 'lead-intake@latest', 'my-site', '--', '--example'], {
    cwd: folder,
    env,
  })
})

test('the package holds what it needs, compiled, and nothing else', () => {
  const paths = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))
  const compiled = globSync('src/**/*.*', { exclude: ['**/*.test.ts', '**/*.d.ts'] })
    .map((path) => path.replace(/^src/, 'dist').replace(/\.ts$/, '.js'))
    .concat('dist/package-lock.json', 'dist/sbom.json', 'dist/THIRD-PARTY-LICENSES')
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] }
  const asTheyAre = files
    .filter((name) => name !== 'dist')
    .flatMap((name) => globSync(name))
    .flatMap((name) =>
      statSync(name).isFile() ? [name] : filesIn(name).map((path) => join(name, path)),
    )
  const alone = ['LICENSE', 'README.md', 'package.json']
  assert.deepEqual(paths.sort(), [...compiled, ...asTheyAre, ...alone].sort())
})

test('packed again it is the same, byte for byte', async () => {
  assert.ok(readFileSync(await pack('.')).equals(readFileSync(tarball)))
})

test('npm installs exactly the packages that the list of parts names', () => {
  const { components } = JSON.parse(readFileSync(join(program, 'dist/sbom.json'), 'utf8')) as {
    components: { 'bom-ref': string; version: string; scope: string }[]
  }
  const named = components
    .filter(({ scope }) => scope === 'required')
    .map((one) => `${one['bom-ref']} ${one.version}`)
  const installed = Object.entries(readLock(site))
    .filter(([path, { optional }]) => path !== '' && !path.endsWith('/lead-intake') && !optional)
    .map(([path, { version: each }]) => `${path} ${each}`)
  assert.deepEqual(installed.sort(), named.sort())
  // So it works on every processor.
  assert.deepEqual(globSync('node_modules/**/*.node', { cwd: site }), [])
})

test('with the lock of the package a site gets the very packages that were tested', async () => {
  const fromFolder = join(folder, 'from-clone')
  const init = await leadIntake(place, ['init', fromFolder, '--example'])
  assert.match(init.out, /npm install \.\/lead-intake-\S+\.tgz\n {2}npm start\n/)
  const byHand = join(folder, 'by-hand')
  mkdirSync(byHand)
  const inPackage = ['-xzOf', tarball, 'package/dist/package-lock.json']
  writeFileSync(join(byHand, 'package-lock.json'), execFileSync('tar', inPackage))
  for (const cwd of [fromFolder, byHand]) {
    const given = readLock(cwd)
    // Offline npm can choose no other version.
    await start('npm', ['install', '--offline', '--package-lock-only', tarball], { cwd })
    const { '': _, [`node_modules/lead-intake`]: own, ...locked } = readLock(cwd)
    const { '': __, ...tested } = given
    assert.ok(own?.resolved?.endsWith('.tgz'))
    assert.deepEqual(locked, tested)
    assert.ok(Object.values(locked).every(({ integrity }) => integrity?.startsWith('sha512-')))
  }
})

test('npm create writes a site with one dependency, which starts and takes a lead', async (t) => {
  assert.deepEqual(readdirSync(site).sort(), [
    '.env',
    '.gitignore',
    '.npmrc',
    'README.md',
    'content',
    'node_modules',
    'package-lock.json',
    'package.json',
  ])
  const { scripts, dependencies } = JSON.parse(
    readFileSync(join(site, 'package.json'), 'utf8'),
  ) as { scripts: { start: string }; dependencies: object }
  assert.deepEqual(dependencies, { 'lead-intake': `^${version}` })

  const command = ['sh', '-c', scripts.start]
  service = await startServiceProcess({ ...place, command, cwd: site })
  t.after(() => service.stop('SIGKILL'))
  const lead = { name_1: 'Robin Example', email_1: 'robin@example.com' }
  assert.equal((await postLead(service.url, lead)).status, 200)
  assert.equal((await fetch(`${service.url}/inbox/`)).status, 200)

  const askHealth = () => leadIntake(place, ['healthcheck'], { PORT: String(service.port) })
  assert.equal((await askHealth()).code, 0)

  const client = await (await fetch(`${service.url}/consult.tgz`)).arrayBuffer()
  execFileSync('tar', ['-xzf', '-', '-C', folder], { input: Buffer.from(client) })
  const consult = join(folder, 'package/consult.mjs')
  assert.equal(execFileSync(process.execPath, [consult, '--version']).toString(), `${version}\n`)

  assert.equal(await service.stop(), 0)
  assert.match((await askHealth()).error, /does not answer/)
})

test('the installed package backs up, restores, and finds no problem', async () => {
  const command = join(site, 'node_modules/.bin/lead-intake')
  const env = { PATH: process.env['PATH'] }
  const run = async (...words: string[]) => (await start(command, words, { cwd: site, env })).stdout
  await run('backup', '--to', 'kept')
  const [file] = globSync('kept/*.sqlite.zst', { cwd: site })
  await run('restore', file!)
  const found = await run('doctor')
  assert.match(found, /ok +database +no damage found/)
  assert.match(found, /latest leads: 1/)
  assert.doesNotMatch(found, /^failed/m)
})

test('content check says what is wrong', async () => {
  const check = (CONTENT_DIR: string) => leadIntake(place, ['content', 'check'], { CONTENT_DIR })
  const example = await check('content')
  assert.equal(example.code, 0)
  assert.match(example.out, /^ok .*\nwarning .*\n/m)
  const wrong = join(folder, 'wrong')
  cpSync('content', wrong, { recursive: true })
  writeFileSync(join(wrong, 'pages/about.md'), '')
  const refused = await check(wrong)
  assert.equal(refused.code, 1)
  assert.match(refused.out, /^failed .*about\.md:1: must begin with its title/m)
})

test('an older Node of the system hands over to the one that npm installed', (t) => {
  const old = oldNode()
  if (old === undefined) return t.skip('the system has no older Node')
  for (const name of readdirSync('node_modules').filter((each) => /^node-.*linux-/.test(each))) {
    symlinkSync(resolve('node_modules', name), join(site, 'node_modules', name))
  }
  const words = [join(program, 'bin/lead-intake.js'), '--version']
  assert.equal(execFileSync(old, words).toString(), `${version}\n`)
})

async function pack(project: string): Promise<string> {
  const into = temporaryFolder(forAll)
  await start('npm', ['pack', '--pack-destination', into], { cwd: project })
  return join(into, readdirSync(into)[0]!)
}

function oldNode(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((each) => globSync(join(each, 'node')))
    .find((path) => {
      const found = execFileSync(path, ['--version']).toString().trim().slice(1)
      return found.startsWith('2') && !isNewEnough(found) && !dirname(path).includes('node_modules')
    })
}
