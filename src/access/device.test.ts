import assert from 'node:assert/strict'
import test from 'node:test'
import { deviceOf } from './device.ts'

test('a device is named as people name it, and never in the words of its User-Agent', () => {
  const iPhone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
  const windows =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
  assert.equal(deviceOf(iPhone), 'Safari on iPhone')
  assert.equal(deviceOf(windows), 'Chrome on Windows')
  assert.equal(deviceOf(`${windows} Edg/141.0.0.0`), 'Edge on Windows')
  assert.equal(deviceOf('Mozilla/5.0 (Android 15; Mobile) Firefox/145.0'), 'Firefox on Android')
  assert.equal(deviceOf('<img src=x onerror=alert(1)>'), 'Unknown device')
  assert.equal(deviceOf(undefined), 'Unknown device')
})
