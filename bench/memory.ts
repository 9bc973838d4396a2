/** Resident memory of the service: idle, and after many durable leads. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openToRead } from '../src/store/engine/sqlite-file.ts'
import type { Case } from './case.ts'
import { openClient } from './client.ts'
import { residentMb } from '../test/support/resident-memory.ts'
import { goals } from './goals.ts'
import { programs } from './programs.ts'
import { jsonLead } from './requests.ts'
import { startServer } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'

const leads = 100_000
const slice = 5_000
const settleMs = 2_000

export const memory: Case = {
  name: 'memory',
  meaning: `resident memory, idle and after ${leads} durable leads`,
  needsLinux: true,
  async run() {
    const server = await startServer(programs.service)
    try {
      await sleep(settleMs)
      const idle = residentMb(server.pid)
      const peak = await sendLeads(server)
      await sleep(settleMs)
      const after = residentMb(server.pid)
      const kept = countLeads(server)
      if (kept !== leads) throw new Error(`${kept} of ${leads} acknowledged leads were stored`)
      return [
        { what: 'idle', value: idle, unit: 'MB', goal: goals.memoryIdleMb },
        {
          what: 'after the load',
          value: after,
          unit: 'MB',
          goal: goals.memoryAfterLoadMb,
          remark: `peak ${peak.toFixed(0)} MB`,
        },
      ]
    } finally {
      await server.stop()
    }
  },
}

/** Returns the peak of the resident memory. */
async function sendLeads({ port, pid }: ServerProcess): Promise<number> {
  const client = openClient(port, 64)
  let peak = 0
  try {
    for (let sent = 0; sent < leads; sent += slice) {
      await client.send({ template: jsonLead, status: 200, count: slice })
      peak = Math.max(peak, residentMb(pid))
    }
  } finally {
    client.close()
  }
  return peak
}

/** Shows that no two requests were the same lead and that none was lost. */
function countLeads({ folder }: ServerProcess): number {
  const db = openToRead(join(folder, 'leads.sqlite'))
  try {
    return Number(db.prepare('select count(*) as n from lead').get()!['n'])
  } finally {
    db.close()
  }
}
