/**
 * Compares two servers: in each round both get the same load, in random order, and each round gives
 * one pair of costs. A busy machine slows both of a pair, so the median of the ratios is stable where
 * requests per second would vary twofold.
 */
import type { Client, Load } from './client.ts'
import { openClient } from './client.ts'
import { settledCpuNs } from './cpu-time.ts'
import { onClientCpu } from './pinning.ts'
import type { Program } from './programs.ts'
import { startServer } from './server-process.ts'
import type { ServerProcess, Settings } from './server-process.ts'

export type Contender = { program: Program; settings?: Settings } & Pick<
  Load,
  'template' | 'status'
>

export type Contenders = { reference: Contender; subject: Contender }

/** How both servers are loaded and what is counted. */
export type Method = {
  /** `cpu`: of all threads, servers on one core and the client on another. `wall`: on all cores. */
  cost: 'cpu' | 'wall'
  connections: number
  /** Requests to each server before the first round. */
  warmUp: number
  rounds: number
  /** Requests at the start of each slice that are not counted. */
  untimed: number
  timed: number
  /** No new round starts after this. */
  budgetMs: number
}

export type Compared = {
  /** Per request, one entry for each round. */
  referenceUs: number[]
  subjectUs: number[]
  /** Of the subject. */
  latenciesMs: number[]
}

const minRounds = 5
/** The service loads and compresses its site soon after the start. */
const settleMs = 2_000
const warmUpConnections = 32

export async function compare(contenders: Contenders, method: Method): Promise<Compared> {
  const pinned = method.cost === 'cpu'
  const start = ({ program, settings = {} }: Contender) =>
    startServer(program, { pinned, settings })
  const reference = await start(contenders.reference)
  try {
    const subject = await start(contenders.subject)
    try {
      await new Promise((resolve) => setTimeout(resolve, settleMs))
      const work = () =>
        runRounds(
          toSide(contenders.reference, reference, method.connections),
          toSide(contenders.subject, subject, method.connections),
          method,
        )
      return await (pinned ? onClientCpu(work) : work())
    } finally {
      await subject.stop()
    }
  } finally {
    await reference.stop()
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

async function runRounds(reference: Side, subject: Side, method: Method): Promise<Compared> {
  const { rounds, budgetMs } = method
  try {
    await warmUp(reference, method.warmUp)
    await warmUp(subject, method.warmUp)
    const startedAt = performance.now()
    let round = 0
    while (round < rounds && (round < minRounds || performance.now() - startedAt < budgetMs)) {
      const order = Math.random() < 0.5 ? [reference, subject] : [subject, reference]
      for (const side of order) await runSlice(method, side)
      round += 1
    }
    return {
      referenceUs: reference.costsUs,
      subjectUs: subject.costsUs,
      latenciesMs: subject.latenciesMs,
    }
  } finally {
    reference.client.close()
    subject.client.close()
  }
}

async function warmUp({ port, load }: Side, count: number): Promise<void> {
  const client = openClient(port, warmUpConnections)
  try {
    await client.send({ ...load, count })
  } finally {
    client.close()
  }
}

async function runSlice({ cost, untimed, timed }: Method, side: Side): Promise<void> {
  const { pid, client, load } = side
  await client.send({ ...load, count: untimed })
  const before = cost === 'cpu' ? await settledCpuNs(pid) : 0
  const { wallMs, latenciesMs } = await client.send({ ...load, count: timed })
  const spentUs = cost === 'cpu' ? ((await settledCpuNs(pid)) - before) / 1e3 : wallMs * 1e3
  side.costsUs.push(spentUs / timed)
  side.latenciesMs.push(...latenciesMs)
}
