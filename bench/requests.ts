/**
 * CPU time of a request, compared with a bare node:http server that sends the same answer. All cases
 * are measured in one run, in turn.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { floors, type Floor, type Group } from './case.ts'
import { compare, type Pair } from './compare.ts'
import { Client, expectStatus } from './load.ts'
import { makeFolder, programs, removeFolder, Server, type Settings } from './server.ts'
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

export const requests: Group = {
  cases: Object.fromEntries(Object.entries(kinds).map(([name, { meaning }]) => [name, meaning])),
  needsLinux: true,
  async measure({ names, scaled }) {
    const folder = makeFolder()
    try {
      const pairs = await toPairs(names, folder)
      const compared = await compare(pairs, {
        cost: 'cpu',
        connections: 32,
        warmUp: scaled(12_000),
        rounds: scaled(60),
        untimed: 200,
        timed: 1_000,
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
    } finally {
      removeFolder(folder)
    }
  },
}

/** Asks for each answer once, so that the bare server can send the same bytes. */
async function toPairs(names: readonly string[], folder: string): Promise<Pair[]> {
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
