import assert from 'node:assert/strict'
import test from 'node:test'
import { doubtsIn } from './env-file.ts'

test('names in .env that are no setting are told, with the name that was meant', () => {
  const text = `# SMPT_URL=smtp://example.com
SMPT_URL=smtp://sam:hunter2@example.com
export OWNER_MAIL = sam@example.com
CRM_SECRET=whsec_x
BASE_URL="https://www.example.com"
rate_limit=off
TAG=1
`
  assert.deepEqual(doubtsIn(text, ['CRM_SECRET']).toSorted(), [
    'OWNER_MAIL in .env is no setting; OWNER_EMAIL?',
    'SMPT_URL in .env is no setting; SMTP_URL?',
    'TAG in .env is no setting',
    'rate_limit in .env is no setting; RATE_LIMIT?',
  ])
})
