/** Compares the service of this checkout with that of another one. */
import type { AgainstCase } from './against-cases.ts'
import type { Effort, Goal } from './case.ts'
import { compare } from './compare.ts'
import type { Contender, Method } from './compare.ts'
import { goals } from './goals.ts'
import { median, quantile } from './median.ts'
import { cpuMethod, durableCpuMethod, durableWallMethod } from './methods.ts'
import { startDatabases } from './postgres.ts'
import { here } from './programs.ts'
import type { Checkout } from './programs.ts'

export type AgainstFigure = {
  what: 'CPU us' | 'leads/s'
  here: number
  there: number
  /** here / there: the geometric mean over the starts. */
  value: number
  /** The quartiles of here / there over all rounds. */
  spread: [number, number]
  goal?: Goal
  rounds: number
  /** For each start of both servers, the median of here / there over its rounds. */
  starts: number[]
}

type Sides = { ours: Contender; theirs: Contender }

/**
 * Two processes of the same code differ by up to 5 %, and the server that starts second is a little
 * cheaper. So the rounds are spread over several starts, with the order of the servers alternating.
 */
const starts = 6

export async function runAgainst(
  { contender, store }: AgainstCase,
  there: Checkout,
  effort: Effort,
): Promise<AgainstFigure[]> {
  const sides = { ours: await contender(here), theirs: await contender(there) }
  if (store === undefined) return [await compareCpu(sides, cpuMethod(effort))]
  if (store === 'sqlite') return compareDurable(sides, effort)
  const databases = await startDatabases(['here', 'there'])
  try {
    const [ours, theirs] = databases.settings
    return await compareDurable(
      {
        ours: { ...sides.ours, settings: ours! },
        theirs: { ...sides.theirs, settings: theirs! },
      },
      effort,
    )
  } finally {
    await databases.close()
  }
}

async function compareDurable(sides: Sides, effort: Effort): Promise<AgainstFigure[]> {
  return [
    await compareCpu(sides, durableCpuMethod(64, effort)),
    await compareThroughput(sides, durableWallMethod(64, effort)),
  ]
}

async function compareCpu(sides: Sides, method: Method): Promise<AgainstFigure> {
  const costs = await compareStarts(sides, method)
  return { ...toFigure('CPU us', costs), goal: goals.against }
}

/** Not judged, because the disk is shared. */
async function compareThroughput(sides: Sides, method: Method): Promise<AgainstFigure> {
  const costs = await compareStarts(sides, method)
  const perSecond = costs.map(({ ours, theirs }) => ({
    ours: ours.map((us) => 1e6 / us),
    theirs: theirs.map((us) => 1e6 / us),
  }))
  return toFigure('leads/s', perSecond)
}

/** Of one start, with one entry for each round. */
type Rounds = { ours: number[]; theirs: number[] }

async function compareStarts({ ours, theirs }: Sides, method: Method): Promise<Rounds[]> {
  const part = {
    ...method,
    rounds: Math.ceil(method.rounds / starts),
    budgetMs: method.budgetMs / starts,
  }
  const costs: Rounds[] = []
  for (let start = 0; start < starts; start += 1) {
    if (start % 2 === 0) {
      const { referenceUs, subjectUs } = await compare({ reference: theirs, subject: ours }, part)
      costs.push({ ours: subjectUs, theirs: referenceUs })
    } else {
      const { referenceUs, subjectUs } = await compare({ reference: ours, subject: theirs }, part)
      costs.push({ ours: referenceUs, theirs: subjectUs })
    }
  }
  return costs
}

function toFigure(what: AgainstFigure['what'], costs: readonly Rounds[]): AgainstFigure {
  const ratios = costs.map(({ ours, theirs }) => ours.map((cost, at) => cost / theirs[at]!))
  const all = ratios.flat()
  const medians = ratios.map(median)
  return {
    what,
    here: median(costs.flatMap(({ ours }) => ours)),
    there: median(costs.flatMap(({ theirs }) => theirs)),
    value: geometricMean(medians),
    spread: [quantile(all, 0.25), quantile(all, 0.75)],
    rounds: all.length,
    starts: medians,
  }
}

function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}
