import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { backupByClock } from '../../src/backup/by-clock.ts'
import { makeBackup } from '../../src/backup/make.ts'
import { listBackups } from '../../src/backup/names.ts'
import { hourMs } from '../../src/time.ts'
import { eraseLead } from '../../src/lead/act.ts'
import { erasedPath, readErased } from '../../src/store/leads/erasing.ts'
import { openLeads } from '../../src/store/open.ts'
import { installationToBackUp, type Place } from '../support/backup.ts'
import { newLead, nowMs } from '../support/leads.ts'
import { leadIntake } from '../support/operator.ts'
import { temporaryFolder, type Cleaner } from '../support/service.ts'
import { startServiceHere, type ServiceHere } from '../support/service-here.ts'
import { until } from '../support/until.ts'

test('one of two nodes makes each backup, and a restart makes none before its time [backup.clock]', async (t) => {
  const { settings } = await installationToBackUp(t, 2)
  const to = temporaryFolder(t)
  const clock = { now: Date.UTC(2026, 10, 15, 17) }
  const now = () => clock.now
  const made: unknown[] = []
  const log = { info: (_: string, facts?: object) => void made.push(facts), error: assert.fail }
  const run = async () => ({
    ...(await makeBackup({ settings, to, now })),
    forgotten: 0,
    drilled: false,
  })

  const startNode = async () => {
    const store = await openLeads(settings)
    const looking = t.mock.method(store.marks, 'find')
    const parts = { store, place: settings, everyMs: hourMs, run, log, now }
    const byClock = backupByClock({ ...parts, lookMs: 1 })
    return {
      async looksAgain() {
        const before = looking.mock.callCount()
        await until(() => looking.mock.callCount() > before + 4, 'it looks whether one is due')
      },
      stop: () => byClock.stop().then(() => store.close()),
    }
  }
  let nodes = [await startNode(), await startNode()]
  const allLook = () => Promise.all(nodes.map((node) => node.looksAgain()))
  await until(() => made.length > 0, 'the first backup is made')
  await allLook()
  await Promise.all(nodes.map((node) => node.stop()))
  nodes = [await startNode()]
  await allLook()
  assert.equal(made.length, 1)

  clock.now += hourMs
  await until(() => made.length > 1, 'an hour later the next one is made')
  await allLook()
  await Promise.all(nodes.map((node) => node.stop()))
  assert.deepEqual(
    (await listBackups(to)).map(({ at }) => new Date(at).toISOString()),
    ['2026-11-15T18:00:00.000Z', '2026-11-15T17:00:00.000Z'],
  )
})

test('a backup that hangs is ended at its deadline and told, and the next one is tried', async (t) => {
  const { settings } = await installationToBackUp(t, 1)
  const store = await openLeads(settings)
  const clock = { now: Date.UTC(2026, 10, 15, 17) }
  const failures: string[] = []
  const hang = (signal: AbortSignal) =>
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    )
  const log = { info: assert.fail, error: (event: string) => void failures.push(event) }
  const parts = { store, place: settings, everyMs: hourMs, run: hang, log, now: () => clock.now }
  const byClock = backupByClock({ ...parts, lookMs: 1, deadlineMs: 10 })
  await until(() => failures.length > 0, 'the first one is ended')
  clock.now += hourMs
  await until(() => failures.length > 1, 'the next one is tried')
  await byClock.stop()
  await store.close()
  assert.deepEqual(new Set(failures), new Set(['backup.failed']))
})

test('a service that is stopped while its backup hangs leaves no copy of the database', async (t) => {
  const { place, execute } = await installationToBackUp(t, 1)
  // Large enough that it is seen while it is copied.
  await execute(`insert into once (id, at, about) values ('large', 0, hex(zeroblob(40000000)))`)
  const service = await startWithBackups(t, place, join(temporaryFolder(t), 'bundles'))
  const work = () => readdirSync(place.dataDir).filter((name) => name.startsWith('backup-work-'))
  await until(() => work().length > 0, 'a backup is being made')
  const [, pid] = /^backup-work-(\d+)-/.exec(work()[0]!)!
  process.kill(Number(pid), 'SIGSTOP')
  await service.stop()
  assert.deepEqual(work(), [])
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
})

test('the service makes one after its start, and at once in a changed BACKUP_TO; /readyz and doctor know its age', async (t) => {
  const { place, withStore } = await installationToBackUp(t, 1)
  const folder = temporaryFolder(t)
  const [first, second, hand] = ['first', 'second', 'hand'].map((name) => join(folder, name))
  const doctor = async (BACKUP_TO: string) =>
    /^\w+ +backup .*$/m.exec((await leadIntake(place, ['doctor'], { BACKUP_TO })).out)![0]
  await leadIntake(place, ['backup', '--to', hand!], { BACKUP_TO: first! })
  assert.match(await doctor(first!), /^warning +backup +none was made yet/, 'one elsewhere')
  const erased = newLead(0).id
  await withStore((store) => eraseLead(store, { leadId: erased, at: nowMs }))
  rmSync(erasedPath(place.dataDir))
  // A drill is not made after each backup.
  for (const [BACKUP_TO, drilled] of [
    [first!, true],
    [second!, false],
  ] as const) {
    const service = await startWithBackups(t, place, BACKUP_TO)
    const tried = () => service.lines.find((line) => /"backup\.(?:made|failed)"/.test(line))
    await until(() => tried() !== undefined, 'a backup is tried')
    assert.match(tried()!, new RegExp(`"backup\\.made".*"drilled":${drilled}`))
    const noted = async () => (await readErased(place.dataDir)).map(({ leadId }) => leadId)
    await until(async () => (await noted()).includes(erased), 'the erased lead is noted again')
    const ready = (await (await fetch(`${service.url}/readyz`)).json()) as {
      backup: { age_s: number; drill_age_s: number; late: boolean }
    }
    assert.equal(typeof ready.backup.age_s, 'number')
    assert.equal(typeof ready.backup.drill_age_s, 'number')
    assert.equal(ready.backup.late, false)
    await service.stop()
    assert.equal((await listBackups(BACKUP_TO)).length, 1)
    const newest = /^ok +backup +the newest is of \S+Z, \d+ kB, restored and checked/
    assert.match(await doctor(BACKUP_TO), drilled ? newest : /^ok /)
  }
  assert.match(await doctor(first!), /^warning +backup +none was made in \S+first yet/)
})

test('a folder that held backups and is gone is no good place: all say so, and it is not made again in silence', async (t) => {
  const { place } = await installationToBackUp(t, 1)
  const disk = temporaryFolder(t)
  const to = join(disk, 'mounted')
  const env = { BACKUP_TO: to }
  const doctor = async () =>
    /^\w+ +backup .*$/m.exec((await leadIntake(place, ['doctor'], env)).out)
  assert.equal((await leadIntake(place, ['backup', '--by-clock'], env)).code, 0)
  assert.match((await doctor())![0], /^ok .* restored and checked$/)
  const seenByService = async () => {
    const service = await startWithBackups(t, place, to)
    const isLate = async () => {
      const ready = await fetch(`${service.url}/readyz`)
      return ((await ready.json()) as { backup: { late: boolean } }).backup.late
    }
    return { service, isLate }
  }

  rmSync(to, { recursive: true })
  assert.match((await doctor())![0], /^failed .*held backups, and there is none in it now; mount/)
  const { service, isLate } = await seenByService()
  await until(isLate, '/readyz says that the backup is late')
  await until(() => service.lines.some((line) => line.includes('"backup.lost"')), 'the log says so')
  for (const words of [['backup'], ['backup', '--by-clock', '--to', to]]) {
    const refused = await leadIntake(place, words, env)
    assert.equal(refused.code, 1)
    assert.match(refused.error, /^The backup was not made: \S+ held backups, and there is none/)
  }
  assert.deepEqual(readdirSync(disk), [])
  await service.stop()

  const anew = await leadIntake(place, ['backup', '--to', to], env)
  assert.equal(anew.code, 0, anew.error)
  assert.match((await doctor())![0], /^ok /)
  const later = await seenByService()
  await until(async () => !(await later.isLate()), 'a start finds the backup')
  await later.service.stop()
})

/** The process that makes a backup takes its settings from the environment of the service. */
function startWithBackups(
  t: Cleaner,
  { dataDir, env: own }: Place,
  BACKUP_TO: string,
): Promise<ServiceHere> {
  const env = { ...own, BACKUP_TO }
  for (const [name, value] of Object.entries({ ...env, DATA_DIR: dataDir })) {
    process.env[name] = value
    t.after(() => delete process.env[name])
  }
  return startServiceHere(t, { dataDir, env })
}
