import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import test from 'node:test'
import pg from 'pg'
import { postgresFault } from './postgres-faults.ts'

test('whatever breaks on the way to the server is no fault of a lead', async (t) => {
  const deaf = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  t.after(() => deaf.close())
  await once(deaf, 'listening')
  const { port } = deaf.address() as AddressInfo
  const cutOff = await new pg.Client({ host: '127.0.0.1', port }).connect().catch((e: unknown) => e)
  assert.equal(postgresFault(cutOff), 'away')
  // As node tells it when the other side has gone: five capitals, like a code of PostgreSQL.
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })
  assert.equal(postgresFault(broken), 'away')
})

test('what the server says of a row is a fault of the row', () => {
  const said = (code: string) => Object.assign(new Error('said'), { code, severity: 'ERROR' })
  assert.equal(postgresFault(said('22021')), undefined)
  assert.equal(postgresFault(said('57P01')), 'restarting')
  assert.equal(postgresFault(said('25006')), 'read-only')
})
