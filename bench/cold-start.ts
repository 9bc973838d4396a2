/** Time from spawn to first answer, with a warm compile cache and an existing database. */
import type { Case } from './case.ts'
import { makeFolder, removeFolder } from './cleanup.ts'
import { goals } from './goals.ts'
import { median } from './median.ts'
import { programs } from './programs.ts'
import type { Program } from './programs.ts'
import { startServer } from './server-process.ts'

const starts = 15

export const coldStart: Case = {
  name: 'cold-start',
  meaning: 'time to the first answer, against bare node:http',
  async run(effort) {
    const folder = makeFolder()
    const bareMs: number[] = []
    const oursMs: number[] = []
    // A clean stop writes the compile cache.
    await startAndStop(programs.service, folder)
    for (let round = 0; round < starts * effort; round += 1) {
      bareMs.push(await startAndStop(programs.bareFixed, folder))
      oursMs.push(await startAndStop(programs.service, folder))
    }
    removeFolder(folder)
    const [bare, ours] = [median(bareMs), median(oursMs)]
    return [
      {
        what: 'start, ours / bare',
        value: ours / bare,
        unit: 'x',
        goal: goals.coldStart,
        remark: `${bare.toFixed(0)} ms bare, ${ours.toFixed(0)} ms ours`,
      },
    ]
  },
}

async function startAndStop(program: Program, folder: string): Promise<number> {
  const server = await startServer(program, { folder })
  await server.stop()
  return server.startMs
}
