import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { nobody } from '../../src/contract/notices.ts'
import { StoreRefused, type Row } from '../../src/store/engine/engine.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { openLeads, openToServe } from '../../src/store/open.ts'
import { makeSecret } from '../../src/store/secret.ts'
import { leadIntake, startLeadIntake } from '../support/operator.ts'
import { mai, newLead, robin, sam } from '../support/leads.ts'
import { settingsOf } from '../support/backup.ts'
import { listeningLog } from '../support/delivery.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { askOnce, jsonRequest } from '../support/wire.ts'

test('tables are strict, the log is synced in full, and what is deleted is overwritten [keep.sync]', async (t) => {
  const engine = openSqlite({ path: join(temporaryFolder(t), 'leads.sqlite') })
  t.after(() => engine.close())
  const rows = await engine.read(
    `select name from pragma_table_list where strict = 0 and type = 'table' and schema = 'main' and name not like 'sqlite_%'`,
  )
  assert.deepEqual(rows, [])
  const [, ...pragmas] = await engine.run([
    ['insert into probe (id, at) values (1, 1)', []],
    ['pragma synchronous', []],
    ['pragma secure_delete', []],
    // Without it macOS does not empty the cache of the disk.
    ['pragma fullfsync', []],
    ['pragma journal_mode', []],
  ])
  assert.deepEqual(
    pragmas.map((result) => Object.values((result as Row[])[0]!)[0]),
    [2, 1, 1, 'wal'],
  )
})

test('a start takes the rights of others away from folder, database, logs and secret', async (t) => {
  const first = { dataDir: temporaryFolder(t) }
  const { port } = await startServiceHere(t, first)
  await send(port)
  // As a killed service leaves it, with its log.
  const place = { dataDir: join(temporaryFolder(t), 'data') }
  cpSync(first.dataDir, place.dataDir, { recursive: true })
  const names = ['.', 'leads.sqlite', 'leads.sqlite-wal', 'leads.sqlite-shm', 'secret']
  const modes = () =>
    names.map((name) => (statSync(join(place.dataDir, name)).mode & 0o777).toString(8))
  for (const name of names) chmodSync(join(place.dataDir, name), name === '.' ? 0o755 : 0o644)
  await startServiceHere(t, place)
  assert.deepEqual(modes(), ['700', '600', '600', '600', '600'])
  assert.match((await leadIntake(place, ['doctor'])).out, /ok +files +\S+ can be read and written/)
})

test('a start refuses leads whose secret is lost, doctor names the loss, and both ways out work', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const path = join(place.dataDir, 'secret')
  const first = await startServiceHere(t, place)
  const { status_url: receipt } = await send(first.port)
  await first.stop()
  renameSync(path, `${path}.backup`)

  const refusal = await refusalOf(place)
  assert.match(refusal, /^The secret .*secret is missing, .* 1 lead\. /)
  assert.match(
    refusal,
    /Put the one of a backup there \(zstd -d FILE -o backup\.sqlite; sqlite3 backup\.sqlite -Ax secret\)\./,
  )
  assert.ok(!existsSync(path))
  const told = await leadIntake(place, ['doctor'])
  assert.equal(told.code, 1)
  assert.match(told.out, /failed +database +The secret .* is missing, .* 1 lead\. /)
  assert.equal((await leadIntake(place, ['backup'])).code, 5)
  assert.ok(!existsSync(path), 'no command makes another secret')

  renameSync(`${path}.backup`, path)
  const again = await startServiceHere(t, place)
  const at = new URL(receipt).pathname
  assert.equal((await fetch(again.url + at)).status, 200)
  await again.stop()
  // The refusal names this command for an owner without a backup.
  const [, command = ''] = /(head -c 32 \S+ \| base64 > \S+)$/m.exec(refusal) ?? []
  rmSync(path)
  execFileSync('sh', ['-c', command])
  const anew = await startServiceHere(t, place)
  assert.equal((await fetch(anew.url + at)).status, 404)
  assert.equal((await leadIntake(place, ['leads', 'list'])).code, 0)
})

test('a start refuses to begin anew where the database is lost; without its secret it begins anew', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const path = join(place.dataDir, 'leads.sqlite')
  await makeInstallation(place)
  renameSync(path, `${path}.away`)
  const refusal = await refusalOf(place)
  assert.match(refusal, /^.*leads\.sqlite is missing or empty/)
  assert.match(refusal, /lead-intake restore FILE/)
  assert.match(refusal, /To begin with an empty database, move .*secret away, too\./)
  const told = await leadIntake(place, ['doctor'])
  assert.equal(told.code, 1)
  assert.match(told.out, /failed +database +The database .* is missing or empty/)
  renameSync(join(place.dataDir, 'secret'), join(place.dataDir, 'secret.away'))
  const anew = await startServiceHere(t, place)
  await send(anew.port)
})

test('a secret that was cut off is named by doctor as by the start', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  await makeInstallation(place)
  const path = join(place.dataDir, 'secret')
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 12))
  const sentence = `The secret ${path} is not what the first start wrote. Restore it from a backup`
  const told = await leadIntake(place, ['doctor'])
  assert.equal(told.code, 1)
  assert.match(told.out, new RegExp(`^failed +secret +${sentence}`, 'm'))
  await assert.rejects(startServiceHere(t, place), { message: new RegExp(`^${sentence}`) })
})

test('a start refuses a copy that was not finished, and leaves no log beside it', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const engine = openSqlite({ path: join(place.dataDir, 'leads.sqlite') })
  await engine.run([[`insert into installation values ('copy', 'running')`, []]])
  await engine.close()
  assert.match(await refusalOf(place), /^.*a copy that was not finished/)
  assert.deepEqual(readdirSync(place.dataDir).toSorted(), ['leads.sqlite', 'leads.sqlite-lock'])
})

test('a second service on the same database refuses to start, and follows when the first ends', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const first = await startServiceHere(t, place)
  await send(first.port)
  // It waits some seconds for the first one to end.
  const refused = assert.rejects(
    startServiceProcess(place),
    /exited with 5 at start: .*leads\.sqlite is in use by a running service\. /,
  )
  await send(first.port, robin)
  for (const args of [['leads', 'list'], ['doctor'], ['backup']]) {
    const { code, error } = await leadIntake(place, args)
    assert.equal(code, 0, error)
  }
  await refused
  const mode = statSync(join(place.dataDir, 'leads.sqlite-lock')).mode & 0o777
  assert.equal(mode.toString(8), '600')
  // On a slow machine the first start may give up before; then the next one follows.
  const waits = startServiceHere(t, place).catch(() => startServiceHere(t, place))
  await first.stop()
  const second = await waits
  await send(second.port, mai)
})

test(
  'a command of root in the folder of another user leaves no file of root there, and follows no link',
  { skip: process.getuid!() !== 0 && 'needs root' },
  async (t) => {
    const [folder, elsewhere] = [temporaryFolder(t), join(temporaryFolder(t), 'of-root')]
    const place = { dataDir: join(folder, 'data') }
    const { reference } = await makeInstallation(place)
    execFileSync('chown', ['-R', '12345:12345', folder])
    const owners = () => {
      const names = ['.', ...readdirSync(place.dataDir, { recursive: true, encoding: 'utf8' })]
      return new Set(names.map((name) => lstatSync(join(place.dataDir, name)).uid))
    }
    const made = await startLeadIntake(place, ['backup', '--json'])
    assert.equal(made.code, 0, made.error)
    const { path } = JSON.parse(made.out) as { path: string }
    assert.equal((await startLeadIntake(place, ['restore', path])).code, 0)
    assert.deepEqual(owners(), new Set([12345]))
    writeFileSync(elsewhere, 'of root', { mode: 0o600 })
    symlinkSync(elsewhere, join(place.dataDir, 'erased'))
    const erased = await startLeadIntake(place, ['leads', 'erase', reference, '--yes'])
    assert.notEqual(erased.code, 0)
    assert.deepEqual([readFileSync(elsewhere, 'utf8'), statSync(elsewhere).uid], ['of root', 0])
  },
)

/** The folder as a service leaves it that took a lead. */
async function makeInstallation({ dataDir }: { dataDir: string }): Promise<{ reference: string }> {
  const store = await openLeads({ DATA_DIR: dataDir, DATABASE_URL: undefined })
  makeSecret(dataDir)
  const lead = newLead(1)
  await store.leads.keep(lead)
  await store.close()
  return lead
}

/** What a start says before it ends with 5. */
async function refusalOf({ dataDir }: { dataDir: string }): Promise<string> {
  const log = listeningLog([])
  const beforeMigration = () => Promise.reject(new Error('the database is older'))
  return openToServe(settingsOf({ dataDir, env: {} }), {
    log,
    recipients: nobody,
    beforeMigration,
  }).then(
    (store) => store.close().then(() => 'it started'),
    (error: Error) => (error instanceof StoreRefused ? error.message : String(error)),
  )
}

async function send(
  port: number,
  lead: object = sam,
): Promise<{ reference: string; status_url: string }> {
  const { status, body } = await askOnce(port, jsonRequest(lead))
  assert.equal(status, 200)
  return JSON.parse(body) as { reference: string; status_url: string }
}
