/** What this process counts while it works. There is one of each, since they describe the process. */
import { gauge, histogramSamples } from './family.ts'
import type { Family } from './family.ts'
import { Histogram } from './histogram.ts'
import { createRequestCounts } from './requests.ts'

export const requests = createRequestCounts()

export const commits = {
  seconds: new Histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]),
  groupSizes: new Histogram([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
  waiting: 0,
}

export const logLines = { lost: 0 }

const leads = new Map<string, Map<string, number>>()

/** `outcome`: as in the log line of the request. */
export function countLead(door: string, outcome: string): void {
  let outcomes = leads.get(door)
  if (outcomes === undefined) leads.set(door, (outcomes = new Map<string, number>()))
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
}

export function countedFamilies(): Family[] {
  return [
    {
      name: 'leads_total',
      type: 'counter',
      help: 'Leads that were sent, by the way in and what came of them.',
      samples: [...leads].flatMap(([door, outcomes]) =>
        [...outcomes].map(([outcome, value]) => ({ labels: { door, outcome }, value })),
      ),
    },
    ...requests.families(),
    {
      name: 'commit_duration_seconds',
      type: 'histogram',
      help: 'Of a group of batches, until the disk has it.',
      samples: histogramSamples(commits.seconds),
    },
    {
      name: 'commit_group_size',
      type: 'histogram',
      help: 'Batches that were committed together; a lead is one batch.',
      samples: histogramSamples(commits.groupSizes),
    },
    gauge('waiting_leads', 'Batches, mostly leads, that wait for their commit.', commits.waiting),
    {
      name: 'log_lost_lines_total',
      type: 'counter',
      help: 'Lines of the log that were lost because nobody read it.',
      samples: [{ value: logLines.lost }],
    },
  ]
}
