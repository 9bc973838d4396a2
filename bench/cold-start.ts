/** From the spawn to the first answer, with the compile cache warm and the database there already. */
import type { Case } from './case.ts'
import { makeFolder, removeFolder } from './clear-away.ts'
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
    // Writes the compile cache, which happens at a clean stop.
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
        goal: { atMost: 2.2, stretch: 1.6 },
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
