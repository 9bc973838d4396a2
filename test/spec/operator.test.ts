import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { eventWords } from '../../src/operator/event-words.ts'
import { findOlderService } from '../../src/operator/running.ts'
import { readInlineCode } from '../support/doc-blocks.ts'
import { findUnknown } from '../support/doc-commands.ts'
import { onPostgres } from '../support/engines.ts'
import { newInstallation } from '../support/installation.ts'
import { contentWithWork } from '../support/work.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'
import { leadIntake } from '../support/operator.ts'
import { bot, robin } from '../support/people.ts'
import { openMailSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'

test('the operator looks at leads, moves and exports them beside a running server', async (t) => {
  const { place } = await newInstallation(t)
  const service = await startServiceProcess(place)
  t.after(() => service.stop())
  const send = async (body: object) => {
    const response = await fetch(`${service.url}/api/lead`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return ((await response.json()) as { reference: string }).reference
  }
  const reference = await send({ ...robin, textarea_1: '=1+1\n"two", \u009b31mred' })
  const held = await send(bot)

  const list = await leadIntake(place, ['leads', 'list'])
  assert.equal(list.code, 0)
  assert.match(list.out, new RegExp(`^${reference} .* new +json +Robin Example +2480`, 'm'))
  assert.doesNotMatch(list.out, /\u009b/)

  const heldList = await leadIntake(place, ['leads', 'list', '--state', 'held', '--json'])
  assert.deepEqual(
    (JSON.parse(heldList.out) as { reference: string; reasons: string }[]).map((lead) => [
      lead.reference,
      lead.reasons,
    ]),
    [[held, 'trap']],
  )

  // The held one is the newer.
  const older = await leadIntake(place, ['leads', 'list', '--before', held, '--json'])
  assert.deepEqual(
    (JSON.parse(older.out) as { reference: string }[]).map((lead) => lead.reference),
    [reference],
  )

  const moved = await leadIntake(place, ['leads', 'move', reference, 'contacted'])
  assert.deepEqual([moved.code, moved.out], [0, `${reference}: new -> contacted\n`])
  const illegal = await leadIntake(place, ['leads', 'move', reference, 'won'])
  assert.equal(illegal.code, 4)
  assert.match(illegal.error, /It is contacted; from there it can go to: consultation_booked/)

  const show = await leadIntake(place, ['leads', 'show', reference.toLowerCase(), '--json'])
  const shown = JSON.parse(show.out) as { state: string; events: { kind: string }[] }
  assert.equal(shown.state, 'contacted')
  assert.deepEqual(
    shown.events.map(({ kind }) => kind),
    ['lead.received', 'lead.state_changed'],
  )

  const inWords = await leadIntake(place, ['leads', 'show', reference])
  assert.match(
    inWords.out,
    /lead\.received +by json\n.*lead\.state_changed +new -> contacted, by owner\n$/,
  )
  const byMember = '{"from":"contacted","to":"new","by":"1278-a7bd","undoes":1}'
  const member = { id: '1278-a7bd', name: 'Robin' }
  assert.equal(eventWords(byMember, [member]), 'contacted -> new, undone, by Robin')
  assert.equal(eventWords(byMember, []), 'contacted -> new, undone, by a former member')

  const csv = await leadIntake(place, ['leads', 'export', '--format', 'csv'])
  assert.match(csv.out, /^"reference","id",/)
  assert.match(csv.out, /"'=1\+1\n""two""/)
  const jsonl = await leadIntake(place, ['leads', 'export'])
  assert.equal(jsonl.out.trim().split('\n').length, 2)
  const json = await leadIntake(place, [
    'leads',
    'export',
    '--format',
    'json',
    '--state',
    'contacted',
  ])
  assert.equal((JSON.parse(json.out) as unknown[]).length, 1)
})

test('what is wrong is said in a sentence, with an exit code of its own', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const none = await leadIntake(place, ['leads', 'list'])
  assert.equal(none.code, 3)
  assert.match(none.error, /There is no database at/)
  const service = await startServiceProcess(place)
  await service.stop()
  const npx = { npm_lifecycle_event: 'npx', npm_package_name: 'my-site' }
  const npmStart = { npm_lifecycle_event: 'start', npm_package_name: 'lead-intake' }
  const cases: [args: string[], code: number, sentence: RegExp, env?: Record<string, string>][] = [
    [['leads', 'show', 'C-NOPE'], 3, /There is no lead C-NOPE. See "lead-intake leads list"/],
    [['leads', 'show', 'C-NOPE'], 3, /See "npx lead-intake leads list"/, npx],
    [['leads', 'move', 'C-NOPE', 'contacted'], 3, /"npm run -s lead-intake -- leads/, npmStart],
    [['leads', 'move', 'C-NOPE', 'sold'], 2, /The states are new, contacted/],
    [['leads', 'list', '--state', 'sold'], 2, /Allowed choices are new, contacted/],
    [['leads', 'list', '--limit', 'x'], 2, /--limit must be a whole number/],
    [['leads', 'list', '--before', 'C-NOPE'], 3, /There is no lead C-NOPE/],
    [['init', join(place.dataDir, 'secret')], 2, /secret is a file; name a folder/],
    [['nonsense'], 2, /unknown command/],
  ]
  for (const [args, code, sentence, env] of cases) {
    const run = await leadIntake(place, args, env)
    assert.equal(run.code, code, args.join(' '))
    assert.match(run.error, sentence)
    assert.doesNotMatch(run.error, /\s+at .*:\d+/)
  }
  const [folder, file] = [join(place.dataDir, "Sam's Site!"), join(place.dataDir, 'secret')]
  const made = await leadIntake(place, ['init', folder])
  assert.match(made.out, / cd '\/\S+\/Sam'\\''s Site!' && npm install && npm start\n$/)
  const again = await leadIntake(place, ['init', folder])
  assert.deepEqual(
    [again.code, /has content already; nothing was changed/.test(again.error)],
    [2, true],
  )
  const told = readInlineCode(join(folder, 'README.md')).filter((code) => code.startsWith('npx '))
  for (const command of ['backup', 'restore FILE', 'test-notification']) {
    assert.ok(told.includes(`npx lead-intake ${command}`), command)
  }
  assert.deepEqual(told.flatMap(findUnknown), [])
  assert.match(readFileSync(join(folder, '.env'), 'utf8'), /^# MAIL_FROM=$[^]*^# BACKUP_TO=$/m)
  const create = spawnSync(process.execPath, ['packages/create-lead-intake/create.js', file])
  assert.deepEqual(
    [create.status, String(create.stderr)],
    [2, `${file} is a file; name a folder.\n`],
  )
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const second = await leadIntake(place, ['serve'], { PORT: String(port) })
  assert.equal(
    second.error,
    `Cannot listen: something else listens on PORT ${port} already; stop it, or choose another.\n`,
  )
  const help = await leadIntake(place, ['--help'])
  assert.equal(help.code, 0)
  assert.match(help.out, /Examples:[\s\S]*Exit codes:/)
})

test('a wrong setting stops the start and says what to change [operator.setting]', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const env = {
    PORT: 'abc',
    BASE_URL: 'decks',
    RATE_LIMIT: 'few',
    TRUSTED_PROXIES: 'proxy',
    SMTP_URL: 'http://user:hunter2@x',
  }
  const run = await leadIntake(place, ['serve'], env)
  assert.equal(run.code, 2)
  assert.match(run.error, /PORT must be a whole number from 0 to 65535; it is "abc" now\./)
  assert.match(run.error, /BASE_URL must be an address such as https:\/\/www\.example\.com/)
  assert.match(run.error, /RATE_LIMIT must be on, off, or two numbers/)
  assert.match(run.error, /TRUSTED_PROXIES must be a list of addresses or ranges/)
  assert.match(run.error, /SMTP_URL must be an address such as smtp:/)
  assert.doesNotMatch(run.error, /hunter2/)
})

test('a percent sign in a mail password or a wrong webhook address is explained, not shown', async (t) => {
  const place = { dataDir: temporaryFolder(t) }
  const run = await leadIntake(place, ['serve'], {
    SMTP_URL: 'smtp://user:hunter2%@mail.example.com',
    OWNER_EMAIL: 'owner@example.com',
    WEBHOOK_URL: 'hooks.example.com/hunter2',
  })
  assert.equal(run.code, 2)
  assert.equal(
    run.error,
    `SMTP_URL must have these signs in the user and the password in percent encoding: # as %23, / as %2F, ? as %3F, : as %3A, @ as %40, % as %25.
WEBHOOK_URL must be an address such as https://hooks.example.com/leads.
`,
  )
})

test('the version is told by the command, in the log at the start and in /readyz', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const run = await leadIntake({ dataDir: temporaryFolder(t) }, ['--version'])
  assert.deepEqual(run, { code: 0, out: `${version}\n`, error: '' })
  const { place } = await newInstallation(t)
  const service = await startServiceProcess(place)
  t.after(() => service.stop())
  const line = service.lines.find((text) => text.includes('"service.listening"'))!
  assert.equal((JSON.parse(line) as { version: string }).version, version)
  const ready = await fetch(`${service.url}/readyz`)
  assert.equal(((await ready.json()) as { version: string }).version, version)
})

test('config shows every setting and what was changed, and hides secrets [operator.setting]', async (t) => {
  const text = await leadIntake({ dataDir: temporaryFolder(t) }, ['config'], {
    PORT: '8080',
    SMTP_URL: 'smtp://mail.example.com:25',
    OWNER_EMAIL: 'owner@example.com',
    LOG_LEVEL: 'info',
  })
  assert.match(text.out, /^PORT=8080 {2}# changed; default: 3000$/m)
  assert.match(text.out, /^SMTP_URL=smtp:\/\/mail\.example\.com:25 {2}# changed; default: none$/m)
  assert.match(text.out, /^HOST=127\.0\.0\.1$[^]*^LOG_LEVEL=info$/m)
  const run = await leadIntake({ dataDir: temporaryFolder(t) }, ['config', '--json'], {
    SMTP_URL: 'smtp://user:hunter2@127.0.0.1',
    OWNER_EMAIL: 'owner@example.com',
    WEBHOOK_URL: 'https://user:hunter2@hooks.example.com/services/hunter2?token=hunter2',
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  })
  assert.equal(run.code, 0)
  assert.doesNotMatch(run.out, /hunter2/)
  const rows = JSON.parse(run.out) as { name: string; value: string }[]
  assert.equal(rows.find(({ name }) => name === 'SMTP_URL')?.value, '(hidden)')
  assert.equal(
    rows.find(({ name }) => name === 'WEBHOOK_URL')?.value,
    'hooks.example.com (the rest is hidden)',
  )
  assert.equal(rows.find(({ name }) => name === 'PORT')?.value, '3000')
})

test('doctor finds a service well, and a mail server that is not there [operator.doctor]', async (t) => {
  const { place } = await newInstallation(t)
  const service = await startServiceProcess(place)
  t.after(() => service.stop())
  const mail = await openMailSink(t)
  const well = await leadIntake(place, ['doctor', '--json'], {
    SMTP_URL: mail.url,
    OWNER_EMAIL: 'owner@example.com',
  })
  assert.equal(well.code, 0)
  assert.deepEqual(
    (JSON.parse(well.out) as { check: string; result: string }[]).map(
      ({ check, result }) => `${check} ${result}`,
    ),
    [
      'settings ok',
      'data folder ok',
      ...(onPostgres ? [] : ['database file ok']),
      'secret ok',
      'database ok',
      'writing ok',
      'clients ok',
      'deliveries, mail ok',
      'inbox warning',
      'backup warning',
      // The server of the tests has fsync = off.
      ...(onPostgres ? ['database warning', 'journal ok'] : []),
      'disk ok',
      'content warning',
      'notifications ok',
      'mail ok',
    ],
  )
  const at = { HOST: '127.0.0.1', PORT: service.port }
  const file = join(temporaryFolder(t), '.env')
  writeFileSync(file, 'OWNER_EMAIL=owner@example.com\n')
  assert.match((await findOlderService(at, file))!, /started before \.env was changed; restart it/)
  utimesSync(file, 1, 1)
  assert.equal(await findOlderService(at, file), undefined)
  const other = createHttpServer((_, answer) => answer.end('{"version":"0.0.1"}'))
  await once(other.listen(0, '127.0.0.1'), 'listening')
  t.after(() => other.close())
  const there = { HOST: '127.0.0.1', PORT: (other.address() as AddressInfo).port }
  assert.match(
    (await findOlderService(there, file))!,
    /^the service that runs is version 0\.0\.1, but \S+ is installed; restart it$/,
  )
  await mail.close()
  const unwell = await leadIntake(place, ['doctor'], {
    SMTP_URL: `smtp://user:hunter2@127.0.0.1:${mail.port}`,
    OWNER_EMAIL: 'owner@example.com',
  })
  assert.equal(unwell.code, 1)
  assert.match(
    unwell.out,
    /failed +mail +the mail server 127\.0\.0\.1:\d+ cannot be reached: nothing listens there/,
  )
  assert.doesNotMatch(unwell.out + unwell.error, /hunter2/)
})

test('the start and doctor warn of a picture without words, and doctor says each thing once', async (t) => {
  const { place } = await newInstallation(t)
  const env = { ...place.env, CONTENT_DIR: contentWithWork(t, 'portrait:\n  photo: sam.png\n') }
  const service = await startServiceProcess({ ...place, env })
  t.after(() => service.stop())
  const warnings = () => service.lines.filter((line) => line.includes('"content.warning"'))
  await until(() => warnings().length > 0, 'the start warns')
  const warned = warnings()
  assert.equal(warned.length, 1)
  assert.match(warned[0]!, /work\.yaml: sam\.png has no alt/)
  const { code, out } = await leadIntake(place, ['doctor'], env)
  assert.equal(code, 0)
  assert.match(out, /warning +content +work\.yaml: sam\.png has no alt/)
  assert.deepEqual(out.match(/SMTP_URL.*/g), [
    'SMTP_URL nor a webhook is set; leads are stored, but no notification is sent',
  ])

  appendFileSync(join(env.CONTENT_DIR, 'business.yaml'), 'name: Twice\n')
  const faulty = await leadIntake(place, ['doctor'], env)
  assert.equal(faulty.code, 1)
  assert.deepEqual(faulty.out.match(/^.*business\.yaml:.*$/gm)?.length, 1)
})
