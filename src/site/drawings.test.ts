/** The drawings as a builder sees them: one scale, steps a person can climb, the towns of the business. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { readBusiness } from './business.ts'
import { readContent } from './site.ts'
import { PublicFiles } from './public-files.ts'

const deck = readFileSync('public/drawings/deck.svg', 'utf8')
const [wide, high] = [...deck.matchAll(/>(\d \d{3})<\/text>/g)].map(([, mm]) =>
  Number(mm!.replace(' ', '')),
)
const [fromX, toX] = numbers(/class="t" d="M(\d+) 438H(\d+)/)
const [fromY, toY] = numbers(/M690 (\d+)V(\d+)/)
const mmPerUnit = wide! / (toX! - fromX!)

test('the deck has one scale for both its dimensions', () => {
  assert.equal(high! / (toY! - fromY!), mmPerUnit)
  assert.deepEqual(numbers(/id="boards"[^>]* d="M(\d+) (\d+)H(\d+)/), [fromX, fromY, toX])
})

test('its steps can be climbed: no riser above 190 mm, no tread below 240, down to the ground', () => {
  const steps = [...partOf('steps').matchAll(/v(\d+)(?:h(\d+))?/g)]
  const risers = steps.map(([, rise]) => Number(rise) * mmPerUnit)
  const treads = steps.flatMap(([, , run]) => (run ? [Number(run) * mmPerUnit] : []))
  assert.equal(
    risers.reduce((sum, rise) => sum + rise, 0),
    high,
  )
  assert.ok(
    Math.max(...risers) <= 190 && Math.min(...treads) >= 240,
    `${risers.join()}; ${treads.join()}`,
  )
})

test('from a drop of a metre it has a balustrade along its whole edge, a metre high and close', () => {
  assert.ok(high! >= 1_000)
  const [railX, railY, railEnd] = partOf('rail').match(/\d+/g)!.map(Number)
  assert.ok(railX! <= fromX! && railEnd! >= toX!)
  assert.ok((fromY! - railY!) * mmPerUnit >= 1_000)
  const balusters = [...partOf('balusters').matchAll(/M(\d+) \d+V/g)].map(([, x]) => Number(x))
  const gaps = balusters.slice(1).map((x, index) => (x - balusters[index]!) * mmPerUnit)
  assert.ok(balusters.length > 30 && Math.max(...gaps) <= 125, String(gaps))
})

test('the map names the towns of business.yaml, and no others', () => {
  const map = readFileSync('public/drawings/area.svg', 'utf8')
  const [towns = ''] = /<g class="towns">.*<\/g>/.exec(map) ?? []
  const named = [...towns.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, words]) =>
    words!.replaceAll(/<[^>]*>/g, ''),
  )
  const { areas } = readBusiness('content/business.yaml')
  assert.deepEqual(named.sort(), areas.map(({ name }) => name).sort())
})

test('no drawing appears twice on the site', () => {
  const { pages, missing } = readContent(
    'content',
    'https://decks.example.com',
    new PublicFiles('public', 'content'),
  )
  const shown = [...pages, missing].flatMap(({ main }) =>
    [...main.text.matchAll(/<img src="([^"]+)"/g)].map(([, path]) => path!),
  )
  assert.ok(shown.length > 5)
  assert.deepEqual(shown, [...new Set(shown)])
})

test('the title and the text of a card are separate words', () => {
  const { pages } = readContent(
    'content',
    'https://decks.example.com',
    new PublicFiles('public', 'content'),
  )
  const home = pages.find(({ path }) => path === '/')!
  const cards = home.main.text.split('class="cards"')[1]!.replaceAll(/<[^>]*>/g, '')
  assert.match(cards, /\bDecks\s+Hardwood/)
})

function numbers(pattern: RegExp): number[] {
  return pattern.exec(deck)!.slice(1).map(Number)
}

function partOf(id: string): string {
  return new RegExp(`id="${id}"[^>]* d="([^"]+)"`).exec(deck)![1]!
}
