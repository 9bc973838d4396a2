import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import test from 'node:test'
import { readRunBlocks } from './support/doc-blocks.ts'
import { readRefusals } from './support/refusals.ts'
import { installFile } from './support/released.ts'
import { cacheDir, startServiceProcess, temporaryFolder } from './support/service.ts'

test('every sentence with which the program refuses something is in docs/troubleshooting.md', () => {
  const page = readFileSync('docs/troubleshooting.md', 'utf8')
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!)
  const cells = [...page.matchAll(/^\| (.+?) +\|/gm)].map(([, cell]) => cell!)
  const refusals = readRefusals()
  assert.ok(refusals.length > 80)
  const isTold = ({ by, pattern }: (typeof refusals)[number]) => {
    const places = by === 'BundleRefused' || by === 'WrongSetting' ? cells : headings
    return places.some((place) => pattern.test(place))
  }
  const missing = refusals.filter((refusal) => !isTold(refusal))
  assert.deepEqual(
    missing.map(({ file, sentence }) => `${file}: ${sentence}`),
    [],
  )
  const stale = headings.filter((heading) => !refusals.some(({ pattern }) => pattern.test(heading)))
  // Of content and settings, which are put together from two parts.
  assert.deepEqual(stale, ['FILE:LINE: PROBLEM', 'SETTING must be FORM; now it is VALUE'])
})

test('the shell blocks of the pages on upgrades, backups and troubles run as they stand', async (t) => {
  const home = temporaryFolder(t)
  const dataDir = join(home, 'data')
  installFile(dataDir, '0.1.0')
  // Makes the backup before the migration.
  const service = await startServiceProcess({ dataDir })
  assert.equal(await service.stop(), 0)
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const command = `#!/bin/sh\nexec ${process.execPath} ${resolve('bin/lead-intake.js')} "$@"\n`
  writeFileSync(join(bin, 'lead-intake'), command, { mode: 0o755 })
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: home,
    DATA_DIR: dataDir,
    CACHE_DIR: cacheDir,
    CONTENT_DIR: resolve('content'),
  }
  for (const page of ['upgrading', 'backup', 'troubleshooting']) {
    const script = readRunBlocks(`docs/${page}.md`)
    assert.match(script, /^lead-intake /m)
    const ended = await run(script, { cwd: home, env })
    assert.equal(ended.code, 0, `docs/${page}.md: ${ended.said}`)
  }
})

function run(script: string, options: { cwd: string; env: Record<string, string> }) {
  return new Promise<{ code: number; said: string }>((done) => {
    execFile('/bin/sh', ['-euc', script], options, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, said: out + err }),
    )
  })
}
