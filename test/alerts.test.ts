import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'yaml'

type Rule = { alert: string; expr: string; annotations: { runbook: string } }

test('every rule has a row that says what to do, and reads figures of the table', () => {
  const { groups } = parse(readFileSync('packaging/alerts.yml', 'utf8')) as {
    groups: { rules: Rule[] }[]
  }
  const page = readFileSync('docs/operating.md', 'utf8')
  const shown = new Set(Array.from(page.matchAll(/^\| `(\w+)/gm), ([, name]) => name))
  for (const { alert, expr, annotations } of groups.flatMap(({ rules }) => rules)) {
    assert.equal(annotations.runbook, 'docs/operating.md#alerts')
    assert.match(page, new RegExp(`^\\| \`${alert}\` +\\| \\S`, 'm'))
    for (const [, name] of expr.matchAll(/lead_intake_(\w+?)(?:_bucket)?\b(?!\w)/g)) {
      assert.ok(shown.has(name), `${alert} reads ${name}`)
    }
  }
})
