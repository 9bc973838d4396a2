/** Reads and sets cookies, and seals those whose text the browser must neither read nor change. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { parseCookie, stringifySetCookie } from 'cookie'

export type CookieOptions = {
  path: string
  /** 0 removes the cookie. */
  maxAgeS: number
  secure: boolean
}

/**
 * A Set-Cookie header: name and value. No script can read the cookie. `lax`: a link on another site
 * may bring it, a form there may not.
 */
export function setCookie(name: string, value: string, options: CookieOptions): string[] {
  const { path, maxAgeS: maxAge, secure } = options
  const cookie = { name, value, path, maxAge, httpOnly: true, secure, sameSite: 'lax' } as const
  return ['Set-Cookie', stringifySetCookie(cookie)]
}

/** `undefined`: the browser sent no such cookie, or an empty one. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  return parseCookie(header ?? '')[name] || undefined
}

/** Common proxies refuse a header line past 8 KiB; a cookie itself may hold about 4 KiB. */
const pieceBytes = 3800
const mostPieces = 2

/**
 * Set-Cookie headers that carry a long value in pieces, and remove the pieces that are not needed.
 * `undefined`: too long for any browser to carry.
 */
export function setLongCookie(
  name: string,
  value: string,
  options: CookieOptions,
): string[] | undefined {
  if (value.length > mostPieces * pieceBytes) return undefined
  return Array.from({ length: mostPieces }, (_, index) => {
    const piece = value.slice(index * pieceBytes, (index + 1) * pieceBytes)
    return setCookie(`${name}${index}`, piece, piece === '' ? { ...options, maxAgeS: 0 } : options)
  }).flat()
}

/** The value that `setLongCookie` sent; `undefined` when there is none. */
export function readLongCookie(header: string | undefined, name: string): string | undefined {
  const jar = parseCookie(header ?? '')
  const pieces = Array.from({ length: mostPieces }, (_, index) => jar[`${name}${index}`] ?? '')
  return pieces.join('') || undefined
}

export type Seal = { close(text: string): string; open(sealed: string): string | undefined }

/** AES-256-GCM over compressed text. Each `purpose` has a key of its own. */
export function openSeal(secret: Buffer, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    close(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      // The best quality takes 100 ms for the largest form; 5 takes one.
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
