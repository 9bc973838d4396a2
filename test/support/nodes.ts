/** Several nodes of the service, each a process of its own, on one PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleaner } from './cleaner.ts'
import { startServiceProcess, temporaryFolder } from './service.ts'
import type { RunningService } from './service.ts'

export type TestNode = {
  port(): number
  /** kill -9, and a new start. */
  crash(): Promise<void>
  /** What it says of itself to a tool on the machine. */
  readiness(): Promise<Readiness>
  stop(): Promise<void>
}

export type Readiness = {
  database: string
  spool: { depth: number; oldest_age_s: number; set_aside: number }
}

/** One after the other: the first makes the schema. */
export async function startNodes(t: Cleaner, databaseUrl: string, count: number) {
  const nodes: TestNode[] = []
  for (let number = 0; number < count; number += 1) nodes.push(await startNode(t, databaseUrl))
  return nodes
}

async function startNode(t: Cleaner, databaseUrl: string): Promise<TestNode> {
  const dataDir = temporaryFolder(t)
  const start = () => startServiceProcess({ dataDir, env: { DATABASE_URL: databaseUrl } })
  let service: RunningService = await start()
  let stopped = false
  t.after(() => service.stop('SIGKILL'))
  return {
    port: () => service.port,
    async crash() {
      await service.stop('SIGKILL')
      if (!stopped) service = await start()
    },
    async readiness() {
      const answer = await fetch(`${service.url}/readyz`)
      return (await answer.json()) as Readiness
    },
    async stop() {
      stopped = true
      await service.stop()
    },
  }
}

/** Waits until no node holds a lead back. */
export async function allDrained(nodes: readonly TestNode[], patienceMs = 60_000): Promise<void> {
  const endsAt = performance.now() + patienceMs
  for (;;) {
    const told = await Promise.all(nodes.map((node) => node.readiness()))
    if (told.every(({ database, spool }) => database === 'ok' && spool.depth === 0)) return
    if (performance.now() > endsAt) throw new Error(`not drained: ${JSON.stringify(told)}`)
    await sleep(20)
  }
}
