/**
 * Two servers side by side: rounds in which both get the same load, in random order. The figure is
 * the median over the rounds of what a request cost the reference, divided by what it cost the
 * subject: above 1 the subject is cheaper. A busy machine slows both of a pair, so the ratio holds
 * where a number of requests per second would swing twofold.
 */
import type { Client, Load } from './client.ts'
import { openClient } from './client.ts'
import { settledCpuNs } from './cpu-time.ts'
import { median } from './median.ts'
import { onClientCpu } from './pinning.ts'
import type { Program } from './programs.ts'
import { startServer } from './server-process.ts'
import type { ServerProcess, Settings } from './server-process.ts'

export type Contender = { program: Program; settings?: Settings } & Pick<
  Load,
  'template' | 'status'
>

export type Comparison = {
  reference: Contender
  subject: Contender
  /** `cpu`: of all threads, each server and the client on a core of its own. `wall`: on all cores. */
  cost: 'cpu' | 'wall'
  connections: number
  warmUp: number
  rounds: number
  untimed: number
  timed: number
  /** No new round after this. */
  budgetMs: number
}

export type Compared = {
  ratio: number
  costUs: { reference: number; subject: number }
  rounds: number
  /** Of the subject. */
  latenciesMs: number[]
}

const leastRounds = 5
/** The service loads its site, and compresses it, soon after its start. */
const settleMs = 2_000
const warmUpConnections = 32

export async function compare(comparison: Comparison): Promise<Compared> {
  const pinned = comparison.cost === 'cpu'
  const start = ({ program, settings = {} }: Contender) =>
    startServer(program, { pinned, settings })
  const reference = await start(comparison.reference)
  try {
    const subject = await start(comparison.subject)
    try {
      await new Promise((resolve) => setTimeout(resolve, settleMs))
      const work = () => runRounds(comparison, reference, subject)
      return await (pinned ? onClientCpu(work) : work())
    } finally {
      await subject.stop()
    }
  } finally {
    await reference.stop()
  }
}

async function runRounds(
  comparison: Comparison,
  referenceServer: ServerProcess,
  subjectServer: ServerProcess,
): Promise<Compared> {
  const { connections, rounds, budgetMs } = comparison
  const reference = toSide(comparison.reference, referenceServer, connections)
  const subject = toSide(comparison.subject, subjectServer, connections)
  try {
    await warmUp(reference, comparison.warmUp)
    await warmUp(subject, comparison.warmUp)
    const startedAt = performance.now()
    let round = 0
    while (round < rounds && (round < leastRounds || performance.now() - startedAt < budgetMs)) {
      const order = Math.random() < 0.5 ? [reference, subject] : [subject, reference]
      for (const side of order) await runSlice(comparison, side)
      round += 1
    }
    return {
      ratio: median(reference.costsUs.map((cost, index) => cost / subject.costsUs[index]!)),
      costUs: { reference: median(reference.costsUs), subject: median(subject.costsUs) },
      rounds: round,
      latenciesMs: subject.latenciesMs,
    }
  } finally {
    reference.client.close()
    subject.client.close()
  }
}

type Side = {
  pid: number
  port: number
  client: Client
  load: Pick<Load, 'template' | 'status'>
  costsUs: number[]
  latenciesMs: number[]
}

function toSide(load: Side['load'], { pid, port }: ServerProcess, connections: number): Side {
  return { pid, port, client: openClient(port, connections), load, costsUs: [], latenciesMs: [] }
}

async function warmUp({ port, load }: Side, count: number): Promise<void> {
  const client = openClient(port, warmUpConnections)
  try {
    await client.send({ ...load, count })
  } finally {
    client.close()
  }
}

async function runSlice({ cost, untimed, timed }: Comparison, side: Side): Promise<void> {
  const { pid, client, load } = side
  await client.send({ ...load, count: untimed })
  const before = cost === 'cpu' ? await settledCpuNs(pid) : 0
  const { wallMs, latenciesMs } = await client.send({ ...load, count: timed })
  const spentUs = cost === 'cpu' ? ((await settledCpuNs(pid)) - before) / 1e3 : wallMs * 1e3
  side.costsUs.push(spentUs / timed)
  side.latenciesMs.push(...latenciesMs)
}
