/** What a lead costs, beside Express and Fastify with one insert: on SQLite and on PostgreSQL, through each door. */
import { quantile } from '../test/support/load.ts'
import { openPostgresServer } from '../test/support/postgres.ts'
import { floors, type Figure, type Floor, type Group } from './case.ts'
import { compare, type Compared, type Method, type Pair } from './compare.ts'
import { programs, type Settings } from './server.ts'
import { formLead, jsonLead, mcpLead, type Template } from './templates.ts'

const connections = [1, 16, 60]
/** Leads per second of ours / of Express, by the number of connections. */
const leadFloors: Readonly<Record<number, Floor>> = {
  1: floors.leads1,
  16: floors.leads16,
  60: floors.leads60,
}

/** Servers and client share all cores, as they would on one machine. */
function methodOf(scaled: (count: number) => number): Method {
  return { isPinned: false, warmUp: scaled(2_000), rounds: scaled(30), budgetMs: 300_000 }
}

export const leads: Group = {
  cases: {
    leads:
      'leads as JSON on SQLite at 1, 16 and 60 connections, beside Express and Fastify with one insert',
    doors: 'leads by form and by MCP beside the same as JSON to Express; no floor',
    postgres: 'leads as JSON on PostgreSQL, beside Express on PostgreSQL; no floor',
  },
  async measure({ names, scaled }) {
    const method = methodOf(scaled)
    const figures: Figure[] = []
    if (names.includes('leads')) {
      const pairs = connections.flatMap((count) => [
        onSqlite(count, jsonLead),
        {
          ...onSqlite(count, jsonLead),
          name: 'Fastify',
          reference: { program: programs.fastifyLeads },
        },
      ])
      const compared = await compare(pairs, method)
      figures.push(...compared.flatMap((one, index) => leadFigures(one, pairs[index]!.connections)))
    }
    if (names.includes('doors')) {
      const pairs = [formLead, mcpLead].map((template) => onSqlite(16, template))
      const compared = await compare(pairs, method)
      figures.push(toFigure(compared[0]!, 'doors', 'form, leads/s / Express'))
      figures.push(toFigure(compared[1]!, 'doors', 'MCP, leads/s / Express'))
    }
    if (names.includes('postgres')) figures.push(...(await measurePostgres(method)))
    return figures
  },
}

function onSqlite(count: number, template: Template): Pair {
  return toPair(count, template, {})
}

function toPair(count: number, template: Template, settings: Settings): Pair {
  return {
    name: 'Express',
    template,
    referenceTemplate: jsonLead,
    connections: count,
    timed: count === 1 ? 250 : 1_000,
    reference: { program: programs.express, settings },
    // The service fills its search a quarter of a second after the answer.
    subject: { program: programs.service, settings, restMs: 400 },
  }
}

async function measurePostgres(method: Method): Promise<Figure[]> {
  const server = await openPostgresServer({ durable: true })
  try {
    const settings = { DATABASE_URL: server.url }
    const compared = await compare([toPair(16, jsonLead, settings)], method)
    return [toFigure(compared[0]!, 'postgres', 'leads/s at 16, / Express')]
  } finally {
    await server.close()
  }
}

function leadFigures(compared: Compared, count: number): Figure[] {
  const measured = toFigure(compared, 'leads', `leads/s at ${count}, / ${compared.name}`)
  const remark = `${measured.remark}; ${compared.writtenKb.toFixed(0)} kB written a lead`
  if (compared.name !== 'Express') return [{ ...measured, remark }]
  const figure = { ...measured, remark, floor: leadFloors[count] }
  if (count > 1) return [figure]
  const p99: Figure = {
    case: 'leads',
    what: 'at 1, p99',
    value: quantile(compared.latenciesMs.subject, 0.99),
    unit: 'ms',
    floor: floors.leadMs,
    remark: `Express ${quantile(compared.latenciesMs.reference, 0.99).toFixed(1)} ms`,
  }
  return [figure, p99]
}

function toFigure(compared: Compared, caseName: string, what: string): Figure {
  const { name: other, reference, subject, ratio, rounds, latenciesMs } = compared
  const perSecond = ({ wallUs }: { wallUs: number }) => Math.round(1e6 / wallUs)
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(latenciesMs.subject, share).toFixed(1))
  const speeds = `${perSecond(subject)} leads/s, ${other} ${perSecond(reference)}`
  const cpu = `CPU ${subject.cpuUs.toFixed(0)} us a lead, ${other} ${reference.cpuUs.toFixed(0)}`
  const remark = `${speeds}; ${cpu}; p50 ${p50} ms, p99 ${p99} ms; ${rounds} rounds`
  return { case: caseName, what, value: ratio.wallUs, unit: 'x', remark }
}
