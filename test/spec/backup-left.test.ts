import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { removeLeftFolders } from '../../src/backup/work-folder.ts'
import { installationToBackUp } from '../support/backup.ts'
import { leadIntake, withoutRights } from '../support/operator.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { until } from '../support/until.ts'

const modulePath = new URL('../../src/backup/work-folder.ts', import.meta.url).href

const interrupted = `
  import { writeFileSync } from 'node:fs'
  import { untilRemoved, withWorkFolder } from ${JSON.stringify(modulePath)}
  setInterval(() => {}, 1_000)
  await withWorkFolder(process.argv[1], (folder) => {
    writeFileSync(folder + '/leads.sqlite', 'robin@example.com')
    return untilRemoved(process.argv[1] + '/.unfinished', async () => {
      writeFileSync(process.argv[1] + '/.unfinished', 'robin@example.com')
      process.stdout.write('ready')
      await new Promise(() => {})
    })
  })`

test('a backup that is interrupted leaves no copy of the leads behind', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const folder = temporaryFolder(t)
    const child = spawn(process.execPath, ['--input-type=module', '-e', interrupted, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    assert.equal(readdirSync(folder).length, 2)
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [null, signal])
    assert.deepEqual(readdirSync(folder), [])
  }
})

test('what killed backups have left is removed, but not the folder of one that runs', (t) => {
  const folder = temporaryFolder(t)
  // The parent of this process runs, and no process can have the other number.
  const names = [`backup-work-${process.ppid}-abc`, 'backup-work-4294967295-abc', 'leads.sqlite']
  for (const name of names) mkdirSync(join(folder, name))
  removeLeftFolders(folder)
  assert.deepEqual(readdirSync(folder).toSorted(), [names[0], 'leads.sqlite'])
})

test('a folder that the service may not remove is logged once and left; service and backups go on', async (t) => {
  const dataDir = temporaryFolder({
    after: (remove) => t.after(() => (existsSync(left) && chmodSync(left, 0o700), remove())),
  })
  const left = join(dataDir, 'backup-work-4294967295-abc')
  mkdirSync(left)
  writeFileSync(join(left, 'leads.sqlite'), 'robin@example.com')
  chmodSync(left, 0o500)
  const env = { BACKUP_TO: temporaryFolder(t) }
  const service = await startServiceProcess({ dataDir, env, under: withoutRights })
  t.after(() => service.stop('SIGKILL'))
  const linesWith = (event: string) => service.lines.filter((line) => line.includes(event))
  await until(
    () => service.process.exitCode !== null || linesWith('"backup.made"').length > 0,
    'a backup is made',
  )
  assert.equal(service.process.exitCode, null, service.lines.join('\n'))
  const warnings = linesWith('"backup.not-removed"').map((line) => JSON.parse(line) as object)
  assert.equal(warnings.length, 1)
  assert.partialDeepStrictEqual(warnings, [{ level: 'warn', path: left }])
  assert.equal((await fetch(`${service.url}/api/lead`)).status, 200)
  assert.equal(await service.stop(), 0)
  assert.ok(existsSync(left))
})

test('a backup that cannot be written says where and why in one sentence', async (t) => {
  const { place } = await installationToBackUp(t, 1)
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, '')
  const run = await leadIntake(place, ['backup', '--to', join(file, 'backups')])
  assert.equal(run.code, 1)
  assert.equal(run.error, `${join(file, 'backups')} cannot be read or written (ENOTDIR).\n`)
})
