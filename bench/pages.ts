/** What a page costs, beside Fastify that sends the same headers and bytes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Group } from './case.ts'
import { compare, type Pair } from './compare.ts'
import { Client, expectStatus } from './load.ts'
import { makeFolder, programs, Server, type Settings } from './server.ts'
import { health, markdownPage, page, type Template } from './templates.ts'

const kinds: Readonly<Record<string, { meaning: string; template: Template }>> = {
  health: { meaning: 'GET /api/lead; no floor', template: health },
  page: { meaning: 'the home page as a browser asks for it, compressed; no floor', template: page },
  'page-markdown': { meaning: 'the home page as Markdown; no floor', template: markdownPage },
}

export const pages: Group = {
  cases: Object.fromEntries(Object.entries(kinds).map(([name, { meaning }]) => [name, meaning])),
  async measure({ names, scaled }) {
    const compared = await compare(await toPairs(names), {
      isPinned: true,
      warmUp: scaled(12_000),
      rounds: scaled(60),
      budgetMs: 90_000,
    })
    return compared.map(({ name, ratio, reference, subject, rounds }) => ({
      case: name,
      what: 'CPU time, Fastify / ours',
      value: ratio.cpuUs,
      unit: 'x',
      remark: `${reference.cpuUs.toFixed(0)} us Fastify, ${subject.cpuUs.toFixed(0)} us ours, ${rounds} rounds`,
    }))
  },
}

/** Asks for each answer once, so that Fastify can send the same. */
async function toPairs(names: readonly string[]): Promise<Pair[]> {
  const folder = makeFolder()
  const server = await Server.start(programs.service)
  const client = new Client(server.port, 1)
  try {
    // A page is compressed by then.
    await server.settle()
    const pairs: Pair[] = []
    for (const name of names) {
      const { template } = kinds[name]!
      const answer = await client.ask(template)
      expectStatus(answer, template)
      const reference = {
        program: programs.fastify,
        settings: toSettings(answer, join(folder, name)),
      }
      const subject = { program: programs.service }
      pairs.push({ name, template, connections: 32, timed: 1_000, reference, subject })
    }
    return pairs
  } finally {
    client.close()
    await server.stop()
  }
}

/** Node and Fastify set these themselves. */
const ownHeaders = ['connection', 'content-length', 'date', 'keep-alive']

function toSettings(answer: Buffer, file: string): Settings {
  const end = answer.indexOf('\r\n\r\n')
  const [, ...lines] = answer.toString('latin1', 0, end).split('\r\n')
  writeFileSync(file, answer.subarray(end + 4))
  const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string])
  const sent = headers.filter(([name]) => !ownHeaders.includes(name.toLowerCase()))
  return { HEADERS: JSON.stringify(Object.fromEntries(sent)), BODY_FILE: file }
}
