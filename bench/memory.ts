/** Memory of the service: idle, and after a long rush of leads. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openToRead } from '../src/store/engine/sqlite-file.ts'
import type { Case } from './case.ts'
import { openClient } from './client.ts'
import { residentMb } from './cpu-time.ts'
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
      const most = await rush(server)
      await sleep(settleMs)
      const after = residentMb(server.pid)
      const kept = countLeads(server)
      if (kept !== leads) throw new Error(`${kept} leads were kept of ${leads} acknowledged`)
      return [
        { what: 'idle', value: idle, unit: 'MB', goal: { atMost: 95, stretch: 75 } },
        {
          what: 'after the rush',
          value: after,
          unit: 'MB',
          goal: { atMost: 180, stretch: 140 },
          remark: `most during it ${most.toFixed(0)} MB`,
        },
      ]
    } finally {
      await server.stop()
    }
  },
}

/** Returns the most memory that was seen. */
async function rush({ port, pid }: ServerProcess): Promise<number> {
  const client = openClient(port, 64)
  let most = 0
  try {
    for (let sent = 0; sent < leads; sent += slice) {
      await client.send({ template: jsonLead, status: 200, count: slice })
      most = Math.max(most, residentMb(pid))
    }
  } finally {
    client.close()
  }
  return most
}

/** Shows at once that no two requests were the same lead, and that none was lost. */
function countLeads({ folder }: ServerProcess): number {
  const db = openToRead(join(folder, 'leads.sqlite'))
  try {
    return Number(db.prepare('select count(*) as n from lead').get()!['n'])
  } finally {
    db.close()
  }
}
