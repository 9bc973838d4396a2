import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from './support/service.ts'

const units = globSync('packaging/systemd/*').sort()
const services = units.filter((path) => path.endsWith('.service'))
const { error } = spawnSync('systemd-analyze', ['--version'])
const skip = error !== undefined && 'systemd-analyze is not installed'

/** Tenths: 1.5 and better is OK. */
const mostExposed = 15

test('the units of systemd are sound', { skip }, () => {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, stderr], [0, ''])
})

test('each service of systemd is shut off from the rest of the machine', { skip }, (t) => {
  for (const path of services) {
    const { status, stdout } = judge(path)
    t.diagnostic(
      JSON.stringify({ unit: basename(path), exposure: /: ([\d.]+) /.exec(stdout)?.[1] }),
    )
    assert.equal(status, 0, stdout)
  }
})

test('both services are shut off alike, and leave V8 its compiler', () => {
  const [one, other] = services.map((path) => {
    return /^# Nothing else of the machine[^]*?\n\n|^# Nothing else of the machine[^]*$/m
      .exec(readFileSync(path, 'utf8'))![0]
      .trim()
  })
  assert.equal(one, other)
  assert.doesNotMatch(one!, /^MemoryDenyWriteExecute/m)
})

test('each service of systemd has its own name in the journal, and the memory of the container', () => {
  const [, megabytes] = /^ +mem_limit: (\d+)m$/m.exec(
    readFileSync('packaging/container/compose.yaml', 'utf8'),
  )!
  for (const path of services) {
    const unit = readFileSync(path, 'utf8').split('\n')
    assert.ok(unit.includes(`SyslogIdentifier=${basename(path, '.service')}`), path)
    assert.ok(unit.includes(`MemoryMax=${megabytes}M`), path)
  }
})

/** In place of id: the tests need no sudo. */
const asRoot = '#!/bin/sh\necho 0\n'

test('the operator’s command under systemd has the user, the folders and the settings of the service', (t) => {
  const command = readFileSync('packaging/command/lead-intake', 'utf8')
  const unit = readFileSync('packaging/systemd/lead-intake.service', 'utf8')
  const [, section = ''] = /^\[Service\]\n([^]*?)^\[/m.exec(unit)!
  const told = [...command.matchAll(/-p '?(\w+=[^'\n\\]*?)(?:'| (?=-)| \\)/g)].map(
    ([, one]) => one!,
  )
  assert.ok(told.length > 5)
  const lines = section.split('\n')
  assert.deepEqual(
    told.filter((one) => !lines.includes(one)),
    [],
  )
  assert.ok(lines.includes(`Environment=${/-E (\S+)/.exec(command)![1]}`))
  assert.ok(lines.includes(`WorkingDirectory=${/^cd (.+)$/m.exec(command)![1]}`))

  const site = temporaryFolder(t)
  mkdirSync(join(site, 'node_modules'))
  symlinkSync(resolve('.'), join(site, 'node_modules/lead-intake'))
  // In place of systemd-run: the command without the options.
  const runs =
    '#!/bin/sh\nwhile :; do case $1 in -[pE]) shift 2;; -*) shift;; *) exec "$@";; esac; done\n'
  writeFileSync(join(site, 'systemd-run'), runs, { mode: 0o755 })
  writeFileSync(join(site, 'id'), asRoot, { mode: 0o755 })
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', command.replace('cd /srv/lead-intake', `cd ${site}`), 'lead-intake', '--version'],
    { encoding: 'utf8', env: { PATH: `${site}:${process.env['PATH']}` } },
  )
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/, stderr)
})

test('the operator’s command under systemd writes the folders that the unit was allowed', (t) => {
  const folder = temporaryFolder(t)
  const program = (name: string, script: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program('systemctl', 'echo "$ALLOWED"')
  program('id', 'echo 0')
  program('systemd-run', `for word; do echo "$word"; done`)
  const command = readFileSync('packaging/command/lead-intake', 'utf8')
  const words = (ALLOWED: string) =>
    spawnSync(
      'sh',
      ['-c', command.replace('cd /srv/lead-intake', 'cd /'), 'lead-intake', 'doctor'],
      {
        encoding: 'utf8',
        env: { PATH: `${folder}:${process.env['PATH']}`, ALLOWED },
      },
    ).stdout
  assert.match(words('/srv/one /srv/two'), /^-p\nReadWritePaths=\/srv\/one \/srv\/two$/m)
  assert.doesNotMatch(words(''), /ReadWritePaths/)
})

test('the operator’s command under systemd says that it needs sudo', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'id'), '#!/bin/sh\necho 1000\n', { mode: 0o755 })
  const { status, stderr } = spawnSync('sh', ['packaging/command/lead-intake', 'backup', 'list'], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env['PATH']}` },
  })
  assert.equal(status, 2)
  assert.match(stderr, /^Only root may .*: sudo lead-intake backup list\n$/)
})

function judge(path: string) {
  const words = ['security', '--offline=yes', `--threshold=${mostExposed}`, '--no-pager', path]
  return spawnSync('systemd-analyze', words, { encoding: 'utf8' })
}
