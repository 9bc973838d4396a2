/** Two nodes behind pgbouncer in transaction mode, where each transaction may get another connection. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { newPostgresDatabase } from '../support/engines.ts'
import { acknowledgedMore, startLoad } from '../support/load.ts'
import { leadIntake } from '../support/operator.ts'
import { openPostgresServer } from '../support/postgres.ts'
import { freePort, startServiceProcess, temporaryFolder, type Cleaner } from '../support/service.ts'
import { assertKept, readStoredIn } from '../support/stored.ts'
import { until } from '../support/until.ts'

const skip =
  spawnSync('pgbouncer', ['--version']).error !== undefined && 'pgbouncer is not installed'

test('two nodes behind pgbouncer keep every lead once, and commands work', { skip }, async (t) => {
  const server = await openPostgresServer()
  t.after(() => server.close())
  const database = newPostgresDatabase(server.url)
  // pgbouncer passes no search_path on.
  const [schema] = await database.execute('select current_schema() as name')
  await database.execute(`alter role owner set search_path = ${String(schema!['name'])}`)
  const DATABASE_URL = await startPooler(t, new URL(server.url).searchParams.get('host')!)
  const folders = [temporaryFolder(t), temporaryFolder(t)]
  const loads = []
  for (const [index, dataDir] of folders.entries()) {
    const node = await startServiceProcess({ dataDir, env: { DATABASE_URL } })
    t.after(() => node.stop('SIGKILL'))
    const load = startLoad({ port: () => node.port, label: `node-${index}`, connections: 8 })
    loads.push({ node, load })
  }
  await Promise.all(loads.map(({ load }) => acknowledgedMore(load, 500)))
  for (const { load } of loads) await load.stop()
  const place = { dataDir: folders[0]!, env: { DATABASE_URL } }
  const told = await leadIntake(place, ['doctor'], { PORT: String(loads[0]!.node.port) })
  assert.match(told.out, /^ok +database +the server answers/m)
  const backup = await leadIntake(place, ['backup', '--to', folders[0]!])
  assert.equal(backup.code, 0, backup.error)
  for (const { node } of loads) assert.equal(await node.stop(), 0)
  const acknowledged = new Map(loads.flatMap(({ load }) => [...load.acknowledged]))
  t.diagnostic(JSON.stringify({ story: 'pooler', acknowledged: acknowledged.size }))
  assertKept(acknowledged, await readStoredIn(database))
})

async function startPooler(t: Cleaner, host: string): Promise<string> {
  const folder = temporaryFolder(t)
  // pgbouncer refuses to run as root, and nobody must be able to read its settings.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const settings = `[databases]
postgres = host=${host} port=5432 dbname=postgres user=owner
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`
  writeFileSync(join(folder, 'pgbouncer.ini'), settings)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const pooler = spawn('pgbouncer', [...user, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  t.after(async () => {
    pooler.kill('SIGKILL')
    await once(pooler, 'exit')
  })
  await until(async () => {
    const socket = connect(port, '127.0.0.1')
    const isOpen = once(socket, 'connect').then(
      () => true,
      () => false,
    )
    return await isOpen.finally(() => socket.destroy())
  }, 'pgbouncer listens')
  return `postgres://owner@127.0.0.1:${port}/postgres`
}
