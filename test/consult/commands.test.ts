import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readCommandLine } from '../../src/consult/arguments.ts'
import { Failed } from '../../src/consult/failed.ts'
import { readGuide } from '../../src/consult/look.ts'
import { runCommand } from '../../src/consult/run.ts'
import { commands, exits, options, stages, toFlag } from '../../src/contract/commands.ts'
import type { CommandRow } from '../../src/contract/commands.ts'
import { writeCommandLine } from '../../src/discovery/cli.ts'
import { temporaryFolder } from '../support/service.ts'
import { businessRules, findWording } from '../support/wording.ts'
import { consult } from './run.ts'

const page = writeCommandLine({ baseUrl: 'https://decks.example.com' })
const rows: readonly CommandRow[] = commands

test('the page and the help have every stage, command, option, example and exit code', async (t) => {
  const cwd = temporaryFolder(t)
  const all = await consult(['--help'], { cwd })
  assert.deepEqual([all.code, all.error], [0, ''])
  const runs = await Promise.all(rows.map(({ name }) => consult([name, '--help'], { cwd })))
  for (const text of [page, all.out]) {
    for (const row of [...Object.keys(stages), ...rows.map(({ name }) => name)]) {
      assert.ok(text.includes(row), row)
    }
    for (const { code, meaning } of Object.values(exits)) {
      assert.match(text, new RegExp(`${code}[ |]+${meaning.slice(0, 20)}`))
    }
  }
  for (const [index, { name, summary, options: taken, examples }] of rows.entries()) {
    for (const text of [page, runs[index]!.out]) {
      assert.ok(text.includes(summary))
      for (const example of examples) assert.ok(text.includes(example))
    }
    for (const option of taken) {
      const { description } = options[option]
      const row = page.split('\n').find((line) => line.startsWith(`| \`${toFlag(option)}\` |`))!
      assert.ok(row.includes(`\`${name}\``) || row.includes('| all |'), `${name} ${option}`)
      assert.ok(row.endsWith(`| ${description} |`))
      assert.ok(runs[index]!.out.includes(toFlag(option)))
      assert.ok(runs[index]!.out.includes(description))
    }
  }
  assert.match(
    page,
    /^npx --yes --package=https:\/\/decks\.example\.com\/consult\.tgz consult --help$/m,
  )
})

test('every option is taken by a command, and every command is understood', () => {
  const taken = new Set<string>(rows.flatMap((row) => row.options))
  assert.deepEqual(
    Object.keys(options).filter((option) => !taken.has(option)),
    [],
  )
  for (const { name, argument, options: flags } of rows) {
    const words = flags.flatMap((flag) =>
      options[flag].argument === undefined ? [`--${flag}`] : [`--${flag}`, '007'],
    )
    const line = readCommandLine([name, ...(argument ? ['it'] : []), ...words])
    assert.ok(line.kind === 'call')
    assert.equal(line.command, name)
    assert.equal(Object.keys(line.call.texts).length + line.call.switches.size, flags.length)
    assert.ok(Object.values(line.call.texts).every((text) => text === '007'))
  }
})

test('what is wrong with the command line is said in a sentence, with code 2', async (t) => {
  const cwd = temporaryFolder(t)
  const broken = join(cwd, 'broken.json')
  writeFileSync(broken, '{"name_1": "Robin Example", oops')
  const at = ['--base-url', 'http://localhost']
  const cases: [words: string[], sentence: RegExp][] = [
    [['sned'], /There is no command "sned"\. The commands are info, endpoints/],
    [['health', '--yes'], /health takes no --yes/],
    [['check', '--nmae', 'x'], /Unknown option '--nmae'/],
    [['check', '--message', '-deck'], /use '--message=-XYZ'/],
    [['check', 'a', 'b'], /check takes one argument/],
    [['check', 'a', '--name', 'Sam'], /Give a draft or the fields as options, not both/],
    [['check', join(cwd, 'none.json')], /There is no draft at .*none\.json/],
    [['check', broken], /The draft .*broken\.json is not one JSON object/],
    [['check', '--idempotency-key', 'ü', '--name', 'S', '--email', 's@example.com'], /ASCII/],
    [['status'], /status needs its <receipt>/],
    [['status', '../x', ...at], /neither a status_url nor the token/],
    [['health', '--base-url', 'decks.example.com'], /must be one such as https:/],
    [['health', '--base-url', 'ftp://decks.example.com'], /must be one such as https:/],
    [['health', '--base-url', 'https://example.com/a?b'], /without a path, a user or a query/],
    [['health', ...at, '--timeout', '0'], /--timeout must be a number/],
    [['info', ...at, '--retries', '1.5'], /--retries must be a whole number/],
  ]
  for (const [words, sentence] of cases) {
    await assert.rejects(runCommand(words), (failed) => {
      assert.ok(failed instanceof Failed)
      assert.deepEqual([words, failed.exit], [words, 'invalid'])
      assert.match(failed.inWords(), sentence)
      assert.doesNotMatch(failed.inWords(), /Robin/)
      return true
    })
  }
  const { code, out, error } = await consult(['health'], { cwd })
  assert.deepEqual([code, out], [2, ''])
  assert.match(error, /^consult: Which site\? Add --base-url .* or set CONSULT_BASE_URL\.\nSee /)
})

test('the page keeps to the words of the business', () => {
  assert.match(page, /Consultation/)
  assert.deepEqual(findWording(page, businessRules), [])
})

test('a site guide is read by its convention, and anything else is none', () => {
  const guide = readGuide(
    '# Example Decks\n\n> Decks and\n> pergolas.\n\nI build.\n\n## Pages\n\n- [Home](https://x.example.com/index.md): The start\n* [Contact](https://x.example.com/contact.md)\n\n## Optional\n',
  )
  assert.deepEqual(guide, {
    name: 'Example Decks',
    summary: 'Decks and pergolas.',
    about: 'I build.',
    sections: [
      {
        title: 'Pages',
        links: [
          { title: 'Home', url: 'https://x.example.com/index.md', description: 'The start' },
          { title: 'Contact', url: 'https://x.example.com/contact.md', description: '' },
        ],
      },
      { title: 'Optional', links: [] },
    ],
  })
  assert.equal(readGuide('<!doctype html><h1>No</h1>'), undefined)
})
