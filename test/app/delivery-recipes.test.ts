import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import test from 'node:test'
import { signedHeaders, toPayload } from '../../src/delivery/webhook.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { freePort, temporaryFolder } from '../support/service.ts'
import { webhookSecret } from '../support/sink.ts'
import { until } from '../support/until.ts'

const page = readFileSync('docs/notifications.md', 'utf8')
const [relay, ...takes] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code!)

test('the recipes of the notifications page work as they stand', async (t) => {
  assert.equal(takes.length, 3)
  const heard: { path: string; method: string; body: string }[] = []
  const tool = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      heard.push({ path: request.url!, method: request.method!, body })
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(tool, 'listening')
  t.after(() => tool.close())
  const url = `http://127.0.0.1:${(tool.address() as AddressInfo).port}`
  const folder = temporaryFolder(t)
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'relay.mjs'), relay!)
  const sheet = join(folder, 'leads.csv')

  for (const take of takes) {
    writeFileSync(join(folder, 'take.mjs'), take)
    const port = await freePort()
    const child = spawn(process.execPath, ['relay.mjs'], {
      cwd: folder,
      env: {
        PORT: String(port),
        WEBHOOK_SECRET: webhookSecret,
        SHEET: sheet,
        CHAT_URL: url,
        CRM_URL: url,
        CRM_TOKEN: 'x',
      },
      stdio: 'inherit',
    })
    t.after(() => child.kill())
    assert.equal(await send(port, Buffer.alloc(32, 9)), 204)
    assert.equal(await send(port, Buffer.alloc(32, 8)), 401)
    child.kill()
  }
  assert.match(readFileSync(sheet, 'utf8'), /^"2026-11-15T09:00:00\.000Z","C-[\w-]{11}","'=Robin"/)
  assert.deepEqual(
    heard.map(({ method, path }) => `${method} ${path}`),
    ['POST /', `PUT /contacts/${lead.id}`],
  )
  assert.deepEqual(JSON.parse(heard[0]!.body), {
    text: `Consultation request ${lead.reference}, postcode 2480`,
  })
})

const at = Date.UTC(2026, 10, 15, 9)
const lead = {
  id: '019a85d0-6c00-7000-8123-456789abcdef',
  reference: 'C-7K3QM-4X92P',
  receivedAt: at,
  stateChangedAt: at,
  state: 'new',
  values: {
    name: '=Robin',
    email: 'robin@example.com',
    phone: '0491 570 006',
    postcode: '2480',
    message: '',
  },
  unlisted: '',
  door: 'form',
  agent: '',
} as Partial<Lead> as Lead

async function send(port: number, key: Buffer): Promise<number> {
  const message = { id: lead.id, at, notice: { kind: 'lead.received', lead } } as const
  const body = JSON.stringify(toPayload(message, 'https://decks.example.com'))
  const headers = signedHeaders(message.id, Date.now(), body, key)
  const post = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
  let status = 0
  const isAnswered = () => post().then((answer) => (status = answer.status) > 0, notYet)
  await until(isAnswered, 'the relay answers')
  return status
}

const notYet = () => false
