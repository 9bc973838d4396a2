import assert from 'node:assert/strict'
import test from 'node:test'
import { papersOf } from '../contract/business.ts'
import { writeCommandLine } from './consult.ts'
import { writeGuide, writeSkill } from './guides.ts'
import { facts } from '../../test/support/sample-facts.ts'

const guide = writeGuide(facts)
const blocks = guide.trim().split('\n\n')

test('the guide has the order of the convention, and is short [4.3.llms]', () => {
  assert.equal(blocks[0], `# ${facts.business.name}`)
  assert.equal(blocks[1], `> ${facts.business.summary}`)
  const headings = blocks.filter((block) => block.startsWith('#'))
  assert.deepEqual(headings.slice(1), ['## Pages', '## For agents', '## Optional'])
  for (const heading of headings.slice(1)) {
    const links = blocks[blocks.indexOf(heading) + 1]!.split('\n')
    for (const link of links) assert.match(link, /^- \[[^\]]+\]\(https:[^)\s]+\): \S/)
  }
  assert.equal(blocks.at(-2), '## Optional')
  assert.ok(guide.length < 50_000)
})

test("every sample asks for the person's own details, before it shows an example's", () => {
  for (const text of [guide, writeSkill(facts), writeCommandLine(facts)]) {
    const asked = text.indexOf("Put in the person's own details")
    assert.ok(asked > 0 && asked < text.indexOf('Robin Example'))
  }
})

test('an agent learns when to use the site, what consent it needs, and every way in', () => {
  for (const words of [
    'When to use this site',
    'When not to use it',
    'Consent: ',
    'https://decks.example.com/api/lead',
    'https://decks.example.com/mcp',
    'https://decks.example.com/openapi.json',
    'Idempotency-Key',
    'status_url',
    ...facts.business.doesNot,
    // "Is he insured?"
    ...papersOf(facts.business).map(({ words: paper }) => paper),
  ]) {
    assert.ok(guide.includes(words), words)
  }
})

test('guide and skill say what to do with a project that may not fit, and how to erase', () => {
  for (const text of [guide, writeSkill(facts)]) {
    const listed = text.indexOf(facts.business.doesNot.at(-1)!)
    assert.ok(text.indexOf('If you cannot tell whether it fits, send it and say so') > listed)
    assert.match(text, /POST to its `erase_url`/)
    assert.match(text, /If you cannot send HTTP/)
    assert.match(text, /to ask for another time .* `another_time_url`.*`words`/)
  }
})
