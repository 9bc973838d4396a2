import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { readSettings } from '../src/config.ts'
import { readRefusals } from './support/refusals.ts'

test('every sentence with which the program refuses something is in docs/troubleshooting.md', () => {
  const page = readFileSync('docs/troubleshooting.md', 'utf8')
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!)
  const cells = [...page.matchAll(/^\| (.+?) +\|/gm)].map(([, cell]) => cell!)
  const refusals = readRefusals()
  assert.ok(refusals.length > 80)
  const isTold = ({ by, pattern }: (typeof refusals)[number]) => {
    const places = by === 'BundleRefused' || by === 'WrongSetting' ? cells : headings
    return places.some((place) => pattern.test(place))
  }
  const missing = refusals.filter((refusal) => !isTold(refusal))
  assert.deepEqual(
    missing.map(({ file, sentence }) => `${file}: ${sentence}`),
    [],
  )
  const stale = headings.filter((heading) => !refusals.some(({ pattern }) => pattern.test(heading)))
  const composed = stale.map(
    (heading) => new RegExp(`^${heading.replaceAll(/\b[A-Z]+\b/g, '.+')}(?:\\.|$)`),
  )
  for (const wrong of wrongSettings) {
    const read = readSettings(wrong)
    const said = 'problems' in read ? read.problems.join('\n') : ''
    assert.ok(
      composed.some((heading) => heading.test(said)),
      said,
    )
  }
  // The other is that of content.
  assert.equal(stale.length, wrongSettings.length + 1, stale.join('\n'))
})

/** What is said of settings is put together from two parts. */
const wrongSettings = [
  { RETENTION: '30,90' },
  { SMTP_URL: 'smtp://mail.example.com' },
  { HEARTBEAT_URL: 'http://example.com' },
]
