/** The shell blocks of the documents that are tagged `sh run`. They use curl and other programs. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import test from 'node:test'
import { docFiles, readRunBlocks } from '../support/doc-checks.ts'
import {
  NODE_COMPILE_CACHE,
  startServiceProcess,
  temporaryFolder,
  holdSocket,
} from '../support/service.ts'
import { until } from '../support/until.ts'

test('the shell blocks of all pages run as they stand, in a site with a running service', async (t) => {
  const home = temporaryFolder(t)
  const site = join(home, 'my-site')
  const dataDir = join(site, 'data')
  mkdirSync(join(site, 'node_modules'), { recursive: true })
  symlinkSync(resolve('.'), join(site, 'node_modules/lead-intake'))
  cpSync('content', join(site, 'content'), { recursive: true })
  const { fd, port } = holdSocket(t)
  const env = { BASE_URL: `http://127.0.0.1:${port}`, CONTENT_DIR: join(site, 'content') }
  const service = await startServiceProcess({
    dataDir,
    env: { ...env, LISTEN_FD: '3' },
    stdio: ['ignore', 'pipe', 'pipe', fd],
  })
  t.after(() => service.stop('SIGKILL'))
  const isWell = async () => (await fetch(`${env.BASE_URL}/api/lead`)).ok
  const bin = writeCommands(home)
  for (const file of docFiles) {
    const script = readRunBlocks(file).replaceAll('http://localhost:3000', env.BASE_URL)
    if (script === '') continue
    // A page before may have restored a backup.
    await until(isWell, 'the service takes leads')
    const ended = await run(script, {
      cwd: site,
      env: {
        ...env,
        PATH: `${bin}:${process.env['PATH']}`,
        HOME: home,
        DATA_DIR: dataDir,
        ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      },
    })
    assert.equal(ended.code, 0, `${file}: ${ended.said}`)
    // The one error that a page shows. The API description, which a block prints, has examples of all.
    const refused = /^\{"error":\{"code":"(?!VALIDATION_ERROR)|"isError":true/m
    assert.doesNotMatch(ended.said, refused, file)
  }
})

/** `lead-intake`, and `npx` for what is installed here. */
function writeCommands(home: string): string {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const own = `exec ${process.execPath} ${resolve('bin/lead-intake.js')} "$@"`
  writeFileSync(join(bin, 'lead-intake'), `#!/bin/sh\n${own}\n`, { mode: 0o755 })
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  return bin
}

function run(script: string, options: { cwd: string; env: Record<string, string> }) {
  return new Promise<{ code: number; said: string }>((done) => {
    execFile('/bin/sh', ['-euc', script], options, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, said: out + err }),
    )
  })
}
