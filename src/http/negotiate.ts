/** What a client prefers, by the weights that it gives. */

/**
 * Of two media types (RFC 9110, 12.5.1). q decides; on a tie the type named first wins. Wildcards
 * alone never choose the special kind over the ordinary one: it must be named, or the other excluded.
 */
export function prefers(accept: string | undefined, special: string, ordinary: string): boolean {
  if (accept === undefined || accept === '') return false
  const ranges = readWeighted(accept)
  const named = ranges.findIndex((range) => range.name === special)
  if (named === -1) return excludes(ranges, ordinary) && qualityOf(ranges, special) > 0
  const wanted = ranges[named]!.q
  if (wanted === 0) return false
  const other = qualityOf(ranges, ordinary)
  if (wanted !== other) return wanted > other
  const otherNamed = ranges.findIndex((range) => range.name === ordinary)
  return otherNamed === -1 || named < otherNamed
}

/** Compressed bodies, best first: for clients that give several the same weight. */
export const encodings = ['br', 'gzip'] as const

export type Encoding = (typeof encodings)[number]

/** By the Accept-Encoding header (RFC 9110, 12.5.3). `identity`: not compressed. */
export function chooseEncoding(accept: string | undefined): Encoding | 'identity' {
  if (accept === undefined) return 'identity'
  const weights = new Map(readWeighted(accept).map(({ name, q }) => [name, q]))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const asItIs = weights.get('identity') ?? 0
  const best = encodings.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a))
  return weightOf(best) > 0 && weightOf(best) >= asItIs ? best : 'identity'
}

type Weighted = { name: string; q: number }

/** A list with weights, as in Accept and Accept-Encoding; parts that cannot be read are left out. */
function readWeighted(header: string): Weighted[] {
  return header.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';')
    const q = readQ(parameters)
    return q === undefined ? [] : [{ name: name.trim().toLowerCase(), q }]
  })
}

/** `undefined`: not a number, so the range is left out. */
function readQ(parameters: string[]): number | undefined {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'q') continue
    const text = value.trim()
    return /^(?:0(?:\.\d*)?|1(?:\.0*)?|\.\d+)$/.test(text) ? Number(text) : undefined
  }
  return 1
}

/** By its name: `text/html;q=0`. */
function excludes(ranges: Weighted[], type: string): boolean {
  return ranges.some(({ name, q }) => name === type && q === 0)
}

/** The most specific range that covers the type decides. */
function qualityOf(ranges: Weighted[], type: string): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  for (const name of [type, family, '*/*']) {
    const range = ranges.find((each) => each.name === name)
    if (range !== undefined) return range.q
  }
  return 0
}
