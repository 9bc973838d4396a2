import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Lead } from '../../src/store/leads/rows.ts'
import { newInstallation } from '../support/engines.ts'
import { startServiceHere } from '../support/service-here.ts'
import {
  askUntilServed,
  formRequest,
  jsonRequest,
  openWire,
  type WireAnswer,
} from '../support/wire.ts'

const list = JSON.parse(
  readFileSync(new URL('../data/naughty-strings.json', import.meta.url), 'utf8'),
) as string[]
const strings = [
  ...list,
  // What the list leaves out: each rule of the normalisation inside a text, not only at its ends.
  'tab\tinside',
  'lines\nended\r\nin three\rways',
  'nul\0 bell\x07 escape\x1b inside',
  'half \ud83d of a pair \udc00',
  'José Peña, 12 m², 5–6 pm',
]

/** Each string of the list goes into every so-manieth field, another one than its neighbour. A trial tries all fields. */
const step = Number(process.env['STORY_NAUGHTY_STEP'] ?? 8)

/** In every lead, so that one search finds any of them in the log. */
const marker = 'Marker-Quokka'

/** One decoder reads the fields of a form. */
const fieldsOf = { json: undefined, form: ['textarea_1', 'an unlisted key'] }

type Case = {
  number: number
  field: string
  text: string
  encoding: 'json' | 'form'
}

type Expectation = {
  /** The lead as sent, before the marker fields are added. */
  put(text: string): Record<string, string>
  /** `undefined`: too hard to foretell here, either answer will do. */
  isAccepted(text: string): boolean | undefined
  read(lead: Lead): unknown
  kept(text: string): unknown
}

/** The list has two names that nobody can see: a zero-width space and a Mongolian vowel separator. */
function isUnseen(text: string): boolean {
  return /^[\u180e\u200b]*$/.test(text)
}

const places: Record<string, Expectation> = {
  name_1: listed('name_1', 'name', (text) => !isUnseen(text) && characters(text) <= 200),
  email_1: listed('email_1', 'email', (text) => (text.includes('@') ? undefined : false)),
  phone_1: listed('phone_1', 'phone', (text) => characters(text) <= 40),
  text_1: listed('text_1', 'postcode', (text) => characters(text) <= 16),
  textarea_1: listed('textarea_1', 'message', (text) => characters(text) <= 10_000),
  botcheck: {
    put: (text) => ({ botcheck: text }),
    isAccepted: () => true,
    read: (lead) => lead.botcheck,
    kept: normalised,
  },
  'an unlisted value': {
    put: (text) => ({ colour: text }),
    isAccepted: () => true,
    read: (lead) => JSON.parse(lead.unlisted) as unknown,
    kept: (text) => ({ colour: normalised(text) }),
  },
  'an unlisted key': {
    put: (text) => Object.fromEntries([[text, 'grey']]),
    isAccepted: () => true,
    read: (lead) => Object.entries(JSON.parse(lead.unlisted) as object),
    kept: (text) => [[normalised(text), 'grey']],
  },
}

test('naughty strings in every field break nothing, change nothing and are never logged [keep.text, log.private]', async (t) => {
  const { place, readStored } = await newInstallation(t)
  const service = await startServiceHere(t, place)
  const cases = (['json', 'form'] as const).flatMap((encoding) =>
    (fieldsOf[encoding] ?? Object.keys(places)).flatMap((field, at) =>
      strings
        .filter((_, index) => index >= list.length || (index + at) % step === 0)
        .map((text) => ({ field, text, encoding })),
    ),
  )
  const numbered: Case[] = cases.map((each, number) => ({ ...each, number }))
  const waiting = [...numbered]
  const accepted: Case[] = []
  const wrong: string[] = []
  const statuses: Record<string, number> = {}
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      const wire = await openWire(service.port)
      for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
        const answer = await askUntilServed(() => wire.ask(requestOf(each)))
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        const verdict = verdictOf(answer, each.encoding)
        if (verdict === 'accepted') accepted.push(each)
        const expected = places[each.field]!.isAccepted(normalised(each.text))
        if (
          verdict === 'unspecified' ||
          (expected ?? verdict === 'accepted') !== (verdict === 'accepted')
        ) {
          wrong.push(
            `${describe(each)}: ${answer.status} ${answer.headers['location'] ?? answer.body}`,
          )
        }
      }
      wire.close()
    }),
  )
  await service.stop()

  const { leads, integrity } = await readStored()
  const altered = findAltered(accepted, leads)
  const logged = service.lines.join('\n')
  const leaks = [marker, ...longEnough].filter((text) => logged.includes(text))
  const counts = { sent: cases.length, statuses, logLines: service.lines.length }
  t.diagnostic(JSON.stringify({ story: 'naughty strings', ...counts }))
  assert.deepEqual(wrong, [])
  assert.deepEqual(altered, [])
  assert.equal(leads.length, accepted.length)
  assert.deepEqual(leaks, [])
  assert.ok(service.lines.length >= cases.length, 'requests are missing from the log')
  for (const line of service.lines) assert.doesNotThrow(() => JSON.parse(line), line)
  assert.equal(integrity, 'ok')
})

/** Distinct by its user agent field, which no check looks at: the number of the case. */
function requestOf({ number, field, text, encoding }: Case): string {
  const lead = {
    name_1: `${marker} ${number}`,
    email_1: `${marker}-${number}@example.com`,
    ...places[field]!.put(text),
  }
  const headers = { 'User-Agent': `case-${number}`, 'Idempotency-Key': `${marker}-${number}` }
  return encoding === 'json' ? jsonRequest(lead, headers) : formRequest(lead, headers)
}

function verdictOf(
  { status, headers, body }: WireAnswer,
  encoding: Case['encoding'],
): 'accepted' | 'refused' | 'unspecified' {
  if (encoding === 'form') {
    if (status !== 303) return 'unspecified'
    if (headers['location'] === '/thanks/') return 'accepted'
    return headers['location'] === '/contact/' ? 'refused' : 'unspecified'
  }
  const said = JSON.parse(body) as { ok?: boolean; error?: { code: string } }
  if (status === 200) return said.ok === true ? 'accepted' : 'unspecified'
  return status === 400 && said.error?.code === 'VALIDATION_ERROR' ? 'refused' : 'unspecified'
}

function findAltered(accepted: readonly Case[], leads: readonly Lead[]): string[] {
  const byNumber = new Map(leads.map((lead) => [lead.userAgent, lead]))
  return accepted.flatMap((each) => {
    const { read, kept } = places[each.field]!
    const lead = byNumber.get(`case-${each.number}`)
    const found = lead === undefined ? 'missing' : JSON.stringify(read(lead))
    const expected = JSON.stringify(kept(each.text))
    return found === expected ? [] : [`${describe(each)}: ${found} in place of ${expected}`]
  })
}

/** Shorter ones stand in honest lines too. */
const longEnough = strings.flatMap((text) =>
  text.length < 8 ? [] : [text, JSON.stringify(text).slice(1, -1)],
)

function listed(
  field: string,
  key: keyof Lead['values'],
  isAccepted: Expectation['isAccepted'],
): Expectation {
  return {
    put: (text) => ({ [field]: text }),
    isAccepted,
    read: (lead) => lead.values[key],
    kept: field === 'textarea_1' ? normalised : inOneLine,
  }
}

function inOneLine(text: string): string {
  return normalised(text.split(/[\t\n\v\f\r\u0085\u2028\u2029]+/).join(' '))
}

/** The published normalisation, written a second time on purpose: not the code under test. */
function normalised(text: string): string {
  let tidy = ''
  for (const character of text.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\r', '\n')) {
    if (character >= ' ' || character === '\t' || character === '\n') tidy += character
  }
  return tidy.trim()
}

/** JSON Schema counts characters, not UTF-16 units. */
function characters(text: string): number {
  return [...text].length
}

function describe({ field, text, encoding }: Case): string {
  return `${encoding}, ${field}, ${JSON.stringify(text)}`
}
