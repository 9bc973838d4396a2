/** A new field is one row in contract/fields.ts: the form, every door, the database, mail and export follow. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { promisify } from 'node:util'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'
import { until } from '../support/until.ts'

const row = `  {
    name: 'text_2',
    key: 'timeframe',
    label: 'When it suits you',
    description: 'When the work should be done.',
    example: 'Next spring',
    required: false,
    maxLength: 60,
    input: 'text',
    autocomplete: 'off',
  },
`

test('a new field is one row in contract/fields.ts', async (t) => {
  const dataDir = temporaryFolder(t)
  // A database from before the field was added.
  const before = await startServiceProcess({ dataDir })
  await post(before.url, { ...sam, textarea_1: 'A pergola.' })
  await before.stop()

  const checkout = copyWith(t, row)
  const mail = await openMailSink(t)
  const env = {
    SMTP_URL: mail.url,
    OWNER_EMAIL: 'owner@example.com',
    DIGESTS: 'off',
  }
  const script = join(checkout, 'bin/lead-intake.js')
  const service = await startServiceProcess({ dataDir, env, script })
  t.after(() => service.stop('SIGKILL'))
  const read = async (path: string) => (await fetch(service.url + path)).text()

  assert.match(await read('/contact/'), /name="text_2"/)
  assert.match(await read('/openapi.json'), /"text_2"/)
  assert.match(await listTools(service.url), /"text_2"/)
  const consult = join(checkout, 'public/consult.mjs')
  assert.match(await run(consult, ['info', '--base-url', service.url]), /"option": "timeframe"/)

  assert.equal((await post(service.url, { ...sam, text_2: 'x'.repeat(61) })).status, 400)
  const first = await post(service.url, { ...sam, text_2: 'Spring' })
  const second = await post(service.url, { ...sam, text_2: 'Autumn' })
  const { reference } = (await first.json()) as { reference: string }
  assert.notEqual(((await second.json()) as { reference: string }).reference, reference)

  await until(() => mail.letters.length === 2, 'both letters')
  const letters = await Promise.all(mail.letters.map(parseLetter))
  assert.ok(letters.some(({ text }) => /When it suits you:?\s+Spring/.test(text ?? '')))

  const operator = (words: string[]) => run(script, words, { DATA_DIR: dataDir })
  const [header, ...leads] = (await operator(['leads', 'export', '--format', 'csv'])).split(/\r?\n/)
  assert.match(header!, /\btext_2\b/)
  assert.equal(leads.filter((line) => /Spring|Autumn/.test(line)).length, 2)
  await operator(['leads', 'erase', reference, '--yes'])
  assert.deepEqual(storedTimeframes(dataDir), ['', '', 'Autumn'])
})

const sam = { name_1: 'Sam Example', email_1: 'sam@example.com' }

function post(url: string, body: object): Promise<Response> {
  return fetch(`${url}/api/lead`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function listTools(url: string): Promise<string> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  return answer.text()
}

/** A copy of this checkout with one more row of fields. */
function copyWith(t: { after(callback: () => void): void }, fieldRow: string): string {
  const folder = temporaryFolder(t)
  for (const name of ['src', 'content', 'public', 'bin', 'package.json']) {
    cpSync(name, join(folder, name), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const path = join(folder, 'src/contract/fields.ts')
  const source = readFileSync(path, 'utf8')
  const end = '] as const satisfies readonly Field[]'
  assert.ok(source.includes(end))
  writeFileSync(path, source.replace(end, fieldRow + end))
  return folder
}

async function run(script: string, words: string[], env = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...words], {
    env: { PATH: process.env['PATH'], ...env },
  })
  return stdout
}

function storedTimeframes(dataDir: string): string[] {
  const db = new DatabaseSync(join(dataDir, 'leads.sqlite'), { readOnly: true })
  try {
    const rows = db.prepare('select timeframe from lead order by timeframe').all()
    return rows.map((each) => String(each['timeframe']))
  } finally {
    db.close()
  }
}
