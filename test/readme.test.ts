import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { fields } from '../src/contract/fields.ts'
import { errors } from '../src/contract/errors.ts'
import { readTable, tables } from './support/tables.ts'

const readme = readFileSync('README.md', 'utf8')
const api = readFileSync('docs/agents.md', 'utf8')

for (const { file, name, text } of tables) {
  test(`the table of ${name} in ${file} is up to date; npm run format writes it`, () => {
    assert.equal(squeeze(readTable({ file, name }) ?? ''), squeeze(text))
  })
}

test('the README names the two commands, and CI runs the second', () => {
  assert.match(readme, /^npm ci && npm start$/m)
  assert.match(readme, /^npm cit$/m)
  assert.match(readFileSync('.ci/run', 'utf8'), /^npm cit$/m)
})

test('each file that a guide for developers names is there, and each function of the tour', () => {
  const code = globSync('{src,test}/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const tour = ['README.md', 'CONTRIBUTING.md']
  const guides = [...tour, ...globSync('docs/{developers,decisions}/*.md')]
  const files = namedIn(guides).filter((name) => /^(src|test)\/[\w/.-]+$/.test(name))
  const functions = namedIn(tour).filter((name) => /^[a-z]+[A-Z]\w*$/.test(name))
  assert.ok(files.length > 60 && functions.length > 5)
  const lost = [
    ...files.filter((file) => !existsSync(file)),
    ...functions.filter((name) => {
      const declared = new RegExp(`(function|const|class) ${name}\\b|^ {2}(async )?${name}\\(`, 'm')
      return !code.some((text) => declared.test(text))
    }),
  ]
  assert.deepEqual(lost, [])
})

function namedIn(guides: readonly string[]): string[] {
  const texts = guides.map((file) => readFileSync(file, 'utf8'))
  return texts.flatMap((text) => [...text.matchAll(/`([^`\s]+)`/g)].map(([, name]) => name!))
}

test('the unit for systemd runs the service as npm start does', () => {
  const [, told] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(
    readFileSync('packaging/systemd/lead-intake.service', 'utf8'),
  )!
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: { start: string }
  }
  assert.equal(
    told,
    scripts.start
      .replace('exec bin/node', '. bin/use-node.sh && exec node')
      .replaceAll('bin/', 'node_modules/lead-intake/bin/'),
  )
})

test('the API page names the required fields, and gives every error its status', () => {
  const [, named] = /(.*) are required/.exec(api)!
  const required = fields.filter((field) => field.required).map(({ name }) => `\`${name}\``)
  assert.ok(named!.endsWith(required.join(' and ')))
  const told = [...api.matchAll(/(\d{3}) `([A-Z_]+)`/g)]
  assert.ok(told.length > 5)
  for (const [, status, code] of told) {
    assert.equal(errors[code as keyof typeof errors]?.status, Number(status))
  }
})

test('the sheet in the guide to notifications has a column for each field', () => {
  const guide = readFileSync('docs/notifications.md', 'utf8')
  const [, cells = ''] = /const cells = \[(.*)\]/.exec(guide) ?? []
  const columns = cells.split(', ')
  const lacking = fields.filter(({ name }) => !columns.includes(`lead.${name}`))
  assert.deepEqual(lacking, [], 'write them into `cells` in docs/notifications.md')
})

/** The formatter pads the columns of a table. */
function squeeze(table: string): string {
  return table.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-').trim()
}
