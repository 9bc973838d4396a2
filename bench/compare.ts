/**
 * Compares servers in pairs: in every round each of them gets the same load, the two of a pair one
 * right after the other in random order. A busy machine slows both of a pair, so the median of the
 * rounds' ratios is stable where requests per second would vary twofold.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../test/support/load.ts'
import { Client } from './load.ts'
import { onClientCore, Server, type Settings } from './server.ts'
import type { Template } from './templates.ts'

export type Pair = {
  name: string
  template: Template
  /** The requests to the reference, if it understands other ones. */
  referenceTemplate?: Template
  connections: number
  /** Requests that are counted in each round. */
  timed: number
  reference: Contender
  subject: Contender
}

export type Contender = {
  program: readonly string[]
  settings?: Settings
  /** What the server does so long after its last answer counts as its CPU time, and slows no other. */
  restMs?: number
}

export type Method = {
  /** True: servers on one core and the client on another, which makes CPU times steady. */
  isPinned: boolean
  /** Requests to each server before the first round. */
  warmUp: number
  rounds: number
  /** A slow disk makes rounds long: after this time no further round starts. */
  budgetMs: number
}

/** Medians of all rounds, per request. */
export type Cost = { cpuUs: number; wallUs: number }

export type Compared = {
  name: string
  reference: Cost
  subject: Cost
  /** Cost of the reference / cost of the subject, the median of all rounds. Above 1 the subject is better. */
  ratio: Cost
  rounds: number
  /** Of all counted requests. */
  latenciesMs: { reference: number[]; subject: number[] }
  /** By the subject, for each request of all rounds. */
  writtenKb: number
}

const minRounds = 5
/** Requests at the start of each slice whose time is not counted. */
const untimed = 200

export async function compare(pairs: readonly Pair[], method: Method): Promise<Compared[]> {
  const sides: Side[] = []
  const open = async (pair: Pair, contender: Contender) => {
    const isReference = contender === pair.reference
    const template = (isReference ? pair.referenceTemplate : undefined) ?? pair.template
    const side = await Side.open({ ...pair, template }, contender, method)
    sides.push(side)
    return side
  }
  try {
    const opened: [Side, Side][] = []
    for (const pair of pairs) {
      opened.push([await open(pair, pair.reference), await open(pair, pair.subject)])
    }
    await Promise.all(sides.map(({ server }) => server.settle()))
    const run = () => runRounds(opened, method)
    await (method.isPinned ? onClientCore(run) : run())
    return pairs.map(({ name }, at) => summarize(name, opened[at]!))
  } finally {
    for (const side of sides) await side.close()
  }
}

async function runRounds(pairs: readonly [Side, Side][], method: Method): Promise<void> {
  const { warmUp, rounds, budgetMs } = method
  for (const side of pairs.flat()) await side.send(warmUp)
  const startedAt = performance.now()
  for (let round = 0; round < rounds; round += 1) {
    if (round >= minRounds && performance.now() - startedAt > budgetMs) return
    for (const pair of pairs) {
      const order = Math.random() < 0.5 ? pair : pair.toReversed()
      for (const side of order) await side.runSlice()
    }
  }
}

function summarize(name: string, [reference, subject]: [Side, Side]): Compared {
  const ratioOf = (cost: keyof Cost) =>
    median(reference.costs.map((one, round) => one[cost] / subject.costs[round]![cost]))
  return {
    name,
    reference: reference.median(),
    subject: subject.median(),
    ratio: { cpuUs: ratioOf('cpuUs'), wallUs: ratioOf('wallUs') },
    rounds: subject.costs.length,
    latenciesMs: { reference: reference.latenciesMs, subject: subject.latenciesMs },
    writtenKb: subject.writtenKb / subject.sent,
  }
}

/** A server of a pair with its client and what was measured of it. */
class Side {
  readonly server: Server
  readonly #client: Client
  readonly #pair: Pair
  readonly #restMs: number
  /** One for each round. */
  readonly costs: Cost[] = []
  readonly latenciesMs: number[] = []
  /** In all rounds. */
  sent = 0
  writtenKb = 0

  static async open(pair: Pair, contender: Contender, method: Method): Promise<Side> {
    const { program, settings = {}, restMs = 0 } = contender
    const server = await Server.start(program, { settings, pinned: method.isPinned })
    return new Side(server, pair, restMs)
  }

  private constructor(server: Server, pair: Pair, restMs: number) {
    this.server = server
    this.#pair = pair
    this.#restMs = restMs
    this.#client = new Client(server.port, pair.connections)
  }

  send(count: number) {
    return this.#client.send({ template: this.#pair.template, count })
  }

  async runSlice(): Promise<void> {
    const { timed } = this.#pair
    const first = Math.min(untimed, timed)
    const before = await this.server.settledCpuNs()
    const writtenBefore = this.server.writtenKb()
    await this.send(first)
    const { wallMs, latenciesMs } = await this.send(timed)
    await sleep(this.#restMs)
    const cpuNs = (await this.server.settledCpuNs()) - before
    this.costs.push({ cpuUs: cpuNs / 1e3 / (first + timed), wallUs: (wallMs * 1e3) / timed })
    this.latenciesMs.push(...latenciesMs)
    this.sent += first + timed
    this.writtenKb += this.server.writtenKb() - writtenBefore
  }

  median(): Cost {
    return {
      cpuUs: median(this.costs.map(({ cpuUs }) => cpuUs)),
      wallUs: median(this.costs.map(({ wallUs }) => wallUs)),
    }
  }

  async close(): Promise<void> {
    this.#client.close()
    await this.server.stop()
  }
}
