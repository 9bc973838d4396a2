import assert from 'node:assert/strict'
import test from 'node:test'
import { readBusiness } from './business.ts'
import { checkFields } from '../contract/check-fields.ts'
import { toFormProblems, wholeFormProblem } from './form.ts'

const business = readBusiness('content/business.yaml')

test('a person is told what an email address needs', () => {
  assert.deepEqual(wordsFor({ name_1: 'Robin', email_1: '' }), [
    'Please add your email address, so that I can reply to you.',
  ])
  assert.deepEqual(wordsFor({ name_1: 'Robin', email_1: 'robin@example' }), [
    "This email address doesn't look right. It needs one @, a dot after it, and no spaces.",
  ])
})

test('a person is told what is missing and what is too long, and never of field names', () => {
  const sent = { email_1: 'robin@example.com', textarea_1: 'x'.repeat(10_005), day: ['1', '2'] }
  assert.deepEqual(wordsFor(sent), [
    'Please tell me your name.',
    'Your project is 10,005 characters long, and 10,000 is the most I can receive. Please shorten it.',
  ])
})

test('what no person can mend is put down to the way, and a body too large to its length', () => {
  const key = { field: 'Idempotency-Key', problem: 'must be a text', example: '' }
  const [problem] = toFormProblems([key], {}, business)
  assert.match(problem!.words, /got lost on the way/)
  assert.match(wholeFormProblem('PARSE_ERROR').words, /got lost on the way/)
  assert.match(wholeFormProblem('PAYLOAD_TOO_LARGE').words, /10,000 characters/)
})

function wordsFor(sent: Record<string, unknown>): string[] {
  return toFormProblems(checkFields(sent).problems, sent, business).map(({ words }) => words)
}
