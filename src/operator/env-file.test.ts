import assert from 'node:assert/strict'
import test from 'node:test'
import { doubtsIn } from './env-file.ts'

test('lines of .env that are no setting are named by number, with the name that was meant', () => {
  const text = `# SMPT_URL=smtp://example.com
SMPT_URL=smtp://example.com
export OWNER_MAIL = sam@example.com
PORT 3101
hunter2
CRM_SECRET=whsec_x
BASE_URL="https://www.example.com"
MAIL_FROM="sam@example.com
hunter2"
rate_limit=off
TAG=1
SMTP_URL=smtp://sam:hunter2#3@example.com
LOG_LEVEL=warn # or info
METRICS_TOKEN='a#b'
`
  assert.deepEqual(doubtsIn(text, ['CRM_SECRET']), [
    '.env:2: SMPT_URL is no setting; SMTP_URL?',
    '.env:3: OWNER_MAIL is no setting; OWNER_EMAIL?',
    '.env:4: there is no = after PORT; write NAME=VALUE',
    '.env:5: there is no =; write NAME=VALUE',
    '.env:10: rate_limit is no setting; RATE_LIMIT?',
    '.env:11: TAG is no setting',
    '.env:12: SMTP_URL ends at its #; write it as %23, or the value in quotes',
  ])
})
