import assert from 'node:assert/strict'
import test from 'node:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unlistedLimits, maxBodyBytes } from '../../src/contract/limits.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import type { Problem } from '../../src/contract/check-fields.ts'
import { errors, type ErrorCode, type ErrorEnvelope } from '../../src/contract/errors.ts'
import { contactPath, routes, thanksPath } from '../../src/contract/routes.ts'
import { tools } from '../../src/contract/tools.ts'
import { createSeal, readLongCookie } from '../../src/http/cookies.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { readSecret } from '../../src/store/secret.ts'
import { bot, mai, robin, sam } from '../support/leads.ts'
import { openTestApp, type TestAnswer, type TestApp, type TestRequest } from '../support/app.ts'
import { newer, older, resultOf } from '../support/mcp.ts'
import { temporaryFolder, type Cleaner } from '../support/service.ts'
import { startServiceHere } from '../support/service-here.ts'
import { readStored } from '../support/stored.ts'
import { call } from '../support/consult.ts'

type Body = Readonly<Record<string, unknown>>

/** Received, and then its lead is found by its token; or not, and then why. */
type Told = { message: string; token: string } | Refusal

/** `error` has as much of an error as this way tells. */
type Refusal = {
  error: Partial<ErrorEnvelope['error']>
  problems: readonly Pick<Problem, 'field'>[]
}

type Way = {
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

type WayName = keyof typeof senders | 'consult'

const wayNames = [...Object.keys(senders), 'consult'] as WayName[]

const secret = Buffer.alloc(32, 7)

async function openWay(t: Cleaner, name: WayName): Promise<Way> {
  if (name === 'consult') return openCommand(t)
  const app = openTestApp(t, { secret })
  return {
    send: (body) => senders[name](app, body),
    readLeads: async () => byToken(await app.store.views.list({ limit: 1_000 }), secret),
  }
}

/** The real command as a function, because a process for each sending is dear, and the real service. */
async function openCommand(t: Cleaner): Promise<Way> {
  const dataDir = temporaryFolder(t)
  const service = await startServiceHere(t, { dataDir })
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
  const draft = createSeal(secret, 'draft').open(readLongCookie(jar, 'draft')!)!
  return { error: {}, problems: (JSON.parse(draft) as Pick<Refusal, 'problems'>).problems }
}

/** A form carries a list as a name given several times, null not at all, the rest as text. */
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

/** No server is here to refuse a body past its limit. */
function post(app: TestApp, path: string, { headers = {}, body = '' }: TestRequest) {
  const isTooLarge = typeof body === 'string' && Buffer.byteLength(body) > maxBodyBytes
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

type Row = {
  what: string
  sends: readonly Body[]
  /** What becomes of each: the state of a new lead, `same` as before, or the error with its fields. */
  verdict: string
  except?: readonly Exception[]
}

/** A way in that cannot carry it, and what happens instead. */
type Exception = {
  by: readonly WayName[]
  because: string
  verdict: string
  /** What the last lead was kept with. */
  kept?: Partial<Lead['values'] & Pick<Lead, 'unlisted' | 'botcheck'>>
}

const browser = 'form of a browser'
const forms: WayName[] = ['form, answered as JSON', browser]
const tool: WayName[] = ['MCP 2025-11-25', 'MCP 2026-07-28']

const noTypes = { by: forms, because: 'a form has nothing but texts' }
const noNesting = { by: forms, because: 'a form has no objects, so they go as JSON text' }
const aNonce = {
  by: forms,
  because: 'the key in a form is its nonce: other words in the same form are another lead',
}

const people: Row[] = [
  { what: 'somebody who fills in everything', sends: [robin], verdict: 'new' },
  { what: 'somebody who gives only what is asked for', sends: [sam], verdict: 'new' },
  {
    what: 'an agent with details of its own',
    sends: [mai],
    verdict: 'new',
    except: [
      {
        ...noNesting,
        verdict: 'new',
        kept: {
          unlisted: String.raw`{"agent":"{\"name\":\"helper\",\"version\":\"2.1\"}","preferred_days":"Friday"}`,
        },
      },
    ],
  },
  { what: 'a bot', sends: [bot], verdict: 'held' },
  {
    what: 'a person whose browser fills in the trap',
    sends: [{ ...robin, textarea_1: 'With autofill.', botcheck: 'Australia' }],
    verdict: 'new',
  },
]

const names: Row[] = [
  { what: 'nothing at all', sends: [{}], verdict: 'VALIDATION_ERROR name_1 email_1' },
  refused('no name', { email_1: sam.email_1 }, 'name_1'),
  refused('an empty name', { ...sam, name_1: '' }, 'name_1'),
  refused('a name of blanks', { ...sam, name_1: ' \t\u00a0\u3000\n' }, 'name_1'),
  refused('a name too long by one', { ...sam, name_1: 'x'.repeat(201) }, 'name_1'),
  taken('a name between blanks', { ...sam, name_1: '\r\n  Sam\u0000\u0008 Example \t' }),
  {
    ...refused('a name that is a number', { ...sam, name_1: 7 }, 'name_1'),
    except: [{ ...noTypes, verdict: 'new', kept: { name: '7' } }],
  },
  refused('a name that is null', { ...sam, name_1: null }, 'name_1'),
]

const emails: Row[] = [
  refused('no email', { name_1: 'Sam' }, 'email_1'),
  ...['', 'sam@example', 'sam@example.com\nbcc: robin@example.com'].map((email_1) =>
    refused(`the email ${JSON.stringify(email_1)}`, { ...sam, email_1 }, 'email_1'),
  ),
  taken('an email in capitals, between blanks', { ...sam, email_1: ' SAM+Deck@Example.COM ' }),
]

const otherFields: Row[] = [
  taken('zeros in front', { ...sam, phone_1: '0491570006', text_1: '0800' }),
  refused('a phone too long by one', { ...sam, phone_1: '0'.repeat(41) }, 'phone_1'),
  {
    ...refused('a phone that is a number', { ...sam, phone_1: 491570006 }, 'phone_1'),
    except: [{ ...noTypes, verdict: 'new', kept: { phone: '491570006' } }],
  },
  taken('a postcode that is null', { ...sam, name_1: 'Null', text_1: null }),
  refused('a message too long by one', { ...sam, textarea_1: 'x'.repeat(10_001) }, 'textarea_1'),
  // JSON carries the halves; a browser sends U+FFFD for each, which is what the others are kept as.
  taken('halves of surrogate pairs', { ...sam, textarea_1: 'half \ud83d, other half \udeb5' }),
  taken('markup', { ...sam, textarea_1: `<b>"&amp;'</b>%00+%zz\\u0041 '; drop table lead;--` }),
  {
    what: 'many links',
    sends: [{ ...sam, textarea_1: 'https://example.com/ '.repeat(5) }],
    verdict: 'held',
  },
  {
    what: 'everything wrong at once',
    sends: [
      {
        name_1: '',
        email_1: 'sam',
        phone_1: '0'.repeat(41),
        text_1: '0'.repeat(17),
        textarea_1: 'x'.repeat(10_001),
      },
    ],
    verdict: 'VALIDATION_ERROR name_1 email_1 phone_1 text_1 textarea_1',
  },
]

const unlisted: Row[] = [
  taken('unlisted texts', { ...sam, colour: ' grey\r\n', 'name 2': '0', constructor: '' }),
  refused('one too many', { ...sam, ...many(unlistedLimits.fields + 1) }, '(unlisted fields)'),
  refused('too much of them', { ...sam, note: 'x'.repeat(16_385) }, '(unlisted fields)'),
  {
    ...refused('nested too deep', { ...sam, nest: nested(17) }, '(unlisted fields)'),
    except: [
      { ...noNesting, verdict: 'new', kept: { unlisted: JSON.stringify({ nest: deepText(17) }) } },
    ],
  },
  {
    ...refused('a number that JSON would round', { ...sam, size: 2 ** 60 }, '(unlisted fields)'),
    except: [
      { ...noNesting, verdict: 'new', kept: { unlisted: JSON.stringify({ size: `${2 ** 60}` }) } },
    ],
  },
  {
    ...refused('two inner names', { ...sam, it: { a: 1, ' a': 2 } }, '(unlisted fields)'),
    except: [
      {
        ...noNesting,
        verdict: 'new',
        kept: { unlisted: JSON.stringify({ it: '{"a":1," a":2}' }) },
      },
    ],
  },
  {
    what: 'a body past 64 KiB',
    sends: [{ ...sam, note: 'x'.repeat(70_000) }],
    verdict: 'PAYLOAD_TOO_LARGE',
    except: [
      { by: tool, because: 'no message was read, so none is answered', verdict: 'refused' },
      { by: [browser], because: 'a page shows problems only', verdict: 'refused (body)' },
    ],
  },
]

const traps: Row[] = [
  taken('an empty trap', { ...sam, name_1: 'Empty', botcheck: '' }),
  {
    what: 'a trap that is true',
    sends: [{ ...sam, name_1: 'Trapped', botcheck: true }],
    verdict: 'held',
    except: [{ ...noTypes, verdict: 'held', kept: { botcheck: 'true' } }],
  },
]

const keyed = { ...robin, idempotency_key: 'k-1' }
const keys: Row[] = [
  { what: 'the same again with its key', sends: [keyed, keyed], verdict: 'new, same' },
  {
    what: 'a key used for something else',
    sends: [
      { ...keyed, idempotency_key: 'k-2', textarea_1: 'Some words.' },
      { ...keyed, idempotency_key: 'k-2', textarea_1: 'Other words.' },
    ],
    verdict: 'new, IDEMPOTENCY_KEY_REUSED',
    except: [{ ...aNonce, verdict: 'new, new', kept: { message: 'Other words.' } }],
  },
  {
    what: 'the same again without a key',
    sends: ['', ' '].map((blank) => ({ ...robin, name_1: `Again${blank}` })),
    verdict: 'new, same',
    except: [
      {
        by: ['consult'],
        because: 'each command has a key of its own, unless the draft or an option gives one',
        verdict: 'new, new',
      },
    ],
  },
  refused('a key too long by one', { ...sam, idempotency_key: 'k'.repeat(256) }, 'idempotency_key'),
]

const rows = [...people, ...names, ...emails, ...otherFields, ...unlisted, ...traps, ...keys]

test(
  'every way in gives the same answers and keeps the same leads [2.1.same]',
  { concurrency: true },
  async (t) => {
    assert.ok(rows.length >= 30)
    const byJson = await sendAll(await openWay(t, 'json'))
    const compareAll = (name: WayName, outcomes: readonly Outcome[]) => {
      for (const [index, row] of rows.entries()) {
        compare({ row, name, outcome: outcomes[index]!, expected: byJson[index]! })
      }
    }
    compareAll('json', byJson)
    const others = wayNames.filter((name) => name !== 'json')
    const compared = others.map((name) =>
      t.test(name, async (each) => compareAll(name, await sendAll(await openWay(each, name)))),
    )
    await Promise.all(compared)
  },
)

type Outcome = { verdict: string; told: Told[]; kept: Lead[] }

async function sendAll(way: Way): Promise<Outcome[]> {
  const told: Told[][] = rows.map(() => [])
  const waiting = rows.entries()
  const work = async () => {
    for (const [index, { sends }] of waiting) {
      for (const body of sends) told[index]!.push(await way.send(body))
    }
  }
  await Promise.all([work(), work(), work(), work()])
  const leads = await way.readLeads()
  const outcomes = told.map((answers) => toOutcome(answers, leads))
  assert.equal(leads.size, outcomes.flatMap(({ kept }) => kept).length)
  return outcomes
}

function toOutcome(told: Told[], leads: ReadonlyMap<string, Lead>): Outcome {
  const seen = new Map<string, Lead>()
  const verdicts = told.map((answer) => {
    if ('error' in answer) {
      return [answer.error.code ?? 'refused', ...answer.problems.map(({ field }) => field)].join(
        ' ',
      )
    }
    if (seen.has(answer.token)) return 'same'
    const lead = leads.get(answer.token)!
    seen.set(answer.token, lead)
    return lead.state
  })
  return { verdict: verdicts.join(', '), told, kept: [...seen.values()] }
}

type Comparison = { row: Row; name: WayName; outcome: Outcome; expected: Outcome }

function compare({ row, name, outcome, expected }: Comparison): void {
  const { verdict, kept, because } = row.except?.find(({ by }) => by.includes(name)) ?? {
    ...row,
    kept: undefined,
    because: '',
  }
  const where = [row.what, because].filter(Boolean).join(': ')
  const shown = name === browser ? verdict.replaceAll(/[A-Z]+_[A-Z_]+/g, 'refused') : verdict
  assert.equal(outcome.verdict, shown, where)
  if (kept !== undefined) {
    const lead = outcome.kept.at(-1)!
    assert.partialDeepStrictEqual({ ...lead, ...lead.values }, kept, where)
  }
  if (because !== '') return
  assert.deepEqual(outcome.kept.map(sameForAll), expected.kept.map(sameForAll), where)
  const words = (told: Told) => (name === browser ? fieldsIn(told) : wordsIn(told))
  assert.deepEqual(outcome.told.map(words), expected.told.map(words), where)
}

/** Without what tells when it came, and by which way. */
function sameForAll(lead: Lead) {
  const { values, unlisted: others, botcheck, judgement, state, fingerprint, version } = lead
  return { values, others, botcheck, judgement, state, fingerprint, version }
}

function wordsIn(told: Told) {
  return 'error' in told ? told.error : told.message
}

/** A page has words of its own for people. */
function fieldsIn(told: Told) {
  return 'error' in told ? told.problems.map(({ field }) => field) : []
}

function taken(what: string, body: Body): Row {
  return { what, sends: [body], verdict: 'new' }
}

function refused(what: string, body: Body, fields: string): Row {
  return { what, sends: [body], verdict: `VALIDATION_ERROR ${fields}` }
}

function many(count: number): Body {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`extra_${index}`, 'x']))
}

function nested(depth: number): unknown {
  return JSON.parse(deepText(depth))
}

function deepText(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
}
