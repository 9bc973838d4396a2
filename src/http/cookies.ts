/** Sealed cookies: the browser carries a text that it can neither read nor change. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

export type Seal = { close(text: string): string; open(sealed: string): string | undefined }

/** Common proxies refuse a header line past 8 KiB; a cookie itself may hold about 4 KiB. */
const maxCookieBytes = 3800
const maxCookies = 2
const cookiePieces = new RegExp(`.{1,${maxCookieBytes}}`, 'g')

/** AES-256-GCM over compressed text. Each `purpose` has a key of its own. */
export function openSeal(secret: Buffer, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  return {
    close(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const packed = brotliCompressSync(text, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          // The best quality takes 100 ms for the largest form; this, one.
          [constants.BROTLI_PARAM_QUALITY]: 5,
        },
      })
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

export type CookieOptions = { path: string; maxAgeS: number; secure: boolean }

/**
 * Set-Cookie headers that carry the value, in pieces where it is long, and clear the pieces that are
 * not needed. `undefined`: too long for any browser to carry.
 */
export function setCookie(
  name: string,
  value: string,
  options: CookieOptions,
): string[] | undefined {
  const pieces = value.match(cookiePieces) ?? []
  if (pieces.length > maxCookies) return undefined
  const attributes = `Path=${options.path}; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}`
  return Array.from({ length: maxCookies }, (_, index) => {
    const piece = pieces[index]
    const age = piece === undefined ? 0 : options.maxAgeS
    return ['Set-Cookie', `${name}${index}=${piece ?? ''}; Max-Age=${age}; ${attributes}`]
  }).flat()
}

/** The value that `setCookie` sent; `undefined` when there is none. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  const jar = new Map(
    header.split(';').map((part) => {
      const equals = part.indexOf('=')
      return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()] as const
    }),
  )
  const pieces = Array.from({ length: maxCookies }, (_, index) => jar.get(`${name}${index}`) ?? '')
  return pieces.join('') || undefined
}
