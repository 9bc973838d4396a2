/** Compressed bodies: which one a client takes (RFC 9110, 12.5.3), and how they are made. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { readWeighted, rememberByHeader } from './negotiate.ts'

/** Best first, for clients that give several the same weight. */
export const encodings = ['br', 'zstd', 'gzip'] as const

export type Encoding = (typeof encodings)[number]

/** `identity`: not compressed. */
export type EncodingChoice = Encoding | 'identity'

/** By the Accept-Encoding header. */
export const chooseEncoding = rememberByHeader<EncodingChoice>(readChoice, 'identity')

function readChoice(accept: string): EncodingChoice {
  const weights = new Map(readWeighted(accept).map(({ name, q }) => [name, q]))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const asItIs = weights.get('identity') ?? 0
  const best = encodings.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a))
  return weightOf(best) > 0 && weightOf(best) >= asItIs ? best : 'identity'
}

export type Effort = 'once' | 'each-time'

/** Off the main thread. `once`: as small as it gets; `each-time`: quick, for what is made for one request. */
export function compress(body: Buffer, encoding: Encoding, effort: Effort): Promise<Buffer> {
  const thorough = effort === 'once'
  switch (encoding) {
    case 'br':
      return promisify(brotliCompress)(body, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: thorough ? 11 : 4,
          // Pages are small: a wider window would only take memory.
          [constants.BROTLI_PARAM_LGWIN]: 16,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      })
    case 'zstd':
      return promisify(zstdCompress)(body, {
        params: { [constants.ZSTD_c_compressionLevel]: thorough ? 19 : 3 },
        // Told the size, it takes no more memory than that needs.
        pledgedSrcSize: body.length,
      })
    case 'gzip':
      return promisify(gzip)(body, { level: thorough ? 9 : 5 })
  }
}
