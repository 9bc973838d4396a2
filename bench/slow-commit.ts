/** Latency of reads while every commit is slow. */
import type { Case } from './case.ts'
import { openClient } from './client.ts'
import { goals } from './goals.ts'
import { median, quantile } from './median.ts'
import { programs } from './programs.ts'
import { health, jsonLead } from './requests.ts'
import { startServer } from './server-process.ts'

const reads = 4_000
const maxPosts = 100_000

export const slowCommit: Case = {
  name: 'slow-commit',
  meaning: 'GET /api/lead while 2 connections post and every commit takes 20 ms longer',
  async run(effort) {
    const server = await startServer(programs.slowService)
    const reader = openClient(server.port, 1)
    const poster = openClient(server.port, 2)
    try {
      const read = async () =>
        (await reader.send({ template: health, status: 200, count: reads * effort })).latenciesMs
      await read()
      const idle = await read()
      const enough = new AbortController()
      const posting = poster.send({
        template: jsonLead,
        status: 200,
        count: maxPosts,
        signal: enough.signal,
      })
      const beside = await read().finally(() => enough.abort())
      const posted = await posting
      const share = (numbers: Float64Array, at: number) => quantile(numbers, at).toFixed(2)
      return [
        {
          what: 'GET p50',
          value: median(beside),
          unit: 'ms',
          goal: goals.slowCommitGetMs,
          remark: `p99 ${share(beside, 0.99)}; idle p50 ${share(idle, 0.5)}, p99 ${share(idle, 0.99)}; POST p50 ${share(posted.latenciesMs, 0.5)} ms`,
        },
      ]
    } finally {
      reader.close()
      poster.close()
      await server.stop()
    }
  },
}
