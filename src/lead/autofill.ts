/** Tells whether the text in the honeypot looks like a browser's autofill. */
import type { FieldValues } from '../contract/fields.ts'

/** Autofill repeats another field, a part of the name, or fills in a place or a country. */
export function looksLikeAutofill(trap: string, values: FieldValues): boolean {
  const text = fold(trap)
  const { name, email, phone, postcode } = values
  const own = [name, email, phone, postcode, ...name.split(/\s+/)].map(fold)
  return own.includes(text) || places.has(text) || countries().has(text)
}

function fold(text: string): string {
  return text.trim().toLowerCase()
}

const places = new Set(
  [
    ['nsw', 'new south wales', 'vic', 'victoria', 'qld', 'queensland', 'wa', 'western australia'],
    ['sa', 'south australia', 'tas', 'tasmania', 'act', 'australian capital territory'],
    ['nt', 'northern territory', 'sydney', 'melbourne', 'brisbane', 'perth', 'adelaide', 'hobart'],
    ['darwin', 'canberra', 'newcastle', 'wollongong', 'gold coast', 'sunshine coast', 'geelong'],
    ['ballina', 'byron bay', 'lismore', 'coffs harbour', 'tweed heads', 'toowoomba', 'cairns'],
  ].flat(),
)

let known: Set<string> | undefined

/** Names and two-letter codes of all countries, in English; made when first needed. */
function countries(): Set<string> {
  if (known !== undefined) return known
  known = new Set()
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code)
    if (name !== undefined) known.add(fold(name)).add(fold(code))
  }
  return known
}
