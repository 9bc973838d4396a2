/** The image, built and run as docs/install.md says, by buildah and podman where they are there. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chownSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { freePort, temporaryFolder } from '../support/service.ts'
import { assertKept, readStored } from '../support/stored.ts'
import { until } from '../support/until.ts'

const image = 'localhost/lead-intake:story'
const mostAddedBytes = 30_000_000
const [, published] = /^ARG NODE_IMAGE=(.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))!
/** Made by packaging/container/base.sh, where no registry can be reached. */
const ownBase = 'localhost/lead-intake-base'
const base = hasImage(ownBase) ? ownBase : published!

test('the image is small, and runs read-only with no capability as a user of its own', (t) => {
  const reason = whyNot()
  if (reason !== undefined) return t.skip(reason)
  run('npm', ['run', '-s', 'build'])
  const build = ['bud', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '-t', image]
  const given = { NODE_IMAGE: base, VERSION: '1.2.3', REVISION: 'abc' }
  const words = Object.entries(given).flatMap(([name, value]) => [
    '--build-arg',
    `${name}=${value}`,
  ])
  run('buildah', [...build, ...words, '.'])
  const { Config, Size } = inspect(image)
  const added = Size - inspect(base).Size
  t.diagnostic(JSON.stringify({ story: 'image', addedMb: Math.round(added / 1e6) }))
  assert.ok(added < mostAddedBytes)
  assert.equal(Config.User, '1000:1000')
  assert.equal(Config.Labels['org.opencontainers.image.version'], '1.2.3')
  assert.equal(Config.Labels['org.opencontainers.image.revision'], 'abc')
  const inside = (command: string) => {
    return run('podman', [...podmanRun, '--rm', '--entrypoint', 'sh', image, '-c', command])
  }
  assert.equal(inside(`find /lead-intake -name '*.ts' -o -name '*.map'`), '')
  const names = ['LICENSE', 'bin', 'content', 'dist', 'node_modules', 'package.json', 'public']
  assert.deepEqual(inside('ls /lead-intake').split('\n').sort(), names)
  const writable = inside(
    `find / -xdev -writable -not -type l -not -path '/dev/*' 2>/dev/null | sort; id -u`,
  )
  // podman itself puts one in place of /var/tmp.
  assert.deepEqual(
    writable.split('\n').filter((path) => path !== '/var/tmp'),
    ['/data', '/tmp', '1000'],
  )
})

test('a container that is stopped under load loses no lead, and ends well', async (t) => {
  const reason = whyNot()
  if (reason !== undefined) return t.skip(reason)
  const dataDir = temporaryFolder(t)
  chownSync(dataDir, 1000, 1000)
  const port = await freePort()
  const settings = ['-e', `PORT=${port}`, '-e', 'RATE_LIMIT=off', '-v', `${dataDir}:/data`]
  const id = run('podman', [...podmanRun, '-d', ...settings, image])
  t.after(() => spawnSync('podman', ['rm', '-f', id]))
  const healthcheck = () => {
    return spawnSync('podman', ['exec', id, 'lead-intake', 'healthcheck']).status
  }
  await until(() => healthcheck() === 0, 'the container is healthy')
  const load = startLoad({ port: () => port, label: 'container' })
  await acknowledgedMore(load, 1_000)
  // Not `run`, which would hold up the load.
  await promisify(execFile)('podman', ['stop', id])
  await load.stop()
  const code = run('podman', ['inspect', id, '--format', '{{.State.ExitCode}}'])
  t.diagnostic(JSON.stringify({ story: 'container', ...load.counts }))
  assert.equal(code, '0')
  assertKept(load.acknowledged, readStored(join(dataDir, 'leads.sqlite')))
})

/** What works in a container, too: with lowered limits, and no systemd to keep groups of processes. */
const podmanRun = [
  '--cgroup-manager=cgroupfs',
  'run',
  '--runtime=runc',
  '--ulimit=nofile=4096:4096',
  '--ulimit=nproc=4096:4096',
  '--no-healthcheck',
  '--network=host',
  '--read-only',
  '--tmpfs=/tmp',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
]

function whyNot(): string | undefined {
  const lacking = ['buildah', 'podman', 'runc'].filter((name) => spawnSync(name, ['-v']).error)
  if (lacking.length > 0) return `not installed: ${lacking.join(', ')}`
  if (hasImage(base) || spawnSync('buildah', ['pull', base]).status === 0) return undefined
  return `there is no ${base}; packaging/container/base.sh makes one without a registry`
}

function hasImage(name: string): boolean {
  return spawnSync('buildah', ['inspect', '--type', 'image', name]).status === 0
}

function inspect(name: string) {
  const text = run('podman', ['image', 'inspect', name])
  return (
    JSON.parse(text) as [{ Size: number; Config: { User: string; Labels: Record<string, string> } }]
  )[0]
}

function run(program: string, words: readonly string[]): string {
  return execFileSync(program, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}
