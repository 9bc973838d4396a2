/** Sends requests to a running service and notes each whole answer, with what changes every time masked. */
import { execFileSync } from 'node:child_process'

export type Sent = { headers?: Record<string, string>; body?: string; as?: string }
export type Seen = { status: number; headers: Record<string, string>; body: string }
/** One request and its masked answer, line by line. */
export type Noted = { request: string; answer: string[] }

export class Session {
  readonly noted: Noted[] = []
  /** The newest body by path, unmasked. */
  readonly last = new Map<string, string>()
  readonly #jars = new Map<string, Map<string, string>>()
  readonly #url: string
  readonly #operatorEnv: Record<string, string>

  constructor(url: string, operatorEnv: Record<string, string>) {
    this.#url = url
    this.#operatorEnv = operatorEnv
  }

  get = (path: string, headers: Record<string, string> = {}, as?: string): Promise<Seen> =>
    this.send('GET', path, { headers, ...(as && { as }) })

  forget = (as: string): void => {
    this.#jars.delete(as)
  }

  send = async (method: string, path: string, { headers = {}, body, as }: Sent): Promise<Seen> => {
    const jar = this.#jarOf(as)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'user-agent': 'replay',
        'accept-encoding': 'identity',
        ...headers,
        ...(cookie && { cookie }),
      },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    for (const line of response.headers.getSetCookie()) keepCookie(jar, line)
    const text = await response.text()
    this.last.set(path, text)
    const seen = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text,
    }
    const about = [method, path, as && `as ${as}`, describe(headers), body?.slice(0, 60)]
    this.noted.push({ request: mask(about.filter(Boolean).join(' ')), answer: toLines(seen, path) })
    return seen
  }

  /** The path of a one-time address that the operator's command prints. */
  linkForOwner = async (): Promise<string> => {
    const printed = execFileSync(
      process.execPath,
      [
        'bin/lead-intake.js',
        'inbox',
        'link',
        '--name',
        'Robin',
        '--email',
        'robin@example.com',
        '--json',
      ],
      { env: this.#operatorEnv, encoding: 'utf8' },
    )
    return /\/inbox\/link\/[\w-]+/.exec(printed)![0]
  }

  #jarOf(as: string | undefined): Map<string, string> {
    const jar = this.#jars.get(as ?? '') ?? new Map<string, string>()
    if (as !== undefined) this.#jars.set(as, jar)
    return as === undefined ? new Map<string, string>() : jar
  }
}

function keepCookie(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (line.includes('Max-Age=0')) jar.delete(name)
  else jar.set(name, value)
}

function describe(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value.slice(0, 40)}`)
    .join('; ')
}

const changing = new Set(['date', 'etag', 'content-length', 'x-request-id', 'last-modified'])

function toLines({ status, headers, body }: Seen, path: string): string[] {
  const heads = Object.entries(headers).map(([name, value]) => {
    const shown = changing.has(name) ? '*' : value
    return `${name}: ${name === 'set-cookie' ? shown.replaceAll(/=[\w.~-]{12,}/g, '=*') : shown}`
  })
  const text = path === '/metrics' ? body.replaceAll(/[\d.e+-]+$/gm, '*') : body
  return [String(status), ...heads.sort(), '', ...text.split('\n')].map(mask)
}

const months =
  'January|February|March|April|May|June|July|August|September|October|November|December'
const masks: [RegExp, string][] = [
  [/C-[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/g, 'REFERENCE'],
  [/(?<=receipt(?:\/|_token\W{1,5}))[0-9a-f]{64}/g, 'TOKEN'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?/g, 'TIME'],
  [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?/g, 'TIME'],
  [new RegExp(`(?:\\w+day,? )?\\d{1,2} (?:${months})[a-z]*(?: \\d{4})?`, 'g'), 'DAY'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? \d{1,2} [A-Z][a-z]{2}\b(?: \d{4})?/g, 'DAY'],
  [/\b\d{1,2}:\d\d ?[ap]m\b/g, 'CLOCK'],
  [/\b(?:just now|\d+ (?:seconds?|minutes?|min|s) ?(?:ago)?)/g, 'AGO'],
  [/\d{4}-\d\d-\d\d/g, 'DATE'],
  [/(\/[\w-]+)\.[\w-]{10}\.(css|js|webp|png|svg)/g, '$1.HASH.$2'],
  [/nonce-[\w+/=-]+/g, 'nonce-NONCE'],
  [/nonce="[^"]+"/g, 'nonce="NONCE"'],
  [/sha256-[\w+/=]+/g, 'sha256-HASH'],
  [/\b[0-9a-f]{32,}\b/g, 'HEX'],
  [/UUID\.[\w-]+/g, 'UUID.VERSION'],
  [/"(free_bytes|free|bytes|uptime_s)":\d+/g, '"$1":N'],
  [/(?<![\w/.-])[\w-]{38,}(?![\w-])/g, 'SEALED'],
  [/\/inbox\/link\/[\w-]+/g, '/inbox/link/LINK'],
  [/\?s=[\w-]+/g, '?s=SEALED'],
  [/retry-after: \d+/g, 'retry-after: N'],
]

function mask(line: string): string {
  return masks.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line)
}
