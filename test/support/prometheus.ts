/** The text format of Prometheus, read strictly; and promtool, where it is installed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'

/** Samples by name and labels, as they stand in the text. */
export function readMetrics(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  const families = new Map<string, string>()
  let family = ''
  assert.ok(text.endsWith('\n'), 'the last line ends')
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-z_]+) \S.*$/.exec(line)
    if (help) {
      family = help[1]!
      assert.ok(!families.has(family), `${family} once`)
      families.set(family, '')
      continue
    }
    const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line)
    if (type) {
      assert.equal(type[1], family, 'TYPE follows HELP')
      families.set(family, type[2]!)
      assert.equal(type[2] === 'counter', family.endsWith('_total'), family)
      continue
    }
    const label = String.raw`[a-z]+="(?:[^"\\\n]|\\[\\"n])*"`
    const sample = new RegExp(String.raw`^([a-z_]+)(\{${label}(?:,${label})*\})? (\S+)$`).exec(line)
    assert.ok(sample, `a sample: ${line}`)
    const [, name = '', labels = '', value = ''] = sample
    const ends = families.get(family) === 'histogram' ? '(?:_bucket|_sum|_count)' : ''
    assert.match(name, new RegExp(`^${family}${ends}$`), 'samples follow their TYPE')
    assert.ok(Number.isFinite(Number(value)), line)
    assert.ok(!samples.has(name + labels), `${name}${labels} once`)
    samples.set(name.replace('lead_intake_', '') + labels, Number(value))
  }
  return samples
}

export const promtoolMissing =
  spawnSync('promtool', ['--version']).error === undefined ? false : 'promtool is not installed'

export function promtool(args: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  return stdout + stderr
}
