import assert from 'node:assert/strict'
import test from 'node:test'
import { errorEnvelope } from '../../src/contract/errors.ts'
import { toReceipt } from '../../src/contract/receipt.ts'
import type { State } from '../../src/contract/states.ts'
import { temporaryFolder } from '../support/service.ts'
import { consult } from './run.ts'
import { answerJson, startStandIn } from './stand-in.ts'

test('a withdrawal whose answer was lost is told as done', async (t) => {
  let state: State = 'new'
  const site = await startStandIn(t, (response, { method }, before) => {
    if (method === 'GET') return answerJson(response, 200, receiptIn(state))
    if (state === 'withdrawn') return answerJson(response, 409, errorEnvelope('INVALID_TRANSITION'))
    state = 'withdrawn'
    assert.equal(before, 1)
    response.destroy()
  })
  const { code, out } = await consult(['withdraw', token, '--yes', '--json'], {
    cwd: temporaryFolder(t),
    baseUrl: site.url,
  })
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(out), receiptIn('withdrawn'))
  assert.deepEqual(
    site.heard.map(({ method, path }) => `${method} ${path}`),
    [
      `GET /receipt/${token}`,
      `POST /receipt/${token}/withdraw`,
      `POST /receipt/${token}/withdraw`,
      `GET /receipt/${token}`,
    ],
  )
})

test('the status of a booked Consultation has no time that reads like the appointment', async (t) => {
  const receipt = receiptIn('consultation_booked', Date.UTC(2026, 10, 16, 15, 42))
  const site = await startStandIn(t, (response) => answerJson(response, 200, receipt))
  const options = { cwd: temporaryFolder(t), baseUrl: site.url }
  const { code, out } = await consult(['status', token], options)
  assert.equal(code, 0)
  assert.match(
    out,
    /booked for the time you agreed with me\. This receipt does not show that time\./,
  )
  assert.match(out, /2026-11-15T09:00/)
  assert.doesNotMatch(out, /2026-11-16/)
})

test('what can no longer be withdrawn is refused without asking the site', async (t) => {
  const site = await startStandIn(t, (response) => answerJson(response, 200, receiptIn('won')))
  const { code, error } = await consult(['withdraw', token, '--yes'], {
    cwd: temporaryFolder(t),
    baseUrl: site.url,
  })
  assert.equal(code, 4)
  assert.match(error, /It can no longer be withdrawn\. Your request is closed\./)
  assert.equal(site.heard.length, 1)
})

const receivedAt = Date.UTC(2026, 10, 15, 9)
const token = '019a85d0-6c001f6e4ad27b0c93e85f1d46a8b7c20e35'

function receiptIn(state: State, changedAt = receivedAt) {
  const lead = { reference: 'C-7K3QM-4X92P', state, receivedAt, stateChangedAt: changedAt }
  return toReceipt(lead, 'https://www.example.com/receipt/x')
}
