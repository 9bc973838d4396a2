/** Every way in for a lead, each to a database of its own: what was told, and what was kept. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../../src/contract/check-fields.ts'
import { errors, type ErrorCode, type ErrorEnvelope } from '../../src/contract/errors.ts'
import { maxBodyBytes } from '../../src/contract/limits.ts'
import { contactPath, routes, thanksPath } from '../../src/contract/routes.ts'
import { tools } from '../../src/contract/tools.ts'
import { openSeal, readLongCookie } from '../../src/http/cookies.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { readSecret } from '../../src/store/secret.ts'
import { openTestApp, type TestAnswer, type TestApp, type TestRequest } from './app.ts'
import type { Cleaner } from './cleaner.ts'
import { newer, older, resultOf } from './mcp.ts'
import { startServiceProcess, temporaryFolder } from './service.ts'
import { readStored } from './stored.ts'
import { call } from './consult.ts'

export type Body = Readonly<Record<string, unknown>>

/** Received, and then its lead is found by its token; or not, and then why. */
export type Told = { message: string; token: string } | Refusal

/** `error` has as much of an error as this way tells. */
type Refusal = {
  error: Partial<ErrorEnvelope['error']>
  problems: readonly Pick<Problem, 'field'>[]
}

export type Way = {
  send(body: Body): Promise<Told>
  /** All that was kept, by token. */
  readLeads(): Promise<Map<string, Lead>>
}

const senders = {
  json: sendJson,
  'form, answered as JSON': sendForm,
  'form of a browser': sendAsBrowser,
  'MCP 2025-11-25': (app, body) => sendTool(app, older, body),
  'MCP 2026-07-28': (app, body) => sendTool(app, newer, body),
} as const satisfies Record<string, (app: TestApp, body: Body) => Promise<Told>>

export type WayName = keyof typeof senders | 'consult'

export const wayNames = [...Object.keys(senders), 'consult'] as WayName[]

const secret = Buffer.alloc(32, 7)

export async function openWay(t: Cleaner, name: WayName): Promise<Way> {
  if (name === 'consult') return openCommand(t)
  const app = openTestApp(t, { secret })
  return {
    send: (body) => senders[name](app, body),
    readLeads: async () => byToken(await app.store.listLeads({ limit: 1_000 }), secret),
  }
}

/** The real command as a function, because a process for each sending is dear, and the real service. */
async function openCommand(t: Cleaner): Promise<Way> {
  const dataDir = temporaryFolder(t)
  const service = await startServiceProcess({ dataDir })
  t.after(async () => void (await service.stop()))
  let drafts = 0
  return {
    async send(body) {
      const draft = join(dataDir, `draft-${(drafts += 1)}.json`)
      writeFileSync(draft, JSON.stringify(body))
      const { code, json } = await call('send', draft, '--yes', '--base-url', service.url)
      const told = readTold(json)
      assert.equal(code, exitOf(told))
      return told
    },
    async readLeads() {
      return byToken(readStored(join(dataDir, 'leads.sqlite')).leads, readSecret(dataDir))
    },
  }
}

function byToken(leads: readonly Lead[], key: Buffer): Map<string, Lead> {
  const leadIds = new LeadIds(key)
  return new Map(leads.map((lead) => [leadIds.tokenOf(lead.id), lead]))
}

async function sendJson(app: TestApp, body: Body): Promise<Told> {
  const headers = { 'content-type': 'application/json' }
  return readAnswer(await post(app, routes.lead.path, { headers, body: JSON.stringify(body) }))
}

async function sendForm(app: TestApp, body: Body): Promise<Told> {
  return readAnswer(await postForm(app, body, 'application/json'))
}

async function sendAsBrowser(app: TestApp, body: Body): Promise<Told> {
  const { status, headers, cookies } = await postForm(app, body, 'text/html,*/*;q=0.8')
  assert.equal(status, 303)
  const jar = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  if (headers['location'] === thanksPath) {
    return { message: '', token: /(?:^|; )receipt=(\w+)/.exec(jar)![1]! }
  }
  assert.equal(headers['location'], contactPath)
  const draft = openSeal(secret, 'draft').open(readLongCookie(jar, 'draft')!)!
  return { error: {}, problems: (JSON.parse(draft) as Pick<Refusal, 'problems'>).problems }
}

/** As far as a form can: a list as a name given several times, null not at all, the rest as text. */
function postForm(app: TestApp, body: Body, accept: string): Promise<TestAnswer> {
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== null)
      .map((one): [string, string] => [name, typeof one === 'string' ? one : JSON.stringify(one)]),
  )
  return post(app, routes.lead.path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept },
    body: new URLSearchParams(pairs).toString(),
  })
}

async function sendTool(app: TestApp, era: typeof older | typeof newer, body: Body): Promise<Told> {
  const params = { name: tools.submitConsultationLead.name, arguments: body }
  const answer = await post(app, routes.mcp.path, era('tools/call', params))
  const { error } = answer.json as { error?: { message: string } }
  if (error !== undefined) return { error: { message: error.message }, problems: [] }
  assert.equal(answer.status, 200)
  const { content, isError = false } = resultOf(answer)
  const told = readTold(JSON.parse(content[0]!.text))
  assert.equal('error' in told, isError)
  return told
}

/** With the limit of the server, which is not there. */
function post(app: TestApp, path: string, { headers = {}, body = '' }: TestRequest) {
  const isTooLarge = Buffer.byteLength(body) > maxBodyBytes
  return app.ask('POST', path, { headers, body: isTooLarge ? 'too-large' : body })
}

function readAnswer({ status, json }: TestAnswer): Told {
  const told = readTold(json)
  assert.equal(status, statusOf(told))
  return told
}

function readTold(json: unknown): Told {
  const { error } = json as Partial<ErrorEnvelope>
  if (error !== undefined) return { error, problems: error.details?.fields ?? [] }
  const { message, status_url: url } = json as { message: string; status_url: string }
  return { message, token: url.split('/').at(-1)! }
}

function statusOf(told: Told): number {
  return 'error' in told ? errors[told.error.code as ErrorCode].status : 200
}

function exitOf(told: Told): number {
  const status = statusOf(told)
  return status === 200 ? 0 : status === 422 ? 4 : 2
}
