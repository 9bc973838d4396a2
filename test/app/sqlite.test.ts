import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Row } from '../../src/store/engine/engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { leadIntake, withoutRights, startLeadIntake } from '../support/operator.ts'
import { sam } from '../support/people.ts'
import { startServiceProcess, temporaryFolder, type StartOptions } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { mayMount, openSmallFileSystem } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { askOnce, jsonRequest } from '../support/wire.ts'

test('tables are strict, the log is synced in full, and what is deleted is overwritten [keep.sync]', async (t) => {
  const engine = openSqlite({ path: join(temporaryFolder(t), 'leads.sqlite'), nowMs: 0 })
  t.after(() => engine.close())
  const rows = await engine.read(
    `select name from pragma_table_list where strict = 0 and type = 'table' and schema = 'main' and name not like 'sqlite_%'`,
  )
  assert.deepEqual(rows, [])
  const [, ...pragmas] = await engine.run([
    ['insert into probe (id, at) values (1, 1)', []],
    ['pragma synchronous', []],
    ['pragma secure_delete', []],
    ['pragma journal_mode', []],
  ])
  assert.deepEqual(
    pragmas.map((result) => Object.values((result as Row[])[0]!)[0]),
    [2, 1, 'wal'],
  )
})

test('a power cut while the database was made does not keep the next start from making it', async (t) => {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  const begun = new DatabaseSync(path)
  begun.exec('pragma journal_mode = wal')
  begun.close()
  // https://sqlite.org/fileformat2.html, 3: of a transaction on a file that had no page yet.
  const journal = Buffer.alloc(512)
  journal.write('d9d505f920a163d7', 'hex')
  journal.writeUInt32BE(journal.length, 20)
  journal.writeUInt32BE(4096, 24)
  writeFileSync(`${path}-journal`, journal)

  const engine = openSqlite({ path, nowMs: 0 })
  t.after(() => engine.close())
  const [count] = await engine.read('select count(*) as leads from lead')
  assert.deepEqual({ ...count }, { leads: 0 })
})

test('a commit that ended while this thread was held up does not count as slow', async (t) => {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  const engine = openSqlite({ path, nowMs: 0, commitTimeoutMs: 10 })
  t.after(() => engine.close())
  // The first one waits for the writer to start, however long that takes.
  await engine.run([])
  const commitHeldUp = async () => {
    const committed = engine.run([]).then(
      () => true,
      () => false,
    )
    // The commit has been sent by then.
    await turn()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    return committed
  }
  await until(commitHeldUp, 'the writer was fast enough, and is believed')
})

test('a quiet service, too, notices that its file is gone', async (t) => {
  const path = join(temporaryFolder(t), 'leads.sqlite')
  t.mock.timers.enable({ apis: ['setInterval'] })
  const replaced = Promise.withResolvers<Error>()
  const engine = openSqlite({ path, nowMs: 0, onReplaced: replaced.resolve })
  t.after(() => engine.close())
  await engine.run([])
  renameSync(path, `${path}.away`)
  t.mock.timers.tick(60_000)
  assert.match((await replaced.promise).message, /leads\.sqlite was replaced or deleted/)
  await assert.rejects(engine.run([]), /replaced/)
})

const reading = [
  'leads list',
  'leads export',
  'leads list robin',
  'deliveries list',
  'doctor',
  ...['leads show', 'deliveries list'].map((words) => `${words} REFERENCE`),
]

/** After a clean end there is no log beside the file; two commands stand for the two ways to open it. */
const readingAfter = { SIGTERM: ['leads list', 'doctor'], SIGKILL: reading } as const

for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
  test(`commands that read leave every file as it was after ${ending}, and read all of it`, async (t) => {
    const place = { dataDir: temporaryFolder(t) }
    const service = await startServiceProcess(place)
    const reference = await sendSam(service.port)
    await service.stop(ending)
    const before = filesIn(place.dataDir)
    for (const command of readingAfter[ending]) {
      const args = command.replace('REFERENCE', reference).split(' ')
      const { code, error } = await leadIntake(place, args)
      assert.deepEqual([code, error], [0, ''], command)
      assert.deepEqual(filesIn(place.dataDir), before, command)
    }
    assert.match((await leadIntake(place, ['leads', 'list'])).out, new RegExp(reference))
  })
}

test('commands that read migrate nothing, and name the command that does', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const service = await startServiceProcess(place)
  const reference = await sendSam(service.port)
  await service.stop()
  const db = new DatabaseSync(join(place.dataDir, 'leads.sqlite'))
  db.exec('alter table lead drop column postcode')
  db.close()
  const before = filesIn(place.dataDir)
  for (const command of reading) {
    const { code, out, error } = await leadIntake(
      place,
      command.replace('REFERENCE', reference).split(' '),
    )
    assert.equal(code, command === 'doctor' ? 1 : 5, command)
    assert.match(out + error, /older version.*"[^"]*lead-intake[^"]* serve".*migrates/, command)
    assert.deepEqual(filesIn(place.dataDir), before, command)
  }
})

test('doctor says that a database is missing where the service has run', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  assert.equal((await leadIntake(place, ['doctor'])).code, 0)
  const service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  const path = join(place.dataDir, 'leads.sqlite')
  renameSync(path, `${path}.away`)
  const { code, out } = await leadIntake(place, ['doctor'])
  assert.equal(code, 1)
  assert.match(out, /failed +database .*leads\.sqlite is missing/)
})

test('a start takes the rights of others away from folder, database, logs and secret; doctor looks', async (t) => {
  const place = { dataDir: join(temporaryFolder(t), 'data') }
  const first = await startServiceProcess(place)
  await sendSam(first.port)
  await first.stop('SIGKILL')
  const names = ['.', 'leads.sqlite', 'leads.sqlite-wal', 'leads.sqlite-shm', 'secret']
  const modes = () =>
    names.map((name) => (statSync(join(place.dataDir, name)).mode & 0o777).toString(8))
  for (const name of names) chmodSync(join(place.dataDir, name), name === '.' ? 0o755 : 0o644)
  const warned = await leadIntake(place, ['doctor'])
  for (const check of ['data folder', 'database file', 'secret']) {
    assert.match(warned.out, new RegExp(`warning +${check} +other users can read .* chmod`))
  }

  const service = await startServiceProcess(place)
  t.after(() => service.stop('SIGKILL'))
  assert.deepEqual(modes(), ['700', '600', '600', '600', '600'])
  const well = await leadIntake(place, ['doctor'])
  assert.doesNotMatch(well.out, /other users/)
})

test(
  'doctor says that a database cannot be written, and other commands still read it',
  {
    skip: !mayMount() && 'no right to mount',
  },
  async (t) => {
    const { dataDir, protect } = openSmallFileSystem(t)
    const service = await startServiceProcess({ dataDir })
    const reference = await sendSam(service.port)
    await service.stop()
    assert.match((await leadIntake({ dataDir }, ['doctor'])).out, /ok +database file/)
    protect()
    const { code, out } = await leadIntake({ dataDir }, ['doctor'])
    assert.equal(code, 1)
    assert.match(out, /failed +data folder +this user may not read and write .* \(EROFS\)/)
    assert.match((await leadIntake({ dataDir }, ['leads', 'list'])).out, new RegExp(reference))
  },
)

test('what belongs to another user is named with its cure, and is not called damaged or missing', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data')
  const service = await startServiceProcess({ dataDir })
  await service.stop()
  assert.equal((await leadIntake({ dataDir }, ['backup'])).code, 0)
  const asOther = (...args: string[]) => startLeadIntake({ dataDir }, args, {}, withoutRights)
  const closed = async (path: string, work: () => Promise<void>) => {
    const { mode } = statSync(path)
    chmodSync(path, 0)
    await work()
    chmodSync(path, mode)
  }
  const path = join(dataDir, 'leads.sqlite')

  await closed(path, async () => {
    const { code, out } = await asOther('doctor')
    assert.equal(code, 1)
    assert.match(out, /failed +database file +this user may not read .*leads\.sqlite \(EACCES\)/)
    assert.match(out, /failed +database +The database .* cannot be opened by this user/)
    assert.doesNotMatch(out, /damaged/)
  })
  await closed(dataDir, async () => {
    const { code, out, error } = await asOther('doctor')
    assert.equal(code, 1)
    assert.match(out, /failed +data folder +this user may not read .*data \(EACCES\); run chown/)
    assert.match(error, /^\d+ of \d+ checks failed\.\n$/)
    for (const args of [['leads', 'list'], ['backup']]) {
      const run = await asOther(...args)
      assert.match(run.error, /^\S+leads\.sqlite cannot be read or written \(EACCES\)\. .*chown/)
    }
  })
  await closed(join(dataDir, 'backups'), async () => {
    const { error } = await asOther('backup', 'list')
    assert.match(error, /^\S+backups cannot be read or written \(EACCES\)\. .*chown/)
    assert.match((await asOther('doctor')).out, /failed +backup +this user may not .*backups/)
  })
  const above = temporaryFolder(t)
  await closed(above, async () => {
    const { code, out } = await startLeadIntake(
      { dataDir: join(above, 'leads') },
      ['doctor'],
      {},
      withoutRights,
    )
    assert.equal(code, 1)
    assert.match(out, /failed +data folder +this user may not .* \(EACCES\); run chown/)
  })
  chmodSync(above, 0o555)
  const env = { BACKUP_TO: join(above, 'backups') }
  const { out } = await startLeadIntake({ dataDir, env }, ['doctor'], {}, withoutRights)
  assert.match(out, /failed +backup +this user may not .* \(EACCES\); run chown/)
})

test(
  'a backup by root belongs to the owner of the data folder',
  { skip: process.getuid?.() !== 0 && 'not root' },
  async (t) => {
    const dataDir = temporaryFolder(t)
    const service = await startServiceProcess({ dataDir })
    await service.stop()
    chownSync(dataDir, 65_534, 65_534)
    const to = join(dataDir, 'deep/backups')
    const { out } = await leadIntake({ dataDir }, ['backup', '--to', to])
    for (const path of [dirname(to), to, out.split(': ')[0]!]) {
      assert.equal(statSync(path).uid, 65_534, path)
    }
  },
)

test('after a clean stop the database file alone holds every lead', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const service = await startServiceProcess(place)
  for (let number = 0; number < 50; number += 1) {
    const { status } = await askOnce(service.port, jsonRequest(robinWith(number)))
    assert.equal(status, 200)
  }
  assert.equal(await service.stop('SIGTERM'), 0)
  const path = join(place.dataDir, 'leads.sqlite')
  assert.equal(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0)
  const copy = join(temporaryFolder(t), 'leads.sqlite')
  copyFileSync(path, copy)
  const stored = readStored(copy)
  assert.deepEqual([stored.integrity, stored.leads.length], ['ok', 50])
})

test('a start refuses leads whose secret is lost, doctor names the loss, and both ways out work', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const path = join(place.dataDir, 'secret')
  const first = await startServiceProcess(place)
  const { status_url: receipt } = await sendRobin(first.port)
  await first.stop()
  renameSync(path, `${path}.backup`)

  const refusal = await refusalOf(place)
  assert.match(refusal, /^exited with 5 at start: The secret .*secret is missing, .* 1 lead\. /)
  assert.match(
    refusal,
    /Put the one of a backup there \(zstd -d FILE -o backup\.sqlite; sqlite3 backup\.sqlite -Ax secret\)\./,
  )
  assert.ok(!existsSync(path))
  const told = await leadIntake(place, ['doctor'])
  assert.equal(told.code, 1)
  assert.match(told.out, /failed +secret +The secret .* is missing, .* 1 lead\. /)
  const notified = { SMTP_URL: 'smtp://127.0.0.1:9', OWNER_EMAIL: 'owner@example.com' }
  assert.equal((await leadIntake(place, ['test-notification'], notified)).code, 5)
  assert.equal((await leadIntake(place, ['backup'])).code, 5)
  assert.ok(!existsSync(path), 'no command makes another secret')

  renameSync(`${path}.backup`, path)
  const again = await startServiceProcess(place)
  const at = new URL(receipt).pathname
  assert.equal((await fetch(again.url + at)).status, 200)
  await again.stop()
  // As the refusal says where no backup has it.
  const [, command = ''] = /(head -c 32 \S+ \| base64 > \S+)$/m.exec(refusal) ?? []
  rmSync(path)
  execFileSync('sh', ['-c', command])
  const anew = await startServiceProcess(place)
  t.after(() => anew.stop())
  assert.equal((await fetch(anew.url + at)).status, 404)
  assert.equal((await leadIntake(place, ['leads', 'list'])).code, 0)
})

test('a start refuses to begin anew where the database is lost; without its secret it begins anew', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const path = join(place.dataDir, 'leads.sqlite')
  const first = await startServiceProcess(place)
  await sendSam(first.port)
  await first.stop()
  renameSync(path, `${path}.away`)
  for (const lose of [() => {}, () => writeFileSync(path, '')]) {
    lose()
    const refusal = await refusalOf(place)
    assert.match(refusal, /^exited with 5 at start: .*leads\.sqlite is missing or empty/)
    assert.match(refusal, /lead-intake restore FILE/)
    assert.match(refusal, /To begin with an empty database, move .*secret away, too\./)
    const told = await leadIntake(place, ['doctor'])
    assert.equal(told.code, 1)
    assert.match(told.out, /failed +database +The database .* is missing or empty/)
  }
  renameSync(join(place.dataDir, 'secret'), join(place.dataDir, 'secret.away'))
  const anew = await startServiceProcess(place)
  t.after(() => anew.stop())
  await sendSam(anew.port)
})

test('a first start that was killed before it made the secret is no loss', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const first = await startServiceProcess(place)
  await first.stop()
  rmSync(join(place.dataDir, 'secret'))
  const second = await startServiceProcess(place)
  t.after(() => second.stop())
  assert.equal((await leadIntake(place, ['doctor'])).code, 0)
})

test('a second service on the same database refuses to start, and follows when the first ends', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const first = await startServiceProcess(place)
  t.after(() => first.stop('SIGKILL'))
  await sendSam(first.port)
  assert.match(
    await refusalOf(place),
    /^exited with 5 at start: .*leads\.sqlite is in use by a running service\. /,
  )
  assert.equal((await askOnce(first.port, jsonRequest(robinWith(1)))).status, 200)
  for (const args of [['leads', 'list'], ['doctor'], ['backup']]) {
    const { code, error } = await leadIntake(place, args)
    assert.equal(code, 0, error)
  }
  const mode = statSync(join(place.dataDir, 'leads.sqlite-lock')).mode & 0o777
  assert.equal(mode.toString(8), '600')
  let last = first
  for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
    // On a machine so slow that the wait is over first, the next start follows.
    const waits = startServiceProcess(place).catch(() => startServiceProcess(place))
    await last.stop(ending)
    last = await waits
    t.after(() => last.stop('SIGKILL'))
    assert.equal((await askOnce(last.port, jsonRequest(robinWith(2)))).status, 200)
  }
})

async function refusalOf(place: StartOptions): Promise<string> {
  return startServiceProcess(place).then(
    (service) => service.stop('SIGKILL').then(() => 'it started'),
    (error: Error) => error.message,
  )
}

function robinWith(number: number) {
  return { name_1: 'Robin Example', email_1: `robin-${number}@example.com` }
}

async function sendRobin(port: number): Promise<{ status_url: string }> {
  const { body } = await askOnce(port, jsonRequest(robinWith(0)))
  return JSON.parse(body) as { status_url: string }
}

async function sendSam(port: number): Promise<string> {
  const { body } = await askOnce(port, jsonRequest(sam))
  return (JSON.parse(body) as { reference: string }).reference
}

/** By name. The bytes of the log's index do not count: any reader may rebuild it. */
function filesIn(folder: string): Record<string, string> {
  const read = (name: string) =>
    name.endsWith('-shm') ? '' : readFileSync(join(folder, name), 'base64')
  return Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)] as const))
}
