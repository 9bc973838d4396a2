import assert from 'node:assert/strict'
import test from 'node:test'
import { dayMs } from '../../src/time.ts'
import { openTestApp } from '../support/app.ts'
import { robin } from '../support/leads.ts'

test('a lead tells by which way in it came', async (t) => {
  const app = openTestApp(t)
  const ways = [
    ['form', () => app.postForm({ ...robin, textarea_1: 'by form' })],
    ['json', () => app.postJson({ ...robin, textarea_1: 'by json' })],
    [
      'cli',
      () => app.postJson({ ...robin, textarea_1: 'by cli' }, { 'user-agent': 'consult/1.0' }),
    ],
    [
      'webmcp',
      () => app.postJson({ ...robin, textarea_1: 'webmcp' }, { 'sec-fetch-site': 'same-origin' }),
    ],
  ] as const
  for (const [channel, send] of ways) {
    await send()
    const [lead] = await app.store.views.list({ limit: 1 })
    assert.equal(lead?.door, channel)
  }
})

test('/cli.md describes every stage of the command-line tool [4.3.cli]', async (t) => {
  const { status, headers, text } = await openTestApp(t).ask('GET', '/cli.md')
  assert.deepEqual([status, headers['content-type']], [200, 'text/markdown; charset=utf-8'])
  for (const stage of ['info', 'draft', 'check', 'send', 'status', 'withdraw', 'erase']) {
    assert.match(text, new RegExp(`^consult ${stage}`, 'm'))
    assert.match(text, new RegExp(`^  consult ${stage} .*\\w\\.$`, 'm'))
  }
})

test('security.txt is good for most of a year, however long the service runs', async (t) => {
  const app = openTestApp(t)
  for (let month = 0; month < 24; month += 1) {
    const { text } = await app.ask('GET', '/.well-known/security.txt')
    const daysLeft = (Date.parse(/^Expires: (.+)$/m.exec(text)![1]!) - app.clock.now) / dayMs
    assert.ok(daysLeft > 300 && daysLeft < 365, `${daysLeft} days`)
    app.clock.now += 31 * dayMs
  }
})
