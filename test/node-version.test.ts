import assert from 'node:assert/strict'
import test from 'node:test'
import { isNewEnough, refusal } from '../bin/node-version.js'

test('Node 24 from 24.18.1 on and Node 26.5.1 or later are new enough', () => {
  const versions = ['24.18.1', '24.19.0', '26.5.1', '26.6.0', '26.10.0', '27.0.0', '30.1.2']
  assert.deepEqual(versions.filter(isNewEnough), versions)
})

test('older ones are not, nor is the unsupported line between', () => {
  const versions = ['20.20.2', '22.22.0', '24.9.9', '24.18.0', '25.9.0', '26.0.0', '26.5.0']
  assert.deepEqual(versions.filter(isNewEnough), [])
})

test('a preview of a later version counts as that version', () => {
  assert.ok(isNewEnough('27.0.0-nightly20261101'))
})

test('the refusal names the Node that was found', () => {
  assert.match(refusal('20.20.2'), /; this is 20\.20\.2\. Install a newer Node\./)
})
