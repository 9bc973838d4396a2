import assert from 'node:assert/strict'
import test from 'node:test'
import { normaliseText } from '../../src/contract/check-fields.ts'
import { hasTerm, readSearch, searchLeads } from '../../src/desk/search.ts'
import type { NewLead } from '../../src/store/leads/rows.ts'
import { searchTextOf } from '../../src/store/leads/search-text.ts'
import type { Store } from '../../src/store/store.ts'
import { leadAt, openDesk } from '../support/desk.ts'
import { openPostgresServer } from '../support/postgres.ts'
import { randomFrom, randomText } from '../support/random.ts'
import { newSqliteDatabase, newPostgresDatabase } from '../support/engines.ts'

const leads = Number(process.env['STORY_SEARCH_LEADS'] ?? 600)
const searches = Number(process.env['STORY_SEARCHES'] ?? 100)

test('random searches give the same list on both engines [search.engines]', async (t) => {
  const server = await openPostgresServer()
  t.after(() => server.close())
  const random = randomFrom(11)
  const given = Array.from({ length: leads }, (_, minute) => randomLead(random, minute))
  const desks = [
    openDesk(t, newSqliteDatabase(t)),
    openDesk(t, newPostgresDatabase(server.url)),
  ].map(async (desk) => {
    // More at once would wait too long for a connection where the machine is slow.
    for (let from = 0; from < leads; from += 20) {
      await Promise.all(given.slice(from, from + 20).map((lead) => desk.store.leads.keep(lead)))
    }
    return desk.store
  })
  const [sqlite, postgres] = await Promise.all(desks)
  const texts = given.map((lead) => ({ id: lead.id, text: searchTextOf(lead) })).toReversed()
  let found = 0
  for (let index = 0; index < searches; index += 1) {
    const text = randomSearch(random, given)
    const expected = expectedIds(texts, text)
    found += expected.length
    assert.deepEqual(await allOf(sqlite!, text), expected, `SQLite: ${text}`)
    assert.deepEqual(await allOf(postgres!, text), expected, `PostgreSQL: ${text}`)
  }
  t.diagnostic(JSON.stringify({ story: 'search-engines', leads, searches, found }))
  assert.ok(found > searches, 'the searches find something')
})

function expectedIds(texts: readonly { id: string; text: string }[], typed: string): string[] {
  const terms = readSearch(typed)
  if (terms.length === 0) return []
  const having = (where: 'anywhere' | 'as it says') =>
    texts.filter(({ text }) => terms.every((term) => hasTerm(text, term, where)))
  const starts = having('as it says')
  return (starts.length > 0 ? starts : having('anywhere')).map(({ id }) => id)
}

/** Two pages as people see them, and the rest. */
async function allOf(store: Store, text: string): Promise<string[]> {
  const ids: string[] = []
  let before: string | undefined
  for (const limit of [20, 20, leads]) {
    const found = await searchLeads(store, text, { limit, ...(before && { before }) })
    ids.push(...found.leads.map(({ id }) => id))
    if (found.nextPage === undefined) break
    before = found.nextPage
  }
  return ids
}

const vocabulary = 'deck pergola hardwood merbau steps lawn shade Zoë robin café rail garden'.split(
  ' ',
)

function randomLead(random: () => number, minute: number): NewLead {
  // The first words are common, the last are rare.
  const word = () => vocabulary[Math.floor(random() ** 3 * vocabulary.length)]!
  const digits = String(Math.floor(random() * 1e8)).padStart(8, '0')
  return leadAt(minute, {
    name: `${word()} ${word()}`,
    email: `${word().normalize('NFKD').replaceAll(/\W/g, '')}${minute}@example.com`,
    phone: random() < 0.5 ? `04${digits}` : `+61 4${digits.slice(0, 2)} ${digits.slice(2)}`,
    postcode: String(2_000 + Math.floor(random() * 40)),
    message: normaliseText(`${word()} ${word()} ${word()} ${randomText(random, 12)}`),
  })
}

function randomSearch(random: () => number, given: readonly NewLead[]): string {
  const lead = given[Math.floor(random() * given.length)]!
  const texts = [lead.values.name, lead.values.message, lead.values.postcode, lead.values.email]
  const words = texts.join(' ').split(' ')
  const pick = () => words[Math.floor(random() * words.length)]!
  const kinds = [
    () => pick(),
    () => `${pick()} ${pick()}`,
    () => pick().slice(0, 1 + Math.floor(random() * 4)),
    () => lead.values.phone.slice(Math.floor(random() * 6)).slice(0, 3 + Math.floor(random() * 8)),
    () => `${pick()} ${lead.values.phone}`,
    () => randomText(random, 6),
  ]
  return kinds[Math.floor(random() * kinds.length)]!()
}
