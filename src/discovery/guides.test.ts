import assert from 'node:assert/strict'
import test from 'node:test'
import { writeGuide } from './guides.ts'
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
  ]) {
    assert.ok(guide.includes(words), words)
  }
})
