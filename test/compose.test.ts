import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'yaml'

type Service = {
  image: string
  environment: Record<string, string>
  env_file: { path: string; required: boolean }[]
  volumes: string[]
}

const [one, several] = ['compose', 'compose.nodes'].map((name) => {
  const text = readFileSync(`packaging/container/${name}.yaml`, 'utf8')
  return (parse(text, { merge: true }) as { services: Record<string, Service> }).services
}) as [Record<string, Service>, Record<string, Service>]

test('two nodes of a compose file have journals and heartbeats of their own, and one makes the backups', () => {
  const [first, second] = [several['one']!, several['two']!]
  const { HEARTBEAT_URL: beat, BACKUP_TO, BACKUP_KEY, ...common } = first.environment
  const { HEARTBEAT_URL: otherBeat, ...others } = second.environment
  assert.deepEqual(others, common)
  assert.notEqual(otherBeat, beat)
  assert.notEqual(second.volumes[0], first.volumes[0])
  assert.deepEqual(
    { BACKUP_TO, BACKUP_KEY },
    { BACKUP_TO: '${BACKUP_TO:-}', BACKUP_KEY: '${BACKUP_KEY:-}' },
  )
})

test('what compose.yaml cannot do without is in a file that every command of docs/install.md reads', () => {
  const required = (name: string) => {
    const text = readFileSync(`packaging/container/${name}.yaml`, 'utf8')
    return new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, variable]) => variable))
  }
  const install = readFileSync('docs/install.md', 'utf8')
  const written = /^echo (\w+)=\S+ > packaging\/container\/\.env$/m.exec(install)
  assert.deepEqual(required('compose'), new Set([written?.[1]]))
  for (const variable of required('compose.nodes')) assert.match(install, RegExp(`\`${variable}\``))
  assert.doesNotMatch(install, /^\w+=\S+ docker /m)
})

test('the password of the database may have any character', () => {
  const { DATABASE_URL, PGPASSWORD } = several['one']!.environment
  assert.equal(new URL(DATABASE_URL!).password, '')
  assert.match(PGPASSWORD!, /^\$\{DATABASE_PASSWORD:/)
})

test('both compose files take further settings from a file, and have the Caddy that was tried', () => {
  for (const service of [one['lead-intake']!, several['one']!, several['two']!]) {
    assert.deepEqual(service.env_file, [{ path: 'settings.env', required: false }])
  }
  const tried = /(\d+\.\d+)\.\d+ was tried/.exec(
    readFileSync('packaging/container/Caddyfile', 'utf8'),
  )
  const images = [one['caddy']!.image, several['caddy']!.image]
  assert.deepEqual(new Set(images), new Set([`docker.io/library/caddy:${tried?.[1]}`]))
})

test('both Caddyfiles keep addresses and secrets out of their logs', () => {
  const [systemd, container] = ['caddy', 'container'].map((folder) => {
    const text = readFileSync(`packaging/${folder}/Caddyfile`, 'utf8')
    return /^\{\n[^]*?^\}$/m.exec(text)?.[0]
  })
  assert.ok(systemd?.includes('request>remote_ip delete'))
  assert.equal(container, systemd)
})
