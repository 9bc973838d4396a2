/** What a page costs in CPU, compared with a bare node:http server that sends the very same bytes. */
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { againstBare } from './bare-cases.ts'
import type { Case, Goal } from './case.ts'
import { makeFolder, removeFolder } from './clear-away.ts'
import { programs } from './programs.ts'
import { page } from './requests.ts'
import { startServer } from './server-process.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const agent = 'text/markdown, text/html;q=0.9, */*;q=0.8'

type PageCase = {
  name: string
  meaning: string
  accept: string
  encoding: string
  status: 200 | 304
  log: 'on' | 'off'
  goal: Goal
}

const withLog: Goal = { atLeast: 0.75, stretch: 0.85 }
const withoutLog: Goal = { atLeast: 0.88, stretch: 0.95 }
const kinds = [
  { kind: 'html', accept: browser, encoding: 'identity', what: 'the home page as HTML' },
  { kind: 'br', accept: browser, encoding: 'gzip, deflate, br, zstd', what: 'the same as br' },
  { kind: 'markdown', accept: agent, encoding: 'identity', what: 'its twin' },
] as const

const table: readonly PageCase[] = [
  ...(['on', 'off'] as const).flatMap((log) =>
    kinds.map(({ kind, accept, encoding, what }) => ({
      name: log === 'on' ? `page-${kind}` : `page-${kind}-unlogged`,
      meaning: `${what}, negotiated, access log ${log}, against a bare server with the same bytes`,
      accept,
      encoding,
      status: 200 as const,
      log,
      goal: log === 'on' ? withLog : withoutLog,
    })),
  ),
  {
    name: 'page-304',
    meaning: 'a page that the client has already, against the bare server that sends it whole',
    accept: browser,
    encoding: 'identity',
    status: 304,
    log: 'on',
    goal: { atLeast: 0.9, stretch: 1 },
  },
]

export const pageCases: readonly Case[] = table.map((each) => ({
  name: each.name,
  meaning: each.meaning,
  needsLinux: true,
  run: async (effort) => {
    const folder = makeFolder()
    try {
      const { body, etag } = await fetchPage(each)
      const file = join(folder, 'body')
      writeFileSync(file, body)
      const known = each.status === 304 ? { known: etag } : {}
      const template = page({ accept: each.accept, encoding: each.encoding, ...known })
      const figure = await againstBare(
        { program: programs.bareBytes, settings: { BODY_FILE: file }, template, status: 200 },
        {
          program: programs.service,
          settings: { LOG_LEVEL: each.log === 'on' ? 'info' : 'warn' },
          template,
          status: each.status,
        },
        each.goal,
        effort,
      )
      return [{ ...figure, remark: `${figure.remark}, ${body.length} bytes` }]
    } finally {
      removeFolder(folder)
    }
  },
}))

/** From a service of its own, once its compressed forms are made. */
async function fetchPage({ accept, encoding }: PageCase): Promise<{ body: Buffer; etag: string }> {
  const server = await startServer(programs.service)
  try {
    for (;;) {
      const answer = await fetchOnce(server.port, { accept, 'accept-encoding': encoding })
      if (encoding === 'identity' || answer.encoding !== undefined) return answer
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    await server.stop()
  }
}

/** By node:http, which leaves the bytes as they are. */
function fetchOnce(port: number, headers: Record<string, string>) {
  return new Promise<{ body: Buffer; etag: string; encoding: string | undefined }>(
    (resolve, reject) => {
      get({ host: '127.0.0.1', port, path: '/', headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            body: Buffer.concat(chunks),
            etag: response.headers.etag ?? '',
            encoding: response.headers['content-encoding'],
          }),
        )
      }).on('error', reject)
    },
  )
}
