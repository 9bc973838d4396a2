/** Clients that the service must not work for: the small forms of `npm run trials floods`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { clientLimits } from '../../src/contract/limits.ts'
import {
  holdUnixSocket,
  startServiceProcess,
  temporaryFolder,
  type RunningService,
} from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { until } from '../support/until.ts'
import { askOnce, getRequest, jsonRequest } from '../support/wire.ts'

/** Each address of 127.0.0.0/8 is a client of its own. */
const barePort = { TRUSTED_PROXIES: '10.0.0.1', BASE_URL: 'http://www.example.com' }
const attacker = '127.0.7.1'
const neighbour = '127.0.6.1'

test('leads whose connections were reset before they were accepted are not kept, pages are not made for a client that has gone, and a lead that it sent is kept [edge.address, edge.gone]', async (t) => {
  const dataDir = temporaryFolder(t)
  const env = { ...barePort, RATE_LIMIT: '2,3', LOG_LEVEL: 'debug' }
  const service = await startServiceProcess({ dataDir, env })
  t.after(() => service.stop('SIGKILL'))
  await whileStopped(service, async () => {
    for (let n = 1; n <= 10; n += 1) {
      const forged = { 'X-Forwarded-For': neighbour }
      await sendAndReset(service.port, jsonRequest(person(`forged-${n}`), forged))
    }
    await sendAndLeave(service.port, getRequest('/contact/').repeat(16))
    await sendAndLeave(service.port, jsonRequest(person('gone')))
  })
  const answer = await askOnce(service.port, jsonRequest(person('honest')), {
    localAddress: neighbour,
  })
  assert.equal(answer.status, 200)
  assert.equal(await service.stop(), 0)
  const asked = service.lines.filter((line) => line.includes('"event":"request"'))
  assert.deepEqual(
    asked.map((line) => /"method":"(\w+)"/.exec(line)![1]),
    ['POST', 'POST'],
  )
  const { leads } = readStored(`${dataDir}/leads.sqlite`)
  const kept = leads.map(({ values, state }) => `${values.email} ${state}`)
  assert.deepEqual(kept.sort(), ['gone@example.com new', 'honest@example.com new'])
})

test('an address that closes its connections and opens ever more is refused until the second is over [edge.address]', async (t) => {
  const sent = 40
  const countKept = async () => {
    const dataDir = temporaryFolder(t)
    const service = await startServiceProcess({ dataDir, env: barePort })
    t.after(() => service.stop('SIGKILL'))
    await whileStopped(service, async () => {
      // Without a request, so that even a slow machine accepts them within a second.
      for (let n = 1; n <= clientLimits.perAddress; n += 1) await sendAndLeave(service.port, '')
      for (let n = 1; n <= sent; n += 1) {
        await sendAndLeave(service.port, jsonRequest(person(`kim-${n}`)))
      }
    })
    // Its connection is accepted after all the others.
    const honest = jsonRequest(person('honest'))
    const answer = await askOnce(service.port, honest, { localAddress: neighbour })
    assert.equal(answer.status, 200)
    assert.equal(await service.stop(), 0)
    return readStored(`${dataDir}/leads.sqlite`).leads.length - 1
  }
  // The second may be over in between.
  await until(async () => (await countKept()) < sent, 'some were refused')
})

test('on an inherited Unix socket the service believes its proxy', async (t) => {
  const dataDir = temporaryFolder(t)
  const { fd, path } = holdUnixSocket(t)
  const service = await startServiceProcess({
    dataDir,
    env: { LISTEN_FD: '3', RATE_LIMIT: '2,3' },
    stdio: ['ignore', 'pipe', 'pipe', fd],
  })
  t.after(() => service.stop('SIGKILL'))
  for (let n = 1; n <= 5; n += 1) {
    const headers = { 'X-Forwarded-For': `203.0.113.${n}`, Connection: 'close' }
    const socket = connect(path)
    socket.write(jsonRequest(person(`customer-${n}`), headers))
    assert.match(await text(socket), /^HTTP\/1\.1 200 /)
  }
  assert.equal(await service.stop(), 0)
  const { leads } = readStored(`${dataDir}/leads.sqlite`)
  assert.equal(new Set(leads.map(({ client }) => client)).size, 5)
})

function person(name: string) {
  return { name_1: 'Sam', email_1: `${name}@example.com` }
}

/** The kernel takes connections and bytes for a process that is stopped. */
async function whileStopped(service: RunningService, act: () => Promise<void>): Promise<void> {
  const stat = `/proc/${service.process.pid}/stat`
  service.process.kill('SIGSTOP')
  await until(() => readFileSync(stat, 'utf8').includes(') T '), 'the service has stopped')
  await act().finally(() => service.process.kill('SIGCONT'))
}

async function sendAndReset(port: number, request: string): Promise<void> {
  const socket = await send(port, request)
  socket.resetAndDestroy()
  await once(socket, 'close')
}

async function sendAndLeave(port: number, request: string): Promise<void> {
  const socket = await send(port, request)
  socket.destroy()
  await once(socket, 'close')
}

async function send(port: number, request: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: attacker })
  await once(socket, 'connect')
  await new Promise((resolve) => socket.write(request, resolve))
  return socket
}
