import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import test from 'node:test'
import { Proxies } from './client-address.ts'
import { ClientConnections } from './connections.ts'

test('a connection that is cut off disturbs no idle one', async (t) => {
  const server = createServer()
  const connections = new ClientConnections(server, new Proxies([]), 64)
  server.on('request', (_, response) => {
    if (connections.admit(response) !== undefined) response.end()
  })
  const accepted: Socket[] = []
  server.on('connection', (socket) => accepted.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  t.after(() => server.close())

  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  const idle = [await open(), await open(), await open()]
  for (const socket of idle) {
    socket.write(request)
    await once(socket, 'data')
  }
  let pauses = 0
  for (const socket of accepted) socket.on('pause', () => (pauses += 1))
  const flood = await open()
  flood.on('error', () => {})
  flood.resume()
  flood.write(request.repeat(100))
  await once(flood, 'close')
  assert.equal(pauses, 0)
  for (const socket of idle) {
    socket.write(request)
    assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 200 /)
  }
})
