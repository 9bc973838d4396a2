/** Several nodes of the service, each a process of its own, on one PostgreSQL. */
import type { Cleaner } from './cleaner.ts'
import { startServiceProcess, temporaryFolder, type RunningService } from './service.ts'
import { until } from './until.ts'

export type TestNode = {
  port(): number
  /** kill -9, and a new start. */
  crash(): Promise<void>
  /** What it says of itself to a tool on the machine. */
  readiness(): Promise<Readiness>
  /** What it has logged since its last start. */
  lines(): string[]
  stop(): Promise<void>
}

export type Readiness = {
  database: string
  journal: { leads: number; oldest_age_s: number; refused: boolean }
}

/** One after the other: the first makes the schema. */
export async function startNodes(t: Cleaner, databaseUrl: string, count: number) {
  const nodes: TestNode[] = []
  for (let number = 0; number < count; number += 1) nodes.push(await startNode(t, databaseUrl))
  return nodes
}

async function startNode(t: Cleaner, databaseUrl: string): Promise<TestNode> {
  const dataDir = temporaryFolder(t)
  const env = { DATABASE_URL: databaseUrl }
  const start = () => startServiceProcess({ dataDir, env })
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
    lines: () => service.lines,
    async stop() {
      stopped = true
      await service.stop()
    },
  }
}

/** Waits until no node has a lead in its journal. */
export async function allReplayed(nodes: readonly TestNode[]): Promise<void> {
  await until(async () => {
    const told = await Promise.all(nodes.map((node) => node.readiness()))
    return told.every(({ database, journal }) => database === 'ok' && journal.leads === 0)
  }, 'all journals are replayed')
}
