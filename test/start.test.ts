/** The start command of package.json, as npm and the unit for systemd give it to a shell. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { holdSocket } from './support/held-socket.ts'
import { temporaryFolder } from './support/service.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
}

test('npm start is one process, which serves on an inherited socket and stops at SIGTERM', async (t) => {
  const { fd, port } = holdSocket(t)
  // LISTEN_PID counts only where the service has the process id of the shell that started it.
  const command = `export LISTEN_FDS=1 LISTEN_PID=$$ && ${scripts['start']}`
  const child = spawn('sh', ['-c', command], {
    env: { PATH: process.env['PATH'], DATA_DIR: temporaryFolder(t) },
    stdio: ['ignore', 'pipe', 'inherit', fd],
  })
  t.after(() => child.kill('SIGKILL'))
  for await (const line of createInterface(child.stdout!)) {
    if (line.includes('"service.listening"')) break
  }
  const health = await fetch(`http://127.0.0.1:${port}/api/lead`)
  assert.deepEqual(await health.json(), { status: 'ok' })
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('every npm script runs on the Node of the project', () => {
  const others = Object.entries(scripts).filter(([, text]) => !text.startsWith('. bin/use-node.sh'))
  assert.deepEqual(others, [['test', 'npm run -s check && npm run -s tests']])
})
