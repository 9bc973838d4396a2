/** Each rule for Prometheus fires at its fault and not before, uses figures that exist, and is explained. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { promtool, promtoolMissing } from './support/prometheus.ts'
import { temporaryFolder } from './support/service.ts'

type Rule = { alert: string; expr: string; annotations: { summary: string; runbook: string } }

const file = 'packaging/alerts.yml'
const rules = (parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)

type Fault = {
  series: Record<string, string>
  quiet: number
  fires: number
  /** Minutes from value to value and from look to look, where every minute of days would take long. */
  every?: number
}

/** A value a minute, from the epoch on; `labels` of the alert are those of its series. */
const faults: Record<string, Fault> = {
  LeadIntakeGone: { series: { 'build_info{job="i"}': '1x3' }, quiet: 3, fires: 20 },
  LeadIntakeProbeFailing: {
    series: { 'probe_success{job="i"}': '1x9 0x9' },
    quiet: 11,
    fires: 13,
  },
  LeadIntakeNoLead: {
    series: {
      'last_lead_timestamp_seconds{job="i"}': '0x400',
    },
    quiet: 14 * 24 * 60,
    fires: 14 * 24 * 60 + 120,
    every: 60,
  },
  LeadIntakeDeliveryDead: {
    series: { 'deliveries{job="i",channel="mail",state="dead"}': '0x9 1x9' },
    quiet: 9,
    fires: 10,
  },
  LeadIntakeDeliveryLate: {
    series: { 'delivery_oldest_waiting_seconds{job="i",channel="mail"}': '0+60x30' },
    quiet: 15,
    fires: 16,
  },
  LeadIntakeJournalNotFalling: {
    series: { 'journal_leads{job="i"}': '0x9 90-1x20 70x30' },
    quiet: 25,
    fires: 45,
  },
  LeadIntakeRefused: { series: { 'journal_refused{job="i"}': '0x9 1x9' }, quiet: 9, fires: 10 },
  LeadIntakeBackupOld: {
    series: {
      'backup_last_success_timestamp_seconds{job="i"}': '0x900',
      'backup_interval_seconds{job="i"}': '3600x900',
    },
    quiet: 120,
    fires: 132,
  },
  LeadIntakeDrillOld: {
    series: { 'restore_drill_last_success_timestamp_seconds{job="i"}': '0x300' },
    quiet: 8 * 24 * 60,
    fires: 8 * 24 * 60 + 60,
    every: 60,
  },
  LeadIntakeDiskLow: {
    series: {
      'disk_free_bytes{job="i"}': '500x30 99x30',
      'disk_size_bytes{job="i"}': '1000x60',
    },
    quiet: 29,
    fires: 42,
  },
  LeadIntakeCommitsSlow: {
    series: {
      'commit_duration_seconds_bucket{job="i",le="1"}': '0+100x20 2000+97x20',
      'commit_duration_seconds_bucket{job="i",le="2.5"}': '0+100x40',
      'commit_duration_seconds_bucket{job="i",le="+Inf"}': '0+100x40',
    },
    quiet: 19,
    fires: 35,
  },
}

test('every rule has a fault that it is tried with, and a row that says what to do', () => {
  assert.deepEqual(
    rules.map(({ alert }) => alert),
    Object.keys(faults),
  )
  const page = readFileSync('docs/operating.md', 'utf8')
  const shown = new Set(Array.from(page.matchAll(/^\| `(\w+)/gm), ([, name]) => name))
  for (const { alert, expr, annotations } of rules) {
    assert.equal(annotations.runbook, 'docs/operating.md#alerts')
    assert.match(page, new RegExp(`^\\| \`${alert}\` +\\| \\S`, 'm'))
    for (const [, name] of expr.matchAll(/lead_intake_(\w+?)(?:_bucket)?\b(?!\w)/g)) {
      assert.ok(
        shown.has(name),
        `${alert} reads ${name}, which is in the table of docs/operating.md`,
      )
    }
  }
})

test('promtool takes the rules, and each fires at its fault', { skip: promtoolMissing }, (t) => {
  promtool(['check', 'rules', file])
  const folder = temporaryFolder(t)
  const paths = rules.map(({ alert }) => {
    const { series, quiet, fires, every = 1 } = faults[alert]!
    const at = (minute: number, count: number) => ({
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
      eval_time: `${minute}m`,
      exp_samples: [{ labels: '{}', value: count }],
    })
    const story = {
      name: alert,
      interval: `${every}m`,
      input_series: Object.entries(series).map(([name, values]) => ({
        series: `lead_intake_${name}`,
        values,
      })),
      promql_expr_test: [at(quiet, 0), at(fires, 1)],
    }
    const path = join(folder, `${alert}.json`)
    const rule_files = [join(process.cwd(), file)]
    // JSON is YAML.
    writeFileSync(
      path,
      JSON.stringify({ rule_files, evaluation_interval: `${every}m`, tests: [story] }),
    )
    return path
  })
  promtool(['test', 'rules', ...paths])
})
