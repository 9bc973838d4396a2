/** The operator and the inbox: addresses to come in by, members, and what doctor says. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { paths } from '../../src/doors/inbox/paths.ts'
import { openLeads } from '../../src/store/open.ts'
import { newInstallation } from '../support/installation.ts'
import { leadIntake } from '../support/operator.ts'
import { NODE_COMPILE_CACHE, startServiceProcess } from '../support/service.ts'
import { until } from '../support/until.ts'

type Url = { url: string }
const name = ['--name', 'Robin']
const email = ['--email', 'Robin@example.com']

test('from an installation without members to a signed-in owner, and out again', async (t) => {
  const { place } = await newInstallation(t)
  const service = await startServiceProcess(place)
  t.after(() => service.stop())
  await until(
    () => service.lines.some((line) => line.includes('"inbox.no-member"')),
    'the log says that nobody can come in yet',
  )
  const hint = service.lines.find((line) => line.includes('"inbox.no-member"'))!
  assert.match(hint, /lead-intake inbox link/)
  assert.doesNotMatch(hint, /\/inbox\/link/, 'a log holds no address')
  const env = { BASE_URL: service.url }
  const doctor = await leadIntake(place, ['doctor'], env)
  assert.match(doctor.out, /warning +inbox +nobody can sign in yet/)

  const wrong = await leadIntake(place, ['inbox', 'link', '--email', 'robin'], env)
  assert.deepEqual([wrong.code, wrong.out], [2, ''])
  assert.match(wrong.error, /--email must be an address/)
  const link = await leadIntake(place, ['inbox', 'link', ...email, ...name, '--json'], env)
  const { url } = JSON.parse(link.out) as Url
  assert.match(url, new RegExp(`^${service.url}/inbox/link/[\\w-]{43}$`))
  const shown = await (await fetch(url)).text()
  assert.match(shown, /For <strong>Robin<\/strong>, robin@example\.com/)

  // The service listens on its own address; the session belongs to BASE_URL.
  const cookie = await press(url, 'http://localhost:0')
  assert.match(cookie, /^inbox=[\w-]+\.[\w-]+$/)
  const inbox = await fetch(`${service.url}/inbox/`, { headers: { cookie } })
  assert.match(await inbox.text(), /Nobody is waiting for you/)

  const list = await leadIntake(place, ['inbox', 'members', 'list'])
  assert.match(list.out, /^Robin +robin@example\.com +\d{4}-\d\d-\d\d +0 +1$/m)
  // A lost phone: the next address signs out the other browsers of its member.
  const second = await leadIntake(place, ['inbox', 'link', '--json'], env)
  await press((JSON.parse(second.out) as Url).url, 'http://localhost:0')
  const out = await fetch(`${service.url}/inbox/`, { headers: { cookie }, redirect: 'manual' })
  assert.equal(out.headers.get('location'), paths.signIn)
})

test('members are added and ended; a link is for one of them [sign-in.members]', async (t) => {
  const { place } = await newInstallation(t)
  const service = await startServiceProcess(place)
  t.after(() => service.stop())
  const run = (...args: string[]) => leadIntake(place, ['inbox', ...args])
  assert.match((await run('members', 'list')).out, /^No members yet/)
  assert.equal((await run('members', 'add', ...name, ...email)).code, 0)
  const twice = await run('members', 'add', ...name, ...email)
  assert.deepEqual([twice.code, twice.error], [2, 'A member has this email already.\n'])
  assert.equal((await run('link', '--json')).code, 0, 'the only one is meant')
  await run('members', 'add', '--name', 'Sam', '--email', 'sam@example.com')
  const which = await run('link')
  assert.equal(which.code, 2)
  assert.match(which.error, /There are 2 members\. Name one with --email/)
  assert.equal((await run('link', '--email', 'mai@example.com')).code, 3)
  const sams = await run('link', '--email', 'sam@example.com')
  assert.match(sams.out, /works once, for 30 minutes/)
  const ended = await run('members', 'end', 'sam@example.com')
  assert.deepEqual([ended.code, ended.out], [0, 'Sam is no longer a member.\n'])
  const [address] = /http\S+/.exec(sams.out)!
  const path = new URL(address).pathname
  assert.equal((await fetch(service.url + path)).status, 410)
  assert.equal((await run('members', 'end', 'sam@example.com')).code, 3)
  const doctor = await leadIntake(place, ['doctor'])
  assert.match(doctor.out, /warning +inbox +there is neither a passkey .* nor mail/)
})

test('doctor warns of passkeys that were made for another host', async (t) => {
  const { place } = await newInstallation(t)
  const service = await startServiceProcess(place)
  await service.stop()
  await leadIntake(place, ['inbox', 'members', 'add', ...name, ...email])
  await addPasskey(place, 'old.example.com')
  const env = { BASE_URL: 'https://new.example.com' }
  const { out } = await leadIntake(place, ['doctor'], env)
  assert.match(
    out,
    /warning +passkeys +some were made for old\.example\.com, but .* new\.example\.com/,
  )
  const same = await leadIntake(place, ['doctor'], { BASE_URL: 'https://old.example.com' })
  assert.match(same.out, /ok +inbox +members: 1/)
  assert.doesNotMatch(same.out, /passkeys/)
})

const terminal = '/usr/bin/script'

test(
  'a start at a terminal prints where the site is, what is doubtful, and an address for the first member',
  { skip: !existsSync(terminal) && 'there is no program to make a terminal with' },
  async (t) => {
    const { place } = await newInstallation(t)
    const command = `${process.execPath} bin/lead-intake.js serve`
    const child = spawn(terminal, ['-qfec', command, '/dev/null'], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: place.dataDir,
        NODE_COMPILE_CACHE,
        BASE_URL: 'https://decks.example.com',
        OWNER_EMAIL: 'sam@example.com',
        ...place.env,
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => process.kill(-child.pid!, 'SIGKILL'))
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await until(
      () => /https:\/\/decks\.example\.com\/inbox\/link\/[\w-]{43}\s/.test(said),
      'the address is printed',
    )
    assert.match(said, /^The site is at https:\/\/decks\.example\.com\r?$/m)
    assert.match(
      said,
      /^[\d:]{8} WARN settings\.doubtful - OWNER_EMAIL is set, but SMTP_URL is not: no mail is sent\r?$/m,
    )
    assert.match(said, /Your inbox is ready\. Open this address and press the button/)
  },
)

async function addPasskey(
  { dataDir, env }: { dataDir: string; env: Record<string, string> },
  rpId: string,
): Promise<void> {
  const store = await openLeads({ DATA_DIR: dataDir, DATABASE_URL: env['DATABASE_URL'] })
  const access = store.access
  const [member] = await access.listMembers()
  await access.addPasskey({
    id: 'key',
    memberId: member!.id,
    rpId,
    publicKey: '',
    counter: 0,
    backedUp: false,
    name: 'Phone',
    madeAt: 1,
    usedAt: undefined,
  })
  await store.close()
}

/** Presses the button of the page, as a browser does, and returns the cookie of the session. */
async function press(url: string, origin: string): Promise<string> {
  const headers = { 'sec-fetch-site': 'same-origin', origin }
  const done = await fetch(url, { method: 'POST', headers, redirect: 'manual' })
  assert.equal(done.status, 303)
  return done.headers.getSetCookie().at(-1)!.split(';')[0]!
}
