/** The service compared with other servers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgresServer } from '../test/support/postgres.ts'
import { quantile } from '../test/support/load.ts'
import { floors, type Figure, type Floor, type Group } from './case.ts'
import { compare, type Compared, type Method, type Pair } from './compare.ts'
import { Client, expectStatus } from './load.ts'
import { makeFolder, programs, Server, type Settings } from './server.ts'
import {
  formLead,
  health,
  jsonLead,
  markdownPage,
  mcpLead,
  page,
  type Template,
} from './templates.ts'

type Kind = {
  meaning: string
  program: readonly string[]
  template: Template
  floor?: Floor
}

const { service, stubbed } = programs

const kinds: Readonly<Record<string, Kind>> = {
  health: {
    meaning: 'GET /api/lead',
    program: service,
    template: health,
    floor: floors.health,
  },
  page: {
    meaning: 'the home page as a browser asks for it, compressed',
    program: service,
    template: page,
    floor: floors.page,
  },
  'page-markdown': {
    meaning: 'the home page as Markdown',
    program: service,
    template: markdownPage,
    floor: floors.page,
  },
  json: {
    meaning: 'a lead as JSON, store stubbed',
    program: stubbed,
    template: jsonLead,
    floor: floors.json,
  },
  form: {
    meaning: 'a lead as a form, store stubbed',
    program: stubbed,
    template: formLead,
    floor: floors.form,
  },
  mcp: {
    meaning: 'a lead by MCP, store stubbed; no floor',
    program: stubbed,
    template: mcpLead,
  },
}

/**
 * CPU time of a request, compared with a bare node:http server that sends the same answer. All cases
 * are measured in one run, in turn.
 */
export const requests: Group = {
  cases: Object.fromEntries(Object.entries(kinds).map(([name, { meaning }]) => [name, meaning])),
  async measure({ names, scaled }) {
    const compared = await compare(await toPairs(names), {
      cost: 'cpu',
      connections: 32,
      warmUp: scaled(12_000),
      rounds: scaled(60),
      budgetMs: 150_000,
    })
    return compared.map(({ name, ratio, referenceUs, subjectUs, rounds }) => ({
      case: name,
      what: 'CPU time, bare / ours',
      value: ratio,
      unit: 'x',
      floor: kinds[name]!.floor,
      remark: `${referenceUs.toFixed(0)} us bare, ${subjectUs.toFixed(0)} us ours, ${rounds} rounds`,
    }))
  },
}

/** Asks for each answer once, so that the bare server can send the same bytes. */
async function toPairs(names: readonly string[]): Promise<Pair[]> {
  const folder = makeFolder()
  const server = await Server.start(stubbed)
  const client = new Client(server.port, 1)
  try {
    // A page is compressed by then.
    await server.settle()
    const pairs: Pair[] = []
    for (const name of names) {
      const { template, program } = kinds[name]!
      const answer = await client.ask(template)
      expectStatus(answer, template)
      const settings = toBareSettings(answer, join(folder, name))
      const reference = { program: programs.bare, settings }
      pairs.push({ name, template, reference, subject: { program } })
    }
    return pairs
  } finally {
    client.close()
    await server.stop()
  }
}

function toBareSettings(answer: Buffer, file: string): Settings {
  const end = answer.indexOf('\r\n\r\n')
  const head = answer.toString('latin1', 0, end)
  writeFileSync(file, answer.subarray(end + 4))
  return {
    STATUS: head.split(' ')[1]!,
    CONTENT_TYPE: /^content-type: (.*)$/im.exec(head)?.[1] ?? 'text/plain',
    BODY_FILE: file,
  }
}

/** Leads per second that are committed and synced before the answer, on all cores. */
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
