import assert from 'node:assert/strict'
import test from 'node:test'
import { unlistedLimits } from '../../src/contract/limits.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { bot, mai, robin, sam } from '../support/people.ts'
import { openWay, wayNames, type Body, type Told, type Way, type WayName } from '../support/ways.ts'

type Row = {
  what: string
  /** One after the other. */
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
  /** Of the last lead kept. */
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
  refused('a name of control characters', { ...sam, name_1: '\0\u0007\u001f' }, 'name_1'),
  taken('a name of one sign', { ...sam, name_1: '李' }),
  taken('the longest name', { ...sam, name_1: 'x'.repeat(200) }),
  refused('a name too long by one', { ...sam, name_1: 'x'.repeat(201) }, 'name_1'),
  taken('the longest name in signs of two units', { ...sam, name_1: '🪵'.repeat(200) }),
  refused('one of those too many', { ...sam, name_1: '🪵'.repeat(201) }, 'name_1'),
  taken('a name between blanks', { ...sam, name_1: '\r\n  Sam\u0000\u0008 Example \t' }),
  refused('two names', { ...sam, name_1: ['Sam', 'Robin'] }, 'name_1'),
  {
    ...refused('a name that is a number', { ...sam, name_1: 7 }, 'name_1'),
    except: [{ ...noTypes, verdict: 'new', kept: { name: '7' } }],
  },
  refused('a name that is null', { ...sam, name_1: null }, 'name_1'),
]

const emails: Row[] = [
  refused('no email', { name_1: 'Sam' }, 'email_1'),
  ...[
    '',
    ' \t ',
    'sam',
    'sam@',
    '@example.com',
    'sam@example',
    'sam@@example.com',
    's..am@example.com',
    'sam@127.0.0.1',
    'sam@bücher.example',
    'sam@example.com, robin@example.com',
    'Sam <sam@example.com>',
    'sam@example.com\nbcc: robin@example.com',
    `${'a'.repeat(65)}@example.com`,
  ].map((email_1) =>
    refused(`the email ${JSON.stringify(email_1)}`, { ...sam, email_1 }, 'email_1'),
  ),
  taken('the longest email', { ...sam, email_1: emailOf(254) }),
  refused('an email too long by one', { ...sam, email_1: emailOf(255) }, 'email_1'),
  taken('an email in capitals, between blanks', { ...sam, email_1: ' SAM+Deck@Example.COM ' }),
]

const otherFields: Row[] = [
  taken('zeros in front', { ...sam, phone_1: '0491570006', text_1: '0800' }),
  taken('nothing in what is optional', {
    ...sam,
    name_1: 'Bare',
    phone_1: ' ',
    text_1: '',
    textarea_1: '\n',
  }),
  taken('the longest phone', { ...sam, phone_1: '0'.repeat(40) }),
  refused('a phone too long by one', { ...sam, phone_1: '0'.repeat(41) }, 'phone_1'),
  {
    ...refused('a phone that is a number', { ...sam, phone_1: 491570006 }, 'phone_1'),
    except: [{ ...noTypes, verdict: 'new', kept: { phone: '491570006' } }],
  },
  taken('the longest postcode', { ...sam, text_1: '0'.repeat(16) }),
  refused('a postcode too long by one', { ...sam, text_1: '0'.repeat(17) }, 'text_1'),
  taken('a postcode that is null', { ...sam, name_1: 'Null', text_1: null }),
  taken('the longest message', { ...sam, textarea_1: 'x'.repeat(10_000) }),
  refused('a message too long by one', { ...sam, textarea_1: 'x'.repeat(10_001) }, 'textarea_1'),
  taken('lines of every kind', { ...sam, textarea_1: 'one\r\ntwo\rthree\n\n\tfour' }),
  taken('control characters', { ...sam, textarea_1: 'a\0b\u0007c\u000bd\u001be\u007ff' }),
  // JSON carries the halves; a browser sends U+FFFD for each, which is what the others are kept as.
  taken('halves of surrogate pairs', { ...sam, textarea_1: 'half \ud83d, other half \udeb5' }),
  taken('many scripts', { ...sam, textarea_1: '👩‍🔧 Zwölf مرحبا \u202Etfel \u2028 e\u0301 ﬁ' }),
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
  taken('a list of texts', { ...sam, days: ['Friday', 'Saturday'] }),
  taken('dangerous names', JSON.parse('{"__proto__":"x","toString":"y"}'), sam),
  taken('as many as there may be', many(unlistedLimits.fields), sam),
  refused('one too many', { ...sam, ...many(unlistedLimits.fields + 1) }, '(unlisted fields)'),
  refused('too much of them', { ...sam, note: 'x'.repeat(16_385) }, '(unlisted fields)'),
  {
    ...refused('nested too deep', { ...sam, nest: nested(17) }, '(unlisted fields)'),
    except: [
      { ...noNesting, verdict: 'new', kept: { unlisted: JSON.stringify({ nest: deepText(17) }) } },
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
  taken('a blank trap', { ...sam, name_1: 'Blank', botcheck: ' \t' }),
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
    what: 'the same with another key',
    sends: ['k-3', 'k-4'].map((key) => ({ ...sam, name_1: 'Two', idempotency_key: key })),
    verdict: 'new, new',
  },
  {
    what: 'a key that was sent with a mistake first',
    sends: ['sam@', sam.email_1].map((email_1) => ({
      ...sam,
      textarea_1: 'Second try.',
      email_1,
      idempotency_key: 'k-5',
    })),
    verdict: 'VALIDATION_ERROR email_1, new',
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
  taken('the longest key', { ...sam, name_1: 'Key', idempotency_key: 'k'.repeat(255) }),
  refused('a key too long by one', { ...sam, idempotency_key: 'k'.repeat(256) }, 'idempotency_key'),
  taken('an empty key', { ...sam, name_1: 'No key', idempotency_key: '' }),
  taken('a key that is not ASCII', { ...sam, name_1: 'Wide', idempotency_key: 'ключ' }),
]

const rows = [...people, ...names, ...emails, ...otherFields, ...unlisted, ...traps, ...keys]

test(
  'every way in gives the same answers and keeps the same leads [2.1.same]',
  { concurrency: true },
  async (t) => {
    assert.ok(rows.length >= 50)
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

/** A few at a time, as they come. */
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

function taken(what: string, ...parts: Body[]): Row {
  return { what, sends: [Object.assign({}, ...parts) as Body], verdict: 'new' }
}

function refused(what: string, body: Body, fields: string): Row {
  return { what, sends: [body], verdict: `VALIDATION_ERROR ${fields}` }
}

function emailOf(length: number): string {
  const domain = `${`${'b'.repeat(61)}.`.repeat(3)}com`
  return `${'a'.repeat(length - domain.length - 1)}@${domain}`
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
