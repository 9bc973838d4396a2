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
