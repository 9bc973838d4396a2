/** The process of the service: its pages while commits are slow, its start and its memory. */
import { join } from 'node:path'
import { median, quantile } from '../test/support/load.ts'
import { residentMb } from '../test/support/service.ts'
import { floors, type Group } from './case.ts'
import { Client } from './load.ts'
import { makeFolder, programs, Server } from './server.ts'
import { health, jsonLead } from './templates.ts'

export const slowCommit: Group = {
  cases: {
    'slow-commit': 'GET /api/lead while 2 connections post and every commit takes 20 ms longer',
  },
  async measure({ scaled }) {
    const server = await Server.start(programs.slowCommits)
    const reader = new Client(server.port, 1)
    const poster = new Client(server.port, 2)
    try {
      await server.settle()
      const read = async () =>
        (await reader.send({ template: health, count: scaled(4_000) })).latenciesMs
      await read()
      const enough = new AbortController()
      const posting = poster.send({
        template: jsonLead,
        count: Number.POSITIVE_INFINITY,
        signal: enough.signal,
      })
      const beside = await read().finally(() => enough.abort())
      const posted = await posting
      const p99 = quantile(beside, 0.99).toFixed(2)
      const remark = `p99 ${p99} ms; POST p50 ${median(posted.latenciesMs).toFixed(0)} ms`
      const floor = floors.slowCommitGetMs
      const value = median(beside)
      return [{ case: 'slow-commit', what: 'GET, p50', value, unit: 'ms', floor, remark }]
    } finally {
      reader.close()
      poster.close()
      await server.stop()
    }
  },
}

export const start: Group = {
  cases: { start: 'time from the spawn to the first answer, with a database and compiled code' },
  async measure({ scaled }) {
    const folder = makeFolder()
    const settings = { DATA_DIR: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') }
    const startMs = async () => {
      const server = await Server.start(programs.service, { settings })
      await server.stop()
      return server.startMs
    }
    // The first start creates the database; its end writes the compiled code.
    const firstMs = await startMs()
    const laterMs: number[] = []
    for (let round = 0; round < scaled(15); round += 1) laterMs.push(await startMs())
    const remark = `the first, which creates both: ${firstMs.toFixed(0)} ms`
    const value = median(laterMs)
    return [{ case: 'start', what: 'p50', value, unit: 'ms', floor: floors.startMs, remark }]
  },
}

const leads = 100_000

export const memory: Group = {
  cases: { memory: `resident memory, idle and after ${leads} durable leads` },
  async measure({ scaled }) {
    const server = await Server.start(programs.service)
    const client = new Client(server.port, 64)
    try {
      await server.settle()
      const idle = residentMb(server.pid)
      let peak = idle
      for (let sent = 0; sent < scaled(leads); sent += 5_000) {
        await client.send({ template: jsonLead, count: 5_000 })
        peak = Math.max(peak, residentMb(server.pid))
      }
      await server.settle()
      const after = residentMb(server.pid)
      const remark = `peak ${peak} MB`
      return [
        { case: 'memory', what: 'idle', value: idle, unit: 'MB' },
        {
          case: 'memory',
          what: 'after the leads',
          value: after,
          unit: 'MB',
          remark,
        },
      ]
    } finally {
      client.close()
      await server.stop()
    }
  },
}
