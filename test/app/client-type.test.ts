import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestApp } from '../support/app.ts'

const form = 'application/x-www-form-urlencoded'

test('who counts as a JSON client [4.2.client]', async (t) => {
  const { ask } = openTestApp(t)
  const table: [contentType: string, accept: string | undefined, isJson: boolean][] = [
    ['application/json', undefined, true],
    ['application/json', 'text/html', true],
    ['APPLICATION/JSON; charset=utf-8', '*/*', true],
    ['application/json\t;x=y', undefined, true],
    [form, 'application/json', true],
    [form, 'APPLICATION/JSON', true],
    [form, 'application/json, text/plain, */*', true],
    [form, 'application/json;q=0.5, text/html;q=0.4', true],
    [form, 'application/json, text/html', true],
    [form, 'application/json;version=2', true],
    [form, 'text/html;q=0, application/json;q=0.1', true],
    [form, '*/*, application/json', true],
    [form, 'text/html;q=0, */*', true],
    [form, 'text/html, application/json', false],
    [form, 'text/html, application/json;q=0.9', false],
    [form, 'application/json;q=0.5, */*', false],
    [form, 'application/json;q=0', false],
    [form, 'application/json;q=high', false],
    [form, '*/*', false],
    [form, 'application/*', false],
    [form, 'application/problem+json', false],
    [form, '', false],
    [form, undefined, false],
    [form, 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ]
  for (const [contentType, accept, isJson] of table) {
    const headers = { 'content-type': contentType, ...(accept === undefined ? {} : { accept }) }
    const { status } = await ask('POST', '/api/lead', { headers, body: '' })
    assert.equal(status, isJson ? 400 : 303, `${contentType} | ${accept}`)
  }
})

test('a form from a JSON client and a form from a browser keep the same lead [2.1.same]', async (t) => {
  const { ask, postJson, store, clock } = openTestApp(t)
  const body =
    'name_1=Ana+Mar%C3%ADa&email_1=ana%40example.com&phone_1=0491+570+006&text_1=0800&textarea_1=a%0D%0Ab'
  const headers = { 'content-type': form }
  await ask('POST', '/api/lead', { headers: { ...headers, accept: 'application/json' }, body })
  clock.now += 11 * 60_000
  await ask('POST', '/api/lead', { headers, body })
  clock.now += 11 * 60_000
  await postJson({
    name_1: 'Ana María',
    email_1: 'ana@example.com',
    phone_1: '0491 570 006',
    text_1: '0800',
    textarea_1: 'a\r\nb',
  })
  const leads = await store.listLeads({ limit: 5 })
  assert.equal(leads.length, 3)
  for (const { values } of leads) assert.deepEqual(values, leads[0]!.values)
  assert.equal(leads[0]!.values.postcode, '0800')
})
