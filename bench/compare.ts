/**
 * Compares servers in pairs: in every round each of them gets the same load, the two of a pair one
 * right after the other in random order. A busy machine slows both of a pair, so the median of the
 * rounds' ratios is stable where requests per second would vary twofold.
 */
import { median } from '../test/support/load.ts'
import { Client } from './load.ts'
import { onClientCore, Server, type Settings } from './server.ts'
import type { Template } from './templates.ts'

export type Pair = {
  name: string
  template: Template
  reference: Contender
  subject: Contender
}

export type Contender = { program: readonly string[]; settings?: Settings }

export type Method = {
  /** `cpu`: of all threads, servers on one core and the client on another. `wall`: on all cores. */
  cost: 'cpu' | 'wall'
  connections: number
  /** Requests to each server before the first round. */
  warmUp: number
  rounds: number
  /** A slow disk makes rounds long: after this time no further round starts. */
  budgetMs: number
}

export type Compared = {
  name: string
  /** Cost of the reference / cost of the subject, the median of all rounds. Above 1 the subject is better. */
  ratio: number
  /** Medians per request. */
  referenceUs: number
  subjectUs: number
  rounds: number
  /** Of all requests to the subject that were counted. */
  latenciesMs: number[]
}

const minRounds = 5
/** Requests at the start of each slice that are not counted. */
const untimed = 200
const timed = 1_000

export async function compare(pairs: readonly Pair[], method: Method): Promise<Compared[]> {
  const sides: Side[] = []
  const open = async (pair: Pair, contender: Contender) => {
    const side = await Side.open(pair, contender, method)
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
    await (method.cost === 'cpu' ? onClientCore(run) : run())
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
  return {
    name,
    ratio: median(reference.costsUs.map((cost, round) => cost / subject.costsUs[round]!)),
    referenceUs: median(reference.costsUs),
    subjectUs: median(subject.costsUs),
    rounds: subject.costsUs.length,
    latenciesMs: subject.latenciesMs,
  }
}

/** A server of a pair with its client and what was measured of it. */
class Side {
  readonly server: Server
  readonly #client: Client
  readonly #pair: Pair
  readonly #method: Method
  /** Per request, one for each round. */
  readonly costsUs: number[] = []
  readonly latenciesMs: number[] = []

  static async open(pair: Pair, contender: Contender, method: Method): Promise<Side> {
    const { program, settings = {} } = contender
    const server = await Server.start(program, { settings, pinned: method.cost === 'cpu' })
    return new Side(server, pair, method)
  }

  private constructor(server: Server, pair: Pair, method: Method) {
    this.server = server
    this.#pair = pair
    this.#method = method
    this.#client = new Client(server.port, method.connections)
  }

  send(count: number) {
    return this.#client.send({ template: this.#pair.template, count })
  }

  async runSlice(): Promise<void> {
    const { cost } = this.#method
    await this.send(untimed)
    const before = cost === 'cpu' ? await this.server.settledCpuNs() : 0
    const { wallMs, latenciesMs } = await this.send(timed)
    const spentUs =
      cost === 'cpu' ? ((await this.server.settledCpuNs()) - before) / 1e3 : wallMs * 1e3
    this.costsUs.push(spentUs / timed)
    this.latenciesMs.push(...latenciesMs)
  }

  async close(): Promise<void> {
    this.#client.close()
    await this.server.stop()
  }
}
