/** `content check` and `doctor` name what is wrong with the content. */
import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { examineContent } from './doctor.ts'

test('content check names the details of the example that are left, and every mistake', (t) => {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  const file = join(folder, 'business.yaml')
  const example = readFileSync(file, 'utf8')
  const examineWith = (text: string) => {
    writeFileSync(file, text)
    const settings = { CONTENT_DIR: folder, BASE_URL: 'http://localhost:3000' }
    return examineContent(settings).map(({ result, words }) => ({ result, words }))
  }
  const ok = { result: 'ok', words: `the service starts with ${folder}` }
  const left = (what: string) => ({
    result: 'warning',
    words: `business.yaml still has the example's ${what}: write your own before the site is public`,
  })
  const invented = {
    result: 'warning',
    words:
      'work.yaml still has jobs or clients of the example: Steps as wide as the deck; A table under the grapes; A screen with a seat; Wendy (an example); Hemant (an example). Show your own, or none',
  }
  const facts = left('name, phone, email, ABN, insurance')
  assert.deepEqual(examineWith(example), [ok, facts, invented])
  writeFileSync(join(folder, 'work.yaml'), '# None yet')
  const papers = example
    .replace("number: '00 000 000 000'", "number: '51 824 753 556'")
    .replace('with Example Mutual', 'with Own Mutual')
  assert.deepEqual(examineWith(papers), [ok, left('name, phone, email')])
  const named = papers.replace('Example Decks', 'Robin & Uncle').replaceAll('@example', '@robin')
  assert.deepEqual(examineWith(named), [ok, left('phone')])
  const own = named.replace('570 006', '570 156')
  assert.deepEqual(examineWith(own), [ok])
  const former = own.replace(/^country: .*\n/m, '').replace(/^trade:\n(?: .*\n)*/m, '')
  assert.deepEqual(examineWith(former), [
    ok,
    {
      result: 'warning',
      words:
        'business.yaml has no country, trade: the site speaks of a deck and pergola business in Australia until you add them (docs/content.md)',
    },
  ])
  const wrong = examineWith(
    example
      .replace('owner: Sam', 'ownr: Sam')
      .replace("'12:00'", 'noon')
      .replace('{reference}.', '{ref}.'),
  )
  assert.deepEqual(
    wrong.map(({ result, words }) => `${result} ${words.replace(/^.*yaml:\d+: /, '')}`),
    [
      'failed owner is missing',
      'failed ownr is not a known entry',
      'failed hours, entry 2, closes must be a time such as "07:00", in quotes',
      'warning business.yaml:151 has {ref}, which nothing fills in: only replies know {name} and {reference}',
    ],
  )
  const webhook = '  - {name: crm, url: https://hooks.example.com/, secret: CRM_SECRET}\n'
  const [twice] = examineWith(`${named}webhooks:\n${webhook}${webhook}`)
  assert.equal(twice?.result, 'failed')
  assert.match(twice.words, /yaml:\d+: webhooks, entry 2, name is taken by entry 1/)
})
