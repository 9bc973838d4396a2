import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import test from 'node:test'
import { paths } from '../../src/doors/inbox/paths.ts'
import { baseUrl, openInbox } from '../support/inbox.ts'
import { newInstallation } from '../support/engines.ts'
import { leadIntake, placeOf } from '../support/operator.ts'
import { NODE_COMPILE_CACHE, withoutPhotos } from '../support/service.ts'
import { until } from '../support/until.ts'

const name = ['--name', 'Robin']
const email = ['--email', 'Robin@example.com']

test('from an installation without members to a signed-in owner', async (t) => {
  const inbox = await openInbox(t)
  inbox.clock.now = Date.now()
  const place = await placeOf(t, inbox)
  const run = (...args: string[]) => leadIntake(place, args, { BASE_URL: baseUrl })
  const doctor = await leadIntake(place, ['doctor'])
  assert.match(doctor.out, /warning +inbox +nobody can sign in yet/)

  const link = await run('inbox', 'link', ...email, ...name, '--json')
  const { url } = JSON.parse(link.out) as { url: string }
  assert.match(url, new RegExp(`^${baseUrl}/inbox/link/[\\w-]{43}$`))
  const { pathname } = new URL(url)
  const robins = inbox.browser()
  const shown = await robins.get(pathname)
  assert.match(shown.text, /value="Robin".*value="Robin@example\.com"/s)
  assert.equal((await robins.post(pathname)).status, 303)
  assert.match((await robins.get('/inbox/')).text, /Nobody is waiting for you/)

  // A lost phone: the next address signs out the other browsers of its member.
  const second = await run('inbox', 'link', '--json')
  await inbox.browser().post(new URL((JSON.parse(second.out) as { url: string }).url).pathname)
  const out = await robins.get('/inbox/')
  assert.equal(out.headers['location'], paths.signIn)
})

test('a link is for one member, and expires when the membership ends [sign-in.members]', async (t) => {
  const inbox = await openInbox(t)
  inbox.clock.now = Date.now()
  const place = await placeOf(t, inbox)
  const run = (...args: string[]) => leadIntake(place, ['inbox', ...args])
  const add = (id: string) =>
    inbox.access.addMember({ id, name: id, email: `${id}@example.com`, madeAt: 1 })
  assert.equal((await run('members')).out, 'No members.\n')
  await add('robin')
  assert.equal((await run('link', '--json')).code, 0, 'the only one is meant')
  await add('sam')
  const listed = await run('members')
  assert.match(listed.out, /^robin +robin@example\.com +1970-01-01T\S+\nsam +sam@example\.com /m)
  const which = await run('link')
  assert.equal(which.code, 2)
  assert.match(which.error, /with --email: robin <robin@example\.com>, sam <sam@example\.com>/)
  assert.equal((await run('link', '--email', 'mai@example.com')).code, 3)
  const sams = await run('link', '--email', 'Sam@example.com')
  assert.match(sams.out, /works once and expires in 30 minutes/)
  await inbox.access.endMember('sam', 'robin', 2)
  const [address] = /http\S+/.exec(sams.out)!
  assert.equal((await inbox.browser().get(new URL(address).pathname)).status, 410)
})

const terminal = '/usr/bin/script'

function whyNoTerminal(): string | false {
  if (!existsSync(terminal)) return 'there is no program to make a terminal with'
  const isMade = spawnSync(terminal, ['-qec', 'true', '/dev/null']).status === 0
  return !isMade && 'no terminal can be made here (mount -t devpts devpts /dev/pts)'
}

test(
  'a start at a terminal prints where the site is, what is doubtful, and an address for the first member',
  { skip: whyNoTerminal() },
  async (t) => {
    const { place } = await newInstallation(t)
    const command = `${process.execPath} bin/lead-intake.js serve`
    const child = spawn(terminal, ['-qfec', command, '/dev/null'], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATA_DIR: place.dataDir,
        NODE_COMPILE_CACHE,
        ...withoutPhotos,
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
      /^[\d:]{8} WARN settings\.doubtful - OWNER_EMAIL is set, but SMTP_URL is not: no email is sent\r?$/m,
    )
    assert.match(said, /Your inbox is ready\. Open this address and press the button/)
  },
)
