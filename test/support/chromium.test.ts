import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { installedChromium } from './chromium.ts'
import { temporaryFolder } from './service.ts'

test('an installed Chromium or Chrome is found', (t) => {
  const [empty, folder] = [temporaryFolder(t), temporaryFolder(t)]
  const program = join(folder, 'google-chrome')
  writeFileSync(program, '')
  assert.equal(installedChromium([empty, folder]), program)
})

test('without one, the error says what to install or set', (t) => {
  assert.throws(
    () => installedChromium([temporaryFolder(t)]),
    /install one \(on Debian: apt-get install chromium\), or set CHROMIUM_PATH/,
  )
})
