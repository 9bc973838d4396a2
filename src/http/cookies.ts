/** Sets and reads cookies, also those that are long or encrypted. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { parseCookie, stringifySetCookie } from 'cookie'

export type CookieOptions = {
  path: string
  maxAgeS: number
  secure: boolean
}

/**
 * Returns the value of `Set-Cookie`. With `lax`, links of other sites send the cookie, but forms posted
 * from other sites do not.
 */
export function setCookie(name: string, value: string, options: CookieOptions): string {
  const { path, maxAgeS: maxAge, secure } = options
  const cookie = { name, value, path, maxAge, httpOnly: true, secure, sameSite: 'lax' } as const
  return stringifySetCookie(cookie)
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  return parseCookie(header ?? '')[name] || undefined
}

/** A cookie may hold about 4 KiB, and common proxies refuse a header line over 8 KiB. */
const pieceBytes = 3800
const mostPieces = 2

/** Also removes the pieces that a longer value may have left. `undefined`: `value` is too long. */
export function setLongCookie(
  name: string,
  value: string,
  options: CookieOptions,
): string[] | undefined {
  if (value.length > mostPieces * pieceBytes) return undefined
  return Array.from({ length: mostPieces }, (_, index) => {
    const piece = value.slice(index * pieceBytes, (index + 1) * pieceBytes)
    return setCookie(`${name}${index}`, piece, piece === '' ? { ...options, maxAgeS: 0 } : options)
  })
}

export function readLongCookie(header: string | undefined, name: string): string | undefined {
  const jar = parseCookie(header ?? '')
  const pieces = Array.from({ length: mostPieces }, (_, index) => jar[`${name}${index}`] ?? '')
  return pieces.join('') || undefined
}

export type Seal = { close(text: string): string; open(sealed: string): string | undefined }

export function createSeal(secret: Buffer, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    close(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      // The largest form takes 1 ms with quality 5, and 100 ms with the best quality.
      const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
      const packed = brotliCompressSync(text, { params })
      const sealed = Buffer.concat([cipher.update(packed), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(sealed) {
      try {
        const bytes = Buffer.from(sealed, 'base64url')
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
          authTagLength: 16,
        })
        decipher.setAuthTag(bytes.subarray(12, 28))
        const packed = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
        return brotliDecompressSync(packed).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}
