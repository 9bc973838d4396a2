import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { commands, draftFile } from '../../src/contract/commands.ts'
import { robin, sam } from '../support/people.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import type { RunningService } from '../support/service.ts'
import { readStored } from '../support/stored.ts'
import { consult, run, script } from './run.ts'

let service: RunningService
const cleanUps: (() => void)[] = []
const dataDir = temporaryFolder({ after: (callback) => cleanUps.push(callback) })

before(async () => {
  service = await startServiceProcess({ dataDir })
})
after(async () => {
  await service.stop()
  for (const cleanUp of cleanUps) cleanUp()
})

test('a request goes from draft to check to send, and is one lead with all its zeros [command.staged]', async (t) => {
  const cwd = temporaryFolder(t)
  const at = { cwd, baseUrl: service.url }
  const leadsBefore = stored().length
  const words = ['--name', 'Robin Example', '--email', 'zeros@example.com']
  const zeros = ['--phone', '0491570006', '--postcode', '0800', '--message', '-']
  const drafted = await consult(['draft', ...words, ...zeros], {
    ...at,
    input: 'A deck.\n\nOne step up.\n',
  })
  assert.deepEqual([drafted.code, drafted.error], [0, ''])
  const draft = JSON.parse(readFileSync(join(cwd, draftFile), 'utf8')) as Record<string, string>
  assert.match(draft['idempotency_key']!, /^[\w-]{36}$/)

  assert.equal((await consult(['check'], at)).code, 0)
  const dry = await consult(['send', '--dry-run'], at)
  assert.equal(dry.code, 0)
  assert.match(dry.out, /^Phone +0491570006$/m)
  const unasked = await consult(['send'], at)
  assert.equal(unasked.code, 4)
  assert.match(unasked.error, /Nothing was sent: there is no terminal here to ask/)
  assert.equal(stored().length, leadsBefore)

  const sent = await consult(['send', '--yes', '--json'], at)
  assert.deepEqual([sent.code, sent.error], [0, ''])
  const again = await consult(['send', '--yes', '--json'], at)
  const [first, second] = [sent, again].map(({ out }) => JSON.parse(out) as Record<string, unknown>)
  assert.equal(first!['ok'], true)
  assert.match(String(first!['reference']), /^C-/)
  assert.deepEqual(second, { ...first, replayed: true })

  const [lead, ...others] = stored().filter(({ values }) => values.email === 'zeros@example.com')
  assert.deepEqual(others, [])
  assert.deepEqual(lead!.values, {
    name: 'Robin Example',
    email: 'zeros@example.com',
    phone: '0491570006',
    postcode: '0800',
    message: 'A deck.\n\nOne step up.',
  })
  assert.match(lead!.userAgent, /^consult\/\d/)

  writeFileSync(join(cwd, draftFile), JSON.stringify({ ...draft, text_1: '0870' }))
  const changed = await consult(['send', '--yes', '--json'], at)
  assert.equal(changed.code, 4)
  assert.equal(errorOf(changed.out).code, 'IDEMPOTENCY_KEY_REUSED')

  writeFileSync(join(cwd, draftFile), JSON.stringify(draft))
  const receipt = String(first!['status_url']).split('/').at(-1)!
  assert.equal((await consult(['withdraw', receipt, '--yes'], at)).code, 0)
  const tooLate = await consult(['send', '--yes'], at)
  assert.equal(tooLate.code, 4)
  assert.match(tooLate.error, /received before and then withdrawn.*\nTo ask again/)
})

test('send names the fields of a draft that the site does not know', async (t) => {
  const cwd = temporaryFolder(t)
  const at = { cwd, baseUrl: service.url }
  const draft = {
    ...sam,
    email_1: 'unlisted@example.com',
    phone: '0491 570 006',
    message: 'A deck.',
  }
  writeFileSync(join(cwd, draftFile), JSON.stringify(draft))
  const sent = await consult(['send', '--yes'], at)
  assert.deepEqual([sent.code, sent.error], [0, ''])
  assert.match(sent.out, /^unlisted +phone, message$/m)
  const other = await consult(
    ['send', '--yes', '--json', '--name', 'Sam', '--email', sam.email_1],
    at,
  )
  assert.equal('unlisted' in (JSON.parse(other.out) as object), false)
})

test('check says what the server says, and sends nothing', async (t) => {
  const cwd = temporaryFolder(t)
  const bodies: object[] = [
    {},
    { ...sam, name_1: ' \t' },
    { ...sam, email_1: 'sam@example' },
    { ...sam, phone_1: 491570006 },
    { ...robin, textarea_1: 'x'.repeat(10_001), text_1: '2'.repeat(17) },
    { ...robin, note: 'x'.repeat(70_000) },
  ]
  for (const body of bodies) {
    const answer = await fetch(`${service.url}/api/lead`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const local = await consult(['check', '-', '--json'], { cwd, input: JSON.stringify(body) })
    assert.equal(local.code, 2)
    assert.deepEqual(JSON.parse(local.out), await answer.json())
  }
  const inWords = await consult(['check', '--name', 'Sam', '--email', 'sam@'], { cwd })
  assert.equal(inWords.code, 2)
  assert.match(inWords.error, /email_1 \(--email\) is not a valid email address/)
  assert.equal(inWords.out, '')
})

test('the examples of the contract run as they are written', async (t) => {
  const cwd = temporaryFolder(t)
  writeFileSync(join(cwd, 'consult'), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`)
  chmodSync(join(cwd, 'consult'), 0o755)
  const examples = commands
    .filter(({ stage }) => stage !== 'follow')
    .flatMap(({ examples: all }) => [...all])
    // These two ask a person.
    .filter((example) => example !== 'consult draft' && example !== 'consult send')
  assert.ok(examples.length >= 7)
  for (const example of examples) {
    const { code, error } = await run(['/bin/sh', '-c', `PATH="${cwd}:$PATH"; ${example}`], {
      cwd,
      baseUrl: service.url,
    })
    assert.deepEqual([example, code, error], [example, 0, ''])
  }
})

test('a draft is private, whole, and never written over by accident', async (t) => {
  const cwd = temporaryFolder(t)
  const words = ['--name', 'Sam', '--email', 'sam@example.com']
  assert.equal((await consult(['draft', ...words], { cwd })).code, 0)
  const path = join(cwd, draftFile)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const first = readFileSync(path, 'utf8')

  const second = await consult(['draft', ...words], { cwd })
  assert.equal(second.code, 4)
  assert.match(second.error, /There is a draft .* already\.\nAdd --force/)
  assert.equal(readFileSync(path, 'utf8'), first)
  assert.equal((await consult(['draft', ...words, '--force'], { cwd })).code, 0)
  assert.notEqual(readFileSync(path, 'utf8'), first)

  const invalid = await consult(['draft', 'other.json', '--name', 'Sam', '--json'], { cwd })
  assert.equal(invalid.code, 2)
  assert.equal(errorOf(invalid.out).code, 'VALIDATION_ERROR')
  assert.equal(existsSync(join(cwd, 'other.json')), false)
  assert.deepEqual(readdirSync(cwd), [draftFile])
})

test('a sender follows a request by its receipt, and withdraws it once however often [command.staged]', async (t) => {
  const cwd = temporaryFolder(t)
  const at = { cwd, baseUrl: service.url }
  const words = ['--name', 'Sam', '--email', 'follow@example.com']
  const sent = await consult(['send', ...words, '--yes', '--json'], at)
  const { reference, status_url: url } = JSON.parse(sent.out) as Record<string, string>
  const sentToken = url!.split('/').at(-1)!

  const status = await consult(['status', sentToken, '--json'], at)
  assert.equal(status.code, 0)
  const receipt = JSON.parse(status.out) as Record<string, unknown>
  assert.deepEqual(
    [receipt['reference'], receipt['status'], receipt['can_withdraw']],
    [reference, 'received', true],
  )
  const unasked = await consult(['withdraw', sentToken], at)
  assert.equal(unasked.code, 4)
  assert.match(unasked.error, /Nothing was sent/)
  for (let time = 0; time < 2; time += 1) {
    const address = `${service.url}/receipt/${sentToken}`
    const withdrawn = await consult(['withdraw', address, '--yes'], { cwd })
    assert.deepEqual([withdrawn.code, withdrawn.error], [0, ''])
    assert.match(
      withdrawn.out,
      /^You withdrew this request\..*\n\nreference +C-.*\nstatus +withdrawn\n/,
    )
  }
  const unknown = await consult(['status', sentToken.replaceAll(/\d/g, '0'), '--json'], at)
  assert.equal(unknown.code, 4)
  assert.equal(errorOf(unknown.out).code, 'NOT_FOUND')
})

function stored() {
  return readStored(join(dataDir, 'leads.sqlite')).leads
}

function errorOf(out: string): { code: string } {
  return (JSON.parse(out) as { error: { code: string } }).error
}
