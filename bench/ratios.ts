/** The figures of a comparison with a reference server. Above 1 the subject is better. */
import type { Figure, Goal } from './case.ts'
import { compare } from './compare.ts'
import type { Contenders, Method } from './compare.ts'
import { median, quantile } from './median.ts'

/** CPU time per request, reference / subject. */
export async function cpuRatio(
  contenders: Contenders,
  method: Method,
  goal?: Goal,
): Promise<Figure> {
  const { value, costUs, rounds } = await measure(contenders, method)
  const remark = `${rounds} rounds`
  return { what: 'CPU, bare / ours', value, unit: 'x', goal, costUs, remark }
}

/** Leads per second, subject / reference. */
export async function throughputRatio(
  what: string,
  contenders: Contenders,
  method: Method,
  goal?: Goal,
): Promise<Figure> {
  const { value, costUs, rounds, latenciesMs } = await measure(contenders, method)
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(latenciesMs, share).toFixed(2))
  const perSecond = Math.round(1e6 / costUs.subject)
  const remark = `${perSecond} leads/s, p50 ${p50}, p99 ${p99} ms, ${rounds} rounds`
  return { what, value, unit: 'x', goal, costUs, remark }
}

async function measure(contenders: Contenders, method: Method) {
  const { referenceUs, subjectUs, latenciesMs } = await compare(contenders, method)
  return {
    value: median(referenceUs.map((cost, index) => cost / subjectUs[index]!)),
    costUs: { reference: median(referenceUs), subject: median(subjectUs) },
    rounds: referenceUs.length,
    latenciesMs,
  }
}
