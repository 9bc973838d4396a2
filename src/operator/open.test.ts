/** Names in `.env` that no command reads. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { doubtsIn } from './open.ts'

test('names in .env that are not a setting are reported', () => {
  const text = `# SMPT_URL=smtp://example.com
SMPT_URL=smtp://sam:hunter2@example.com
export OWNER_MAIL = sam@example.com
CRM_SECRET=whsec_x
BASE_URL="https://www.example.com"
rate_limit=off
TAG=1
`
  const names = doubtsIn(text, ['CRM_SECRET']).map(
    (words) => /^(\w+) in \.env is not a setting; ".*config" lists them$/.exec(words)?.[1],
  )
  assert.deepEqual(new Set(names), new Set(['SMPT_URL', 'OWNER_MAIL', 'rate_limit', 'TAG']))
})
