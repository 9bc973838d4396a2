import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { correctByMember } from '../../src/desk/details.ts'
import { detailsOf } from '../../src/store/leads/details.ts'
import { howToType } from '../../src/words.ts'
import { installationToBackUp } from '../support/backup.ts'
import { addNote } from '../support/life.ts'
import { openTestDelivery } from '../support/delivery.ts'
import { readInlineCode, findUnknown } from '../support/doc-checks.ts'
import { newDatabase, onPostgres, newInstallation } from '../support/engines.ts'
import { leadIntake, placeOf, startLeadIntake } from '../support/operator.ts'
import { bot, robin } from '../support/leads.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { hasSharp } from '../support/sharp.ts'
import { openMailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'
import { contentWithWork } from '../support/work.ts'

test('the operator looks at leads, moves and exports them beside a running server', async (t) => {
  const service = await openTestDelivery(t, { database: newDatabase(t) })
  const { store, clock, take } = service
  const place = await placeOf(t, service)
  const run = (...args: string[]) => leadIntake(place, ['leads', ...args])
  const send = async (body: object) => {
    clock.now += 1_000
    return (await store.leads.find(await take(body)))!.reference
  }
  const reference = await send({ ...robin, textarea_1: '=1+1\n"two", \u009b31mred' })
  const held = await send(bot)

  const list = await run('list')
  assert.equal(list.code, 0, list.error)
  assert.match(list.out, new RegExp(`^${reference} .* new +json +Robin Example +2480`, 'm'))
  assert.doesNotMatch(list.out, /\u009b/)
  type Row = { reference: string; reasons: string }
  const rowsOf = async (...args: string[]) =>
    (JSON.parse((await run('list', ...args, '--json')).out) as Row[]).map((lead) => [
      lead.reference,
      lead.reasons,
    ])
  assert.deepEqual(await rowsOf('--state', 'held'), [[held, 'trap']])
  assert.equal((await run('list', '--state', 'spam')).out, 'No leads.\n')

  const csv = await run('export', '--format', 'csv')
  assert.match(csv.out, /^\ufeff"Received","Name",/)
  assert.match(csv.out, /"'=1\+1\n""two""/)
  assert.equal((await run('export')).out.trim().split('\n').length, 2)
  const json = await run('export', '--format', 'json', '--state', 'held')
  assert.equal((JSON.parse(json.out) as unknown[]).length, 1)
})

test('the operator finds leads by words and time, and sees one whole', async (t) => {
  const service = await openTestDelivery(t, { database: newDatabase(t) })
  const { store, clock, take } = service
  const place = await placeOf(t, service)
  const run = (...args: string[]) => leadIntake(place, ['leads', ...args])
  const referencesOf = async (...args: string[]) => {
    const { out } = await run('list', ...args, '--json')
    return (JSON.parse(out) as { reference: string }[]).map(({ reference }) => reference)
  }
  const send = async (body: object) => {
    clock.now += 24 * 60 * 60_000
    return (await store.leads.find(await take(body)))!
  }
  const gazebo = await send({ ...robin, textarea_1: 'A gazebo,\nabout \u009b31mred' })
  const pergola = await send({ ...robin, textarea_1: 'A pergola' })

  assert.deepEqual(await referencesOf('--search', 'gazebo'), [gazebo.reference])
  assert.deepEqual(await referencesOf('--search', 'gazebo', '--state', 'held'), [])
  const day = new Date(pergola.receivedAt).toISOString().slice(0, 10)
  assert.deepEqual(await referencesOf('--since', day), [pergola.reference])
  const both = [pergola.reference, gazebo.reference]
  assert.deepEqual(await referencesOf('--since', '2020-01-01', '--search', 'robin'), both)

  const details = { ...detailsOf(gazebo), name: 'Robyn Example' }
  const by = { leadId: gazebo.id, by: 'sam', at: clock.now }
  await correctByMember(store, () => [], by, details)
  await addNote(store, (await store.leads.find(gazebo.id))!, {
    at: clock.now,
    memberId: 'sam',
    words: 'Rang twice',
  })
  const shown = await run('show', gazebo.reference.toLowerCase())
  assert.equal(shown.code, 0, shown.error)
  for (const part of [
    gazebo.reference,
    'Robyn Example',
    'Robin Example',
    'robin@example.com',
    'A gazebo',
    'Rang twice',
    'received',
  ]) {
    assert.ok(shown.out.includes(part), part)
  }
  assert.match(shown.out, /A gazebo,\n +about ·31mred\n/)
  const { out } = await run('show', gazebo.id, '--json')
  const { reference, notes, events, sent_as: sent } = JSON.parse(out) as Record<string, unknown[]>
  assert.deepEqual(sent, { name_1: 'Robin Example' })
  assert.deepEqual([reference, notes!.length, events!.length > 0], [gazebo.reference, 1, true])
})

test('a mistake is told in a sentence, with an exit code of its own', async (t) => {
  const none = await leadIntake({ dataDir: temporaryFolder(t) }, ['leads', 'list'])
  assert.equal(none.code, 3)
  assert.match(none.error, /There is no database at/)
  const place = await placeOf(t, await openTestDelivery(t, { database: newDatabase(t) }))
  const cases: [args: string, code: number, sentence: RegExp][] = [
    ['leads erase C-NOPE --yes', 3, /There is no lead C-NOPE. See "\S*.*lead-intake.* leads list"/],
    ['leads list --state sold', 2, /Allowed choices are new, contacted/],
    ['leads list --limit x', 2, /--limit must be a whole number/],
    ['deliveries list --dead --waiting', 2, /cannot be used with/],
    ['migrate-engine --from sqlite:x', 2, /required option '--to <database>'/],
    [`init ${join(place.dataDir, 'secret')}`, 2, /secret is a file; name a folder/],
    ['leads show C-NOPE', 3, /There is no lead C-NOPE/],
    ['leads list --since noon', 2, /--since must be a date such as 2026-11-30/],
    ['nonsense', 2, /unknown command 'nonsense'[^]*--help" lists the commands/],
    ['docter', 2, /Did you mean doctor\?/],
    ['show C-7K3QM-4X92P', 2, /unknown command 'show'[^]*"\S*.*lead-intake.* leads show"/],
    [
      'retry',
      2,
      /unknown command 'retry'\nDid you mean "\S*.*lead-intake.* deliveries retry"\?\n$/,
    ],
    ['leads list --search one\u00A0two\u00A0three\u00A0four\u00A0five', 2, /takes at most 4 words/],
    ['leads members', 2, /unknown command 'members'[^]*lead-intake.* inbox members"/],
  ]
  for (const [words, code, sentence] of cases) {
    const run = await leadIntake(place, words.split(' '))
    assert.equal(run.code, code, words)
    assert.match(run.error, sentence)
    assert.doesNotMatch(run.error, /\s+at .*:\d+/)
  }
})

test('a site of its own is written once, and its README names commands that exist', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const folder = join(place.dataDir, "Sam's Site!")
  const alone = await leadIntake(place, ['init', folder])
  assert.equal(alone.code, 2)
  assert.match(
    alone.error,
    /add --name, --owner, --trade, --country, --town, --phone, or --example/,
  )
  const answers = ['--name=Sam', '--owner=Sam', '--trade=an arborist', '--country=uk', '--town=Ely']
  const made = await leadIntake(place, ['init', folder, ...answers, '--phone=01353 496 000'])
  assert.match(
    made.out,
    /\/Sam's Site! is ready\. The program is not on npm yet\. In the clone type:\n/,
  )
  const npmSettings = readFileSync(join(folder, '.npmrc'), 'utf8')
  const install = readFileSync('docs/install.md', 'utf8')
  // On a server the program is installed before it can write the file.
  assert.ok(install.includes(`printf '${npmSettings.replaceAll('\n', '\\n')}' > .npmrc\n`))
  const again = await leadIntake(place, ['init', folder, '--example'])
  assert.equal(again.code, 2)
  assert.match(again.error, /has content already; nothing was changed/)
  const told = readInlineCode(join(folder, 'README.md')).filter((code) => code.startsWith('npx '))
  for (const command of ['backup --to backups', 'restore FILE', 'test-notification']) {
    assert.ok(told.includes(`npx lead-intake ${command}`), command)
  }
  assert.deepEqual(told.flatMap(findUnknown), [])
  assert.match(readFileSync(join(folder, '.env'), 'utf8'), /^# MAIL_FROM=$[^]*^# BACKUP_TO=$/m)
})

test(
  'doctor is quick, and --thorough also finds an index that lacks a lead',
  { skip: onPostgres && 'the file is that of SQLite' },
  async (t) => {
    const { place } = await installationToBackUp(t, 1)
    {
      using db = new DatabaseSync(join(place.dataDir, 'leads.sqlite'), { defensive: false })
      const name = `where name = 'lead_by_state'`
      const { sql } = db.prepare(`select sql from sqlite_schema ${name}`).get() as { sql: string }
      // It has an entry for each lead, as it must, but another one.
      db.exec(`drop index lead_by_state; ${sql.replace('(state', '(door')}`)
      db.exec('pragma writable_schema = on')
      db.prepare(`update sqlite_schema set sql = ? ${name}`).run(sql)
    }
    const quick = await leadIntake(place, ['doctor'])
    assert.match(quick.out, /^ok +database +no damage found$/m)
    const { code, out } = await leadIntake(place, ['doctor', '--thorough'])
    assert.equal(code, 1)
    assert.match(out, /^failed +database .*damaged \(row 1 missing from index lead_by_state\)/m)
  },
)

test('config shows every setting and what was changed, and hides secrets [operator.setting]', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const text = await leadIntake(place, ['config'], {
    PORT: '8080',
    SMTP_URL: 'smtp://mail.example.com:25',
    OWNER_EMAIL: 'owner@example.com',
    LOG_LEVEL: 'info',
  })
  assert.match(text.out, /^PORT=8080 {2}# changed; default: 3000$/m)
  assert.match(text.out, /^SMTP_URL=\(hidden\) {2}# changed; default: none$/m)
  assert.match(text.out, /^HOST=127\.0\.0\.1$[^]*^LOG_LEVEL=info$/m)
  const run = await leadIntake(place, ['config'], {
    SMTP_URL: 'smtp://user:hunter2@127.0.0.1',
    OWNER_EMAIL: 'owner@example.com',
    WEBHOOK_URL: 'https://user:hunter2@hooks.example.com/services/hunter2?token=hunter2',
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  })
  assert.equal(run.code, 0)
  assert.doesNotMatch(run.out, /hunter2/)
  assert.match(run.out, /^SMTP_URL=\(hidden\) /m)
  assert.match(run.out, /^WEBHOOK_URL=\(hidden\) /m)
})

test('doctor finds a service well, and a mail server that is not there [operator.doctor]', async (t) => {
  const place = await placeOf(t, await openTestDelivery(t, { database: newDatabase(t) }))
  const mail = await openMailSink(t)
  const owner = { OWNER_EMAIL: 'owner@example.com' }
  const wellSet = { SMTP_URL: mail.url, PHOTO_SPACE: '1', ...owner }
  const well = await leadIntake(place, ['doctor', '--json'], wellSet)
  assert.equal(well.code, 0, well.out)
  assert.deepEqual(
    (JSON.parse(well.out) as { check: string; result: string }[]).map(
      ({ check, result }) => `${check} ${result}`,
    ),
    [
      'settings ok',
      'service warning',
      'files ok',
      'database ok',
      'clients ok',
      'deliveries ok',
      'inbox warning',
      'backup warning',
      // The server of the tests has fsync = off.
      ...(onPostgres ? ['database warning', 'journal ok'] : []),
      'disk ok',
      hasSharp ? 'photos ok' : 'photos warning',
      'content ok',
      // The facts and the jobs of the example.
      'content warning',
      'content warning',
      'mail ok',
    ],
  )
  await mail.close()
  const SMTP_URL = `smtp://user:hunter2@127.0.0.1:${mail.port}`
  const unwell = await leadIntake(place, ['doctor'], { SMTP_URL, ...owner })
  assert.equal(unwell.code, 1)
  assert.match(
    unwell.out,
    /failed +mail +the mail server 127\.0\.0\.1:\d+ cannot be reached: nothing listens there/,
  )
  assert.doesNotMatch(unwell.out + unwell.error, /hunter2/)

  const [cert, key] = ['crt', 'key'].map((end) => readFileSync(`test/data/tls/server.${end}`))
  const site = createTlsServer({ cert, key }).listen(0, '127.0.0.1')
  t.after(() => site.close())
  await once(site, 'listening')
  // An address that does not look like one of this machine.
  const BASE_URL = `https://[::ffff:127.0.0.1]:${(site.address() as AddressInfo).port}`
  const refused = await leadIntake(place, ['doctor'], { BASE_URL })
  assert.match(
    refused.out,
    /failed +address +its certificate is not accepted \(\w+\).*; get another one in the proxy$/m,
  )
})

test('a hint names a command as it is typed where this one was started [operator.setting]', (t) => {
  const { npm_lifecycle_event: script, npm_package_name: folder } = process.env
  t.after(() => setEnvironment({ npm_lifecycle_event: script, npm_package_name: folder }))
  const npx = { npm_lifecycle_event: 'npx', npm_package_name: 'my-site' }
  const npmStart = { npm_lifecycle_event: 'start', npm_package_name: 'lead-intake' }
  for (const [typing, typed] of [
    [{ npm_lifecycle_event: undefined }, 'lead-intake'],
    [npx, 'npx lead-intake'],
    [npmStart, 'npm run -s lead-intake --'],
  ] as const) {
    setEnvironment(typing)
    assert.equal(howToType('leads list'), `${typed} leads list`)
  }
})

function setEnvironment(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

test('the command as a process: a start, its refusals, and commands beside it [operator.setting]', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const { place } = await newInstallation(t)
  const wrong = await leadIntake(place, ['leads', 'list'], {
    PORT: 'abc',
    BASE_URL: 'decks',
    RATE_LIMIT: 'few',
    TRUSTED_PROXIES: 'proxy',
    SMTP_URL: 'http://user:hunter2@x',
  })
  assert.equal(wrong.code, 2)
  assert.match(wrong.error, /PORT must be a whole number from 0 to 65535; it is "abc" now\./)
  assert.match(wrong.error, /BASE_URL must be an address such as https:\/\/www\.example\.com/)
  assert.match(wrong.error, /RATE_LIMIT must be on, off, or two numbers/)
  assert.match(wrong.error, /TRUSTED_PROXIES must be a list of addresses or ranges/)
  assert.match(wrong.error, /SMTP_URL must be an address such as smtp:/)
  assert.doesNotMatch(wrong.error, /hunter2/)

  const CONTENT_DIR = contentWithWork(t, 'portrait:\n  photo: sam.png\n')
  // On a published site a request from this machine may be a stranger's behind a proxy.
  const env = { ...place.env, CONTENT_DIR, BASE_URL: 'https://localhost.example' }
  const service = await startServiceProcess({ ...place, env })
  t.after(() => service.stop())
  const linesOf = (event: string) => service.lines.filter((line) => line.includes(`"${event}"`))
  await until(() => linesOf('inbox.no-member').length > 0, 'the start has told all')
  assert.match(linesOf('service.listening')[0]!, new RegExp(`"version":"${version}"`))
  assert.match(linesOf('content.warning').join('\n'), /^.*work\.yaml: sam\.png has no alt.*$/)
  assert.match(linesOf('inbox.no-member')[0]!, /lead-intake inbox link/)
  assert.doesNotMatch(service.lines.join('\n'), /\/inbox\/link/, 'a log holds no address')
  assert.equal(await (await fetch(`${service.url}/readyz`)).text(), '{"ready":true}')
  const doctor = async (port: number) =>
    (await leadIntake({ ...place, env }, ['doctor'], { PORT: String(port) })).out
  const told = await doctor(service.port)
  assert.doesNotMatch(told, /^\w+ +service /m)
  assert.match(told, /warning +address +not checked: https:\S+ cannot be reached from here/)
  const other = createServer((_, response) => response.end('Hello')).listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  assert.match(await doctor(port), /warning +service +another service answers at \S+:\d+;/)

  const checkHealth = async (at: number) => {
    const { code, error } = await leadIntake(place, ['healthcheck'], { PORT: String(at) })
    return `${code} ${error}`.trimEnd()
  }
  assert.equal(await checkHealth(service.port), '0')
  const silent = '1 The service at http://127.0.0.1:9/api/lead does not answer.'
  assert.equal(await checkHealth(9), silent)

  const taken = await startLeadIntake({ dataDir: temporaryFolder(t) }, ['serve'], {
    PORT: String(service.port),
  })
  assert.equal(
    taken.error,
    `Cannot listen: something else listens on PORT ${service.port} already; stop it, or choose another.\n`,
  )
  const none = await startLeadIntake(place, ['deliveries', 'list', 'C-NOPE'])
  const error = 'There is no lead C-NOPE. See "lead-intake leads list".\n'
  assert.deepEqual(none, { code: 3, out: '', error })
  const printed = await leadIntake(place, ['--version'])
  assert.deepEqual(printed, { code: 0, out: `${version}\n`, error: '' })
  const help = await leadIntake(place, ['--help'])
  assert.equal(help.code, 0)
  assert.match(help.out, /migrate-engine[\s\S]*Exit codes:/)

  const file = join(place.dataDir, 'secret')
  const create = spawnSync(process.execPath, ['packages/create-lead-intake/create.js', file])
  const refusal = `${file} is a file; name a folder.\n`
  assert.deepEqual([create.status, String(create.stderr)], [2, refusal])
})
