import assert from 'node:assert/strict'
import test from 'node:test'
import { paths } from '../../src/doors/inbox/paths.ts'
import { newInstallation } from '../support/engines.ts'
import { acknowledgedMore, startLoad, median } from '../support/load.ts'
import { signIn } from '../support/operator.ts'
import { startServiceProcess, startFlags, residentMb } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink } from '../support/smtp.ts'
import { getRequest, openWire, postRequest, type Wire } from '../support/wire.ts'

const wrongCodes = Number(process.env['STORY_WRONG_CODES'] ?? 200)
/** The memory of a process says something after many codes only. */
const isTrial = wrongCodes >= 10_000
const triesOfAddress = 10
const connections = 8
/** From the second fifth of the addresses, where memory has settled, to the last. */
const mostGrowthMb = 30

test('wrong codes from many addresses: nobody gets in, leads are taken, a member stays in [sign-in.guess]', async (t) => {
  const mail = await openMailSink(t)
  const { place } = await newInstallation(t)
  const env = {
    ...place.env,
    ...byMail(mail),
    TRUSTED_PROXIES: '127.0.0.1',
    NODE_OPTIONS: startFlags.join(' '),
  }
  const service = isTrial
    ? await startServiceProcess({ ...place, env })
    : await startServiceHere(t, { ...place, env })
  t.after(() => service.stop())
  const { pid } = 'process' in service ? service.process : process
  const cookie = await signIn(place, service)

  const port = () => service.port
  const load = startLoad({ port, label: 'guessing', connections: 1, pauseMs: 50 })
  const statuses: Record<string, number> = {}
  const megabytes: number[] = []
  let address = 0
  const guessers = Array.from({ length: connections }, async () => {
    const wire = await openWire(service.port)
    while (address < wrongCodes / triesOfAddress) await guessFrom(wire, (address += 1))
    wire.close()
  })
  await Promise.all(guessers)
  const fifth = Math.floor(megabytes.length / 5)
  const fifths = Array.from({ length: 5 }, (_, n) => megabytes.slice(n * fifth, (n + 1) * fifth))
  const medians = fifths.map(median)
  await acknowledgedMore(load, 20)
  await load.stop()
  const after = await openWire(service.port)
  const { status } = await after.ask(getRequest(paths.list, { Cookie: cookie }))
  after.close()
  const counts = { wrongCodes, addresses: address, statuses, megabytes: medians }
  t.diagnostic(JSON.stringify({ story: 'wrong codes', ...counts, ...load.counts }))
  assert.equal(status, 200, 'the member is signed in')
  assert.deepEqual(load.unexpected, [])
  assert.deepEqual(Object.keys(statuses), ['403'], 'nobody is in')
  if (isTrial) assert.ok(medians[4]! - medians[1]! < mostGrowthMb)

  await service.stop()
  const { port: portAfter } = await startServiceHere(t, { ...place, env })
  const again = await openWire(portAfter)
  t.after(() => again.close())
  assert.equal((await again.ask(getRequest(paths.list, { Cookie: cookie }))).status, 200)

  async function guessFrom(wire: Wire, number: number): Promise<void> {
    const network = { 'X-Forwarded-For': `198.51.${number >> 8}.${number & 255}` }
    const asked = await wire.ask(inboxPost(paths.signIn, 'email=robin@example.com', network))
    const browser = cookieOf(asked.headers['set-cookie'])
    for (let tried = 0; tried < triesOfAddress; tried += 1) {
      const code = `code=${String(number * triesOfAddress + tried).padStart(8, '0')}`
      const answer = await wire.ask(
        inboxPost(paths.signInCode, code, { ...network, Cookie: browser }),
      )
      const outcome = answer.headers['location'] === paths.list ? 'in' : String(answer.status)
      statuses[outcome] = (statuses[outcome] ?? 0) + 1
    }
    megabytes.push(residentMb(pid!))
  }
})

function inboxPost(path: string, body: string, headers: Record<string, string> = {}): string {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return postRequest(body, { ...form, 'Sec-Fetch-Site': 'same-origin', ...headers }, path)
}

function cookieOf(header = ''): string {
  return header.split(';')[0]!
}
