import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { writeCommandLine } from '../../src/discovery/consult.ts'
import { readBusiness } from '../../src/site/business.ts'
import { sam, valuesOf } from '../support/leads.ts'
import { bookVisit } from '../support/operator.ts'
import { facts } from '../support/sample-facts.ts'
import { freePort, temporaryFolder, type Cleaner } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { readStored } from '../support/stored.ts'
import { call, consult, run, script } from '../support/consult.ts'

const page = writeCommandLine(facts)
const dataDir = temporaryFolder({ after })
// Receipts name the port that is set.
const env = { PORT: String(await freePort()) }
const service = await startServiceHere({ after }, { dataDir, env })
const site = ['--base-url', service.url]

test('a request goes from draft to check to send, and is one lead with all its zeros [command.staged]', async (t) => {
  const cwd = temporaryFolder(t)
  const at = { cwd, baseUrl: service.url }
  const file = join(cwd, 'consult-draft.json')
  const leadsBefore = stored().length
  const words = ['--name', 'Robin Example', '--email', 'zeros@example.com']
  const zeros = ['--phone', '0491570006', '--postcode', '0800', '--message', '-']
  const input = 'A deck.\n\nOne step up.\n'
  const drafted = await consult(['draft', ...words, ...zeros], { ...at, input })
  assert.equal(drafted.code, 0, drafted.error)
  assert.match(drafted.error, /Nothing was sent\. Next: consult check/)
  const draft = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  assert.match(draft['idempotency_key']!, /^[\w-]{36}$/)

  const checked = await call('check', file, ...site)
  assert.deepEqual(checked, { code: 0, json: { ok: true, request: draft } })
  const unasked = await call('send', file, ...site)
  assert.equal(unasked.code, 4)
  const { message, resolution, details } = unasked.json.error
  assert.match(`${message} ${resolution}`, /Nothing was sent\..*add --yes/)
  const { would_send: shown, to } = details
  assert.deepEqual([shown, to], [draft, `${service.url}/api/lead`])
  assert.equal(stored().length, leadsBefore)

  const sent = await consult(['send', '--yes'], at)
  assert.equal(sent.code, 0, sent.error)
  assert.match(sent.error, /Consultation request was received/)
  const first = JSON.parse(sent.out)
  assert.equal(first.ok, true)
  assert.match(first.reference, /^C-/)
  const again = await call('send', file, '--yes', ...site)
  assert.deepEqual(again, { code: 0, json: { ...first, replayed: true } })

  const [lead, ...others] = stored().filter(({ values }) => values.email === 'zeros@example.com')
  assert.deepEqual(others, [])
  const kept = valuesOf({
    name: 'Robin Example',
    email: 'zeros@example.com',
    phone: '0491570006',
    postcode: '0800',
    message: 'A deck.\n\nOne step up.',
  })
  assert.deepEqual(lead!.values, kept)
  assert.match(lead!.userAgent, /^consult\/\d/)

  writeFileSync(file, JSON.stringify({ ...draft, text_1: '0870' }))
  const changed = await call('send', file, '--yes', ...site)
  assert.deepEqual([changed.code, changed.json.error.code], [4, 'IDEMPOTENCY_KEY_REUSED'])

  writeFileSync(file, JSON.stringify(draft))
  assert.equal((await call('withdraw', first.receipt_token, '--yes', ...site)).code, 0)
  const tooLate = await call('send', file, '--yes', ...site)
  assert.deepEqual([tooLate.code, tooLate.json.error.code], [4, 'REQUEST_WITHDRAWN'])
})

test('a sender follows a request by its receipt, withdraws it and erases it, each once however often [command.staged]', async (t) => {
  const sent = await sendDraft(t, { ...sam, email_1: 'follow@example.com', colour: 'grey' })
  assert.deepEqual(sent.unlisted, ['colour'])

  const { code, json } = await call('status', sent.receipt_token, ...site)
  assert.deepEqual(
    [code, json.reference, json.status, json.can_withdraw],
    [0, sent.reference, 'received', true],
  )
  const address = `${service.url}/receipt/${sent.receipt_token}`
  const wouldDo = { withdraw: /Nobody will contact the person/, erase: /at once and for good/ }
  for (const [command, words] of Object.entries(wouldDo)) {
    const unasked = await call(command, address)
    assert.equal(unasked.code, 4)
    assert.match(unasked.json.error.message, words)
    assert.match(
      unasked.json.error.message,
      new RegExp(`${sent.reference}.*Nothing was changed\\.`),
    )
    assert.equal(unasked.json.error.details[`would_${command}`], address)
  }
  assert.equal((await call('status', address)).json.status, 'received')
  for (let time = 0; time < 2; time += 1) {
    const withdrawn = await call('withdraw', address, '--yes')
    assert.deepEqual([withdrawn.code, withdrawn.json.status], [0, 'withdrawn'])
  }
  for (let time = 0; time < 2; time += 1) {
    const erased = await call('erase', sent.receipt_token, '--yes', ...site)
    assert.deepEqual([erased.code, erased.json.status], [0, 'erased'])
  }
  assert.ok(!stored().some(({ values }) => values.email === 'follow@example.com'))
  const unknown = await call('status', sent.receipt_token.replaceAll(/\d/g, '0'), ...site)
  assert.deepEqual([unknown.code, unknown.json.error.code], [4, 'NOT_FOUND'])
})

test('a person asks for another time through an agent, once it is booked [command.staged]', async (t) => {
  const at = { cwd: temporaryFolder(t), baseUrl: service.url }
  const lead = { ...sam, email_1: 'other-time@example.com' }
  const { status_url: address } = await sendDraft(t, lead)
  const asking = ['another-time', address, '--words', 'Friday after 3 pm.']
  const tooSoon = await call(...asking)
  assert.equal(tooSoon.code, 4)
  assert.match(tooSoon.json.error.message, /^This cannot be done: I have your request\./)
  assert.equal((await call(...asking, '--yes')).json.error.code, 'INVALID_TRANSITION')

  const { id } = stored().find(({ values }) => values.email === 'other-time@example.com')!
  await bookVisit({ dataDir, url: service.url }, id)
  for (const missing of [
    ['another-time', address],
    [...asking.slice(0, 3), ' '],
  ]) {
    const { code, json } = await call(...missing, '--yes')
    assert.deepEqual([code, json.error.code], [2, 'INVALID_INPUT'])
  }
  const unasked = await call(...asking)
  assert.equal(unasked.code, 4)
  assert.match(
    unasked.json.error.message,
    /^This would ask for another time for request C-.* The booked time stays until the owner answers\. Nothing was changed\.$/,
  )
  const wouldAsk = { would_another_time: address, words: 'Friday after 3 pm.' }
  assert.deepEqual(unasked.json.error.details, wouldAsk)

  const words = [...asking.slice(0, 3), '-', '--yes']
  const asked = await consult(words, { ...at, input: 'Friday after 3 pm.\n' })
  assert.match(
    asked.error,
    /^Consultation booked: .*3 pm\. You asked for another time; this one stays until I answer\.$/m,
  )
  const { status, asked_at: askedAt } = JSON.parse(asked.out)
  assert.deepEqual([asked.code, status], [0, 'consultation_booked'])
  const again = await call(...asking, '--yes')
  assert.equal(again.code, 0, 'asking again is no error')
  assert.ok(again.json.asked_at >= askedAt)
})

test('"check" after "draft" asks the site nothing anew, and still finds a mistake [command.staged]', async (t) => {
  const asked: string[] = []
  const described = await (await fetch(`${service.url}/openapi.json`)).text()
  const baseUrl = await openSite(t, (path) => {
    asked.push(path)
    return { body: described, headers: { 'cache-control': 'public, max-age=3600' } }
  })
  const at = { cwd: temporaryFolder(t), baseUrl }
  const file = join(at.cwd, 'consult-draft.json')
  await consult(['draft', '--name', 'Robin Example', '--email', 'robin@example.com'], at)
  const check = (path: string, url = baseUrl) => call('check', path, '--base-url', url)
  assert.equal((await check(file)).code, 0)
  writeFileSync(file, readFileSync(file, 'utf8').replace('robin@', 'robin at '))
  const wrong = await check(file)
  assert.deepEqual([wrong.code, wrong.json.error.code], [2, 'VALIDATION_ERROR'])
  assert.deepEqual(asked, ['/openapi.json'])

  // Of another site the rules are not known.
  assert.equal((await check(file, service.url)).code, 2)
  // A draft that was written by hand was never checked.
  const own = join(at.cwd, 'own.json')
  writeFileSync(own, JSON.stringify(sam))
  assert.equal((await check(own)).code, 0)
  assert.deepEqual(asked, ['/openapi.json', '/openapi.json'])
})

test('"info" names what is built, what is not, and where', async () => {
  const { json } = await call('info', ...site)
  const { areas, does, doesNot } = readBusiness('content/business.yaml')
  const towns = areas.map(({ name, postcodes }) => `${name} (${postcodes.join(', ')})`)
  const unnamed = [...does, ...doesNot, ...towns].filter((words) => !json.rules.includes(words))
  assert.deepEqual(unnamed, [])
})

test('an answer that this service never gives ends in one JSON object, and in no stack', async (t) => {
  const answers: Record<string, unknown> = {
    '/receipt/number': { status: 'received', message: 5 },
    '/receipt/object': { status: 'received', message: { text: 'Hello' } },
    '/api/lead': { ok: true, message: ['Received'] },
    '/openapi.json': { components: { schemas: { LeadRequest: { properties: null } } } },
  }
  const baseUrl = await openSite(t, (path) => ({ body: JSON.stringify(answers[path]) }))
  const draft = draftOf(t, sam)
  for (const words of [['status', 'number'], ['send', draft, '--yes'], ['info']]) {
    const { code, json } = await call(...words, '--base-url', baseUrl)
    assert.deepEqual([code, json.error.code], [1, 'UNEXPECTED'], words.join(' '))
    assert.match(json.error.message, /^The answer of .* is not one of this service/)
  }
  const { code, out, error } = await consult(['status', 'object'], {
    cwd: temporaryFolder(t),
    baseUrl,
  })
  assert.deepEqual([code, JSON.parse(out).error.code], [1, 'UNEXPECTED'])
  assert.match(error, /^consult: The answer of .* is not one of this service/)
  assert.doesNotMatch(error, /\n\s+at /)
})

test('the stages of cli.md run as they are written', async (t) => {
  const cwd = temporaryFolder(t)
  writeFileSync(join(cwd, 'consult'), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`)
  chmodSync(join(cwd, 'consult'), 0o755)
  const [, stages] = /## Stages[\s\S]*?```sh\n([\s\S]+?)\n```/.exec(page)!
  const lines = stages!.replace('consult send\n', '').replace('send --yes', 'send --yes >sent')
  const url = `STATUS_URL=$(sed -n 's/.*"status_url": "\\(.*\\)",/\\1/p' sent)`
  const typed = lines.replace('consult status', `${url}\nconsult status`)
  const { code, error } = await run(['/bin/sh', '-ec', `PATH="${cwd}:$PATH"\n${typed}`], {
    cwd,
    baseUrl: service.url,
  })
  assert.equal(code, 0, error)
  assert.match(error, /You withdrew this request[^]*The details of this request are erased/)
})

function draftOf(t: Cleaner, lead: object): string {
  const path = join(temporaryFolder(t), 'draft.json')
  writeFileSync(path, JSON.stringify(lead))
  return path
}

async function sendDraft(t: Cleaner, lead: object) {
  const { code, json } = await call('send', draftOf(t, lead), '--yes', ...site)
  assert.equal(code, 0)
  return json
}

function stored() {
  return readStored(join(dataDir, 'leads.sqlite')).leads
}

type SiteAnswer = { body: string; headers?: Record<string, string> }

/** A site that is not this service. */
async function openSite(t: Cleaner, answer: (path: string) => SiteAnswer): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const { body, headers } = answer(url)
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
  })
  t.after(() => server.close())
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
