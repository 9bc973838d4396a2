import assert from 'node:assert/strict'
import test from 'node:test'
import { StorageUnavailable } from '../../src/store/engine/engine.ts'
import type { AppParts } from '../../src/app.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { exampleSite } from '../support/delivery.ts'
import { onPostgres, newInstallation } from '../support/engines.ts'
import { robin } from '../support/leads.ts'
import { postLead, type Cleaner } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'

async function scrape({ ask }: Pick<TestApp, 'ask'>): Promise<Map<string, number>> {
  const { status, text, headers } = await ask('GET', '/metrics')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  return readMetrics(text)
}

/** Not published, so that a tool on this machine may read the figures. */
function openLocalApp(t: Cleaner, parts: Partial<AppParts> = {}): TestApp {
  return openTestApp(t, { site: { ...exampleSite, baseUrl: 'http://localhost:3000' }, ...parts })
}

test('a tool on this machine reads the figures, and elsewhere whoever has the token', async (t) => {
  const token = 'a-token-of-twenty-or-more'
  const { ask } = openLocalApp(t, { metricsToken: token })
  const from = '203.0.113.9'
  const asStranger = (authorization: string) =>
    ask('GET', '/metrics', { from, headers: { authorization } })
  assert.equal((await ask('GET', '/metrics')).status, 200)
  assert.equal((await asStranger(`Bearer ${token}`)).status, 200)
  const missing = await ask('GET', '/nowhere', { from })
  for (const wrong of [`Bearer ${token}x`, `Bearer`, token, `Basic ${token}`, '']) {
    const { status, text } = await asStranger(wrong)
    assert.deepEqual([status, text], [404, missing.text], wrong)
  }
  const closed = openLocalApp(t)
  const headers = { authorization: 'Bearer undefined' }
  assert.equal((await closed.ask('GET', '/metrics', { from, headers })).status, 404)
})

test('a service counts its requests and leads, and nothing of what people write', async (t) => {
  const { place } = await newInstallation(t)
  const service = await startServiceHere(t, place)
  const read = async () => (await fetch(`${service.url}/metrics`)).text()
  // What is counted, is counted for the whole process.
  const earlier = readMetrics(await read())
  await postLead(service.url, robin)
  await postLead(service.url, { ...robin, email_1: 'sparrow' })
  await fetch(`${service.url}/robin@example.com`)
  await fetch(`${service.url}/contact/`)
  const text = await read()
  const samples = readMetrics(text)
  const sample = (name: string) => samples.get(name)
  const counted = (name: string) => sample(name)! - (earlier.get(name) ?? 0)
  assert.equal(counted('leads_total{door="json",outcome="accepted"}'), 1)
  assert.equal(counted('leads_total{door="json",outcome="invalid"}'), 1)
  assert.equal(counted('http_requests_total{route="/api/lead",status="200"}'), 1)
  assert.equal(counted('http_requests_total{route="/api/lead",status="400"}'), 1)
  assert.equal(counted('http_requests_total{route="(other)",status="404"}'), 1)
  assert.equal(counted('http_requests_total{route="/contact/",status="200"}'), 1)
  assert.equal(sample('probe_success'), 1)
  assert.ok(sample('disk_free_bytes')! > 0)
  assert.ok(Math.abs(sample('last_lead_timestamp_seconds')! - Date.now() / 1000) < 600)
  assert.equal(sample('journal_leads'), onPostgres ? 0 : undefined)
  assert.equal(sample('backup_interval_seconds'), undefined, 'what is not known is not shown')
  assert.doesNotMatch(text, /robin|sparrow/i)
})

test('a service that makes backups tells that there is none; without a drill it tells nothing of drills', async (t) => {
  const samples = await scrape(openLocalApp(t, { backupEveryMs: 60_000 }))
  assert.equal(samples.get('backup_last_success_timestamp_seconds'), 0)
  assert.equal(samples.get('restore_drill_last_success_timestamp_seconds'), undefined)
})

test('while nothing can be committed, the probe says so', async (t) => {
  const app = openLocalApp(t)
  app.store.probe = () => Promise.reject(new StorageUnavailable('full'))
  app.store.state = () => Promise.resolve({ away: 'full' })
  const samples = await scrape(app)
  assert.equal(samples.get('probe_success'), 0)
  const broken = () => Promise.reject(new StorageUnavailable('away'))
  app.store.deliveries.count = broken
  app.store.views.list = broken
  const rest = await scrape(app)
  assert.equal(rest.get('probe_success'), 0, 'what can be read is still shown')
  assert.equal(rest.get('last_lead_timestamp_seconds'), undefined)
})

function readMetrics(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, sample, value] = /^(?:lead_intake_)?(\w+(?:\{.*\})?) (\S+)$/.exec(line)!
      return [sample!, Number(value)]
    }),
  )
}
