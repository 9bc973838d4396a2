/** Chooses the type and the encoding of an answer by the client's `Accept` headers. */

/** The higher q wins (RFC 9110, 12.5.1); on a tie, the type named first. */
export function prefers(accept: string | undefined, special: string, ordinary: string): boolean {
  const weights = weightsOf(accept)
  const wanted = weightOf(weights, special)
  const other = weightOf(weights, ordinary)
  const isOtherNamed = weights.has(ordinary)
  if (wanted === 0) return false
  // A wildcard selects `special` only if `ordinary` has q=0.
  if (!weights.has(special)) return isOtherNamed && other === 0
  if (wanted !== other) return wanted > other
  const names = [...weights.keys()]
  return !isOtherNamed || names.indexOf(special) < names.indexOf(ordinary)
}

/** Best first. */
export const encodings = ['br', 'zstd', 'gzip'] as const

export type Encoding = (typeof encodings)[number]

export function chooseEncoding(accept: string | undefined): Encoding | 'identity' {
  const weights = weightsOf(accept)
  return encodings.find((name) => (weights.get(name) ?? 0) > 0) ?? 'identity'
}

type Weights = ReadonlyMap<string, number>

/** A browser sends the same header with every request, so its weights are kept. */
const known = new Map<string, Weights>()
const mostKnown = 100

function weightsOf(header = ''): Weights {
  const found = known.get(header)
  if (found !== undefined) return found
  const weights = readWeights(header)
  if (known.size === mostKnown) known.clear()
  known.set(header, weights)
  return weights
}

function readWeights(header: string): Weights {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const end = part.indexOf(';')
    const name = (end === -1 ? part : part.slice(0, end)).trim()
    const q = end === -1 ? 1 : Number(/;\s*q\s*=([^;]*)/.exec(part)?.[1] ?? 1)
    if (q >= 0 && q <= 1 && !weights.has(name)) weights.set(name, q)
  }
  return weights
}

function weightOf(weights: Weights, type: string): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  return weights.get(type) ?? weights.get(family) ?? weights.get('*/*') ?? 0
}
