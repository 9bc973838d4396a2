/**
 * What a client prefers (RFC 9110, 12.5.1). q decides; on a tie the type named first wins. Only a
 * type that is named can win: wildcards alone never choose the special kind over the ordinary one.
 */
export function prefers(accept: string | undefined, special: string, ordinary: string): boolean {
  if (accept === undefined || accept === '') return false
  const ranges = readWeighted(accept)
  const named = ranges.findIndex((range) => range.name === special)
  if (named === -1) return false
  const wanted = ranges[named]!.q
  if (wanted === 0) return false
  const other = qualityOf(ranges, ordinary)
  if (wanted !== other) return wanted > other
  const otherNamed = ranges.findIndex((range) => range.name === ordinary)
  return otherNamed === -1 || named < otherNamed
}

/** The same answer, remembered: clients send few different headers, so few that a small map holds them. */
export function rememberedPreference(special: string, ordinary: string) {
  const known = new Map<string, boolean>()
  return (accept: string | undefined): boolean => {
    if (accept === undefined) return false
    const before = known.get(accept)
    if (before !== undefined) return before
    const answer = prefers(accept, special, ordinary)
    if (known.size < 512 && accept.length <= 512) known.set(accept, answer)
    return answer
  }
}

type Weighted = { name: string; q: number }

/** A list with weights, as in Accept and Accept-Encoding; what cannot be read says nothing. */
export function readWeighted(header: string): Weighted[] {
  return header.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';')
    const q = readQ(parameters)
    return q === undefined ? [] : [{ name: name.trim().toLowerCase(), q }]
  })
}

/** `undefined`: not a number, so the range says nothing. */
function readQ(parameters: string[]): number | undefined {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'q') continue
    const text = value.trim()
    return /^(?:0(?:\.\d*)?|1(?:\.0*)?|\.\d+)$/.test(text) ? Number(text) : undefined
  }
  return 1
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
