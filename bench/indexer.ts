/** What the search index costs a lead: the service with its indexer at work, against one without. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Case } from './case.ts'
import { openClient } from './client.ts'
import type { Client } from './client.ts'
import { goals } from './goals.ts'
import { median } from './median.ts'
import { programs } from './programs.ts'
import { jsonLead } from './requests.ts'
import { startServer } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'

const connections = 64
/** More than the indexer does in the time, so that it always has work. */
const firstLeads = 10_000
/** It leaves the newest leads alone for half a minute. */
const settleMs = 31_000
/** Some seconds long: under load the indexer works every two seconds or so. */
const leadsOfSlice = 10_000
const rounds = 12

type Side = { server: ServerProcess; client: Client; costsUs: number[] }

export const indexerCase: Case = {
  name: 'json-durable-64-indexer',
  meaning: 'a lead as JSON, 64 at a time, with the search indexer at work; about 4 minutes',
  onDemand: true,
  needsLinux: true,
  async run(effort) {
    const sides: Side[] = []
    try {
      for (const program of [programs.unindexed, programs.service]) {
        const server = await startServer(program)
        const client = openClient(server.port, connections)
        sides.push({ server, client, costsUs: [] })
        await send(client, firstLeads)
        signal(server, 'SIGSTOP')
      }
      await sleep(settleMs)
      const [without, indexed] = sides as [Side, Side]
      const before = countDocs(indexed.server)
      for (let round = 0; round < rounds * effort; round += 1) {
        const order = Math.random() < 0.5 ? sides : sides.toReversed()
        for (const side of order) side.costsUs.push(await runSlice(side))
      }
      const ratios = without.costsUs.map((cost, round) => cost / indexed.costsUs[round]!)
      const perSecond = sides.map(({ costsUs }) => Math.round(1e6 / median(costsUs)))
      const done = countDocs(indexed.server) - before
      return [
        {
          what: 'leads/s, with / without',
          value: median(ratios),
          unit: 'x',
          goal: goals.indexer,
          remark: `${perSecond[1]} and ${perSecond[0]} leads/s; ${done} were indexed meanwhile`,
        },
      ]
    } finally {
      for (const { server, client } of sides) {
        client.close()
        signal(server, 'SIGCONT')
        await server.stop()
      }
    }
  },
}

/** The other one is stopped: an indexer without a load works faster, and would slow this one. */
async function runSlice({ server, client }: Side): Promise<number> {
  signal(server, 'SIGCONT')
  try {
    const wallMs = await send(client, leadsOfSlice)
    return (wallMs * 1_000) / leadsOfSlice
  } finally {
    signal(server, 'SIGSTOP')
  }
}

async function send(client: Client, count: number): Promise<number> {
  return (await client.send({ template: jsonLead, status: 200, count })).wallMs
}

function signal({ pid }: ServerProcess, name: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid, name)
}

function countDocs({ folder }: ServerProcess): number {
  const db = new DatabaseSync(join(folder, 'leads.sqlite'), { readOnly: true })
  try {
    return Number(db.prepare('select count(*) as n from search_doc').get()!['n'])
  } finally {
    db.close()
  }
}
