/** Leads per second that are committed and synced before the answer, 64 at a time, on all cores. */
import { openPostgresServer } from '../test/support/postgres.ts'
import { quantile } from '../test/support/quantile.ts'
import { floors, type Figure, type Group } from './case.ts'
import { compare, type Compared, type Method, type Pair } from './compare.ts'
import { programs } from './server.ts'
import { jsonLead } from './templates.ts'

export const durable: Group = {
  cases: {
    durable: 'leads per second on SQLite, against one transaction for each lead',
    postgres: 'leads per second on PostgreSQL, against SQLite; no floor',
  },
  async measure({ names, scaled }) {
    const method: Method = {
      cost: 'wall',
      connections: 64,
      warmUp: scaled(3_000),
      rounds: scaled(40),
      untimed: 200,
      timed: 1_000,
      budgetMs: 30_000,
    }
    const figures: Figure[] = []
    if (names.includes('durable')) {
      const [compared] = await compare([againstOneByOne], method)
      figures.push({ ...toFigure(compared!, 'leads/s, ours / one by one'), floor: floors.durable })
    }
    if (names.includes('postgres')) {
      const server = await openPostgresServer({ durable: true })
      try {
        const [compared] = await compare([againstSqlite(server.url)], method)
        figures.push(toFigure(compared!, 'leads/s, / SQLite'))
      } finally {
        await server.close()
      }
    }
    return figures
  },
}

const againstOneByOne: Pair = {
  name: 'durable',
  template: jsonLead,
  reference: { program: programs.oneByOne },
  subject: { program: programs.service },
}

function againstSqlite(databaseUrl: string): Pair {
  return {
    name: 'postgres',
    template: jsonLead,
    reference: { program: programs.service },
    subject: { program: programs.service, settings: { DATABASE_URL: databaseUrl } },
  }
}

function toFigure({ name, ratio, subjectUs, rounds, latenciesMs }: Compared, what: string): Figure {
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(latenciesMs, share).toFixed(1))
  const perSecond = Math.round(1e6 / subjectUs)
  const remark = `${perSecond} leads/s, p50 ${p50} ms, p99 ${p99} ms, ${rounds} rounds`
  return { case: name, what, value: ratio, unit: 'x', remark }
}
