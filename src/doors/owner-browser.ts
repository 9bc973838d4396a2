/**
 * Lets only the owner's browsers use the links in his letters. A link travels: a reply quotes it,
 * and mail scanners press its button. So a browser that is not known yet must type a code that is
 * mailed to the owner; then a cookie marks it as his. See docs/decisions/0015-one-tap.md.
 */
import { createHmac, hkdfSync, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { tapPath } from '../contract/routes.ts'
import { dayMs, minuteMs, secondMs } from '../durations.ts'
import { howToType } from '../how-to-type.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { openSeal, readCookie, setCookie } from '../http/cookies.ts'
import { readForm } from '../http/body.ts'
import type { Ask } from '../http/message.ts'
import type { Store } from '../store/store.ts'

export type OwnerBrowserParts = {
  store: Pick<Store, 'firstSince' | 'findOnce' | 'replaceOnce' | 'removeOnce'>
  secret: Buffer
  /** False: the letter could not be sent. */
  mailCode: (code: string) => Promise<boolean>
  /** Whether the site is served over https. */
  secure: boolean
  now: () => number
}

/** `headers` go with the answer, whatever it is. */
export type Admission =
  | { kind: 'known'; headers: string[] }
  | { kind: 'unknown'; status: number; title: string; main: Html; headers: string[] }

export type OwnerBrowser = {
  isKnown(ask: Ask): boolean
  admit(ask: Ask): Promise<Admission>
}

/** Also the least time between two letters with a code, whoever asks. */
const codeMs = 10 * minuteMs
const tries = 5
const knownMs = 365 * dayMs
/** Without letters and digits that look alike. */
const codeLetters = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8
/** A form with a code is shorter. */
const mostFormBytes = 200
/** Under it stands the one code that is valid now. */
const codeId = 'owner-code'

export function createOwnerBrowser(parts: OwnerBrowserParts): OwnerBrowser {
  const { store, secret, mailCode, secure, now } = parts
  const cookies = createOwnerCookies(secret, secure)
  const key = Buffer.from(hkdfSync('sha256', secret, '', codeId, 32))
  const hashOf = (code: string) => createHmac('sha256', key).update(code).digest('base64url')
  return { isKnown, admit }

  function isKnown(ask: Ask): boolean {
    const cookie = cookies.read(ask)
    return cookie?.kind === 'known' && Number(cookie.value) > now()
  }

  async function admit(ask: Ask): Promise<Admission> {
    if (isKnown(ask)) return { kind: 'known', headers: [] }
    const cookie = cookies.read(ask)
    const browser = cookie?.kind === 'asked' ? cookie.value : undefined
    const form = readSmallForm(ask)
    const code = form.get('code')
    if (code !== undefined && browser !== undefined) return tryCode(ask, browser, plainCode(code))
    // Asked for on a page of its own: a scanner that presses every button of a letter stops before it.
    return form.has('send') ? askForCode(ask, browser) : unknownPage(ask)
  }

  async function askForCode(ask: Ask, earlier: string | undefined): Promise<Admission> {
    const code = Array.from(
      { length: codeLength },
      () => codeLetters[randomInt(codeLetters.length)],
    )
    const browser = randomUUID()
    const about = aboutCode.write({ left: tries, browser, hash: hashOf(code.join('')) })
    const at = now()
    if (!(await store.firstSince(codeId, at, { about, before: at - codeMs }))) {
      const waiting = await readCode()
      const isOwn = waiting !== undefined && waiting.browser === earlier && waiting.left > 0
      return isOwn ? codePage(ask, 200, '') : tooSoon
    }
    if (await mailCode(code.join(''))) {
      const cookie = cookies.write('asked', browser, codeMs)
      return { ...codePage(ask, 200, ''), headers: cookie }
    }
    await store.removeOnce(codeId, about)
    return notSent
  }

  async function tryCode(ask: Ask, browser: string, code: string): Promise<Admission> {
    const waiting = await readCode()
    if (waiting?.browser !== browser || waiting.left === 0) return askForCode(ask, browser)
    const left = waiting.left - 1
    const about = aboutCode.write({ ...waiting, left })
    // Counted before it is looked at, so that tries side by side are not more than five.
    if (!(await store.replaceOnce(codeId, waiting.about, about))) return tryCode(ask, browser, code)
    if (!timingSafeEqual(Buffer.from(hashOf(code)), Buffer.from(waiting.hash))) {
      return left > 0 ? codePage(ask, 403, 'That is not the code. ') : tooSoon
    }
    await store.removeOnce(codeId, about)
    const cookie = cookies.write('known', String(now() + knownMs), knownMs)
    return { kind: 'known', headers: cookie }
  }

  async function readCode() {
    const found = await store.findOnce(codeId)
    if (found === undefined || found.at < now() - codeMs) return undefined
    return { ...aboutCode.read(found.about), about: found.about }
  }
}

type WaitingCode = { left: number; browser: string; hash: string }

/** A code as it stands in the database. */
const aboutCode = {
  write: ({ left, browser, hash }: WaitingCode) => `${left} ${browser} ${hash}`,
  read(about: string): WaitingCode {
    const [left = '0', browser = '', hash = ''] = about.split(' ')
    return { left: Number(left), browser, hash }
  },
}

/** `known`: until when. `asked`: the id of the browser that a code was mailed for. */
type OwnerCookie = { kind: 'known' | 'asked'; value: string }

/** Sealed with the secret of the installation: a new secret makes every browser unknown. */
export function createOwnerCookies(secret: Buffer, secure: boolean) {
  const seal = openSeal(secret, 'owner-browser')
  return {
    /** SameSite=Strict: no other site can press a button in the owner's name. */
    write(kind: OwnerCookie['kind'], value: string, maxAgeMs: number): string[] {
      const options = { path: tapPath, maxAgeS: maxAgeMs / secondMs, secure }
      const sealed = seal.close(`${kind} ${value}`)
      return setCookie('owner', sealed, { ...options, sameSite: 'strict' })
    },
    read({ headers }: Pick<Ask, 'headers'>): OwnerCookie | undefined {
      const sealed = readCookie(headers.cookie, 'owner')
      const [kind, value = ''] = (sealed && seal.open(sealed)?.split(' ')) || []
      return kind === 'known' || kind === 'asked' ? { kind, value } : undefined
    },
  }
}

/** Of a button on a page of the owner. */
export function readSmallForm({ body }: Ask): Map<string, string> {
  return new Map(typeof body === 'string' || body.length > mostFormBytes ? [] : readForm(body))
}

/** As it was mailed: small letters, spaces and hyphens do not matter. */
function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toUpperCase()
}

const title = 'Is it you?'

function unknownPage({ path }: Ask): Admission {
  const main = html`<h1>${title}</h1>
<p>This browser has not marked a request before. A code can be mailed to the address that gets the requests. Once you have typed it here, one press is enough in this browser.</p>
<form method="post" action="${path}"><input type="hidden" name="send" value="code"><button type="submit">Mail the code</button></form>
<p class="small">Nothing was changed yet.</p>
`
  return { kind: 'unknown', status: 403, title, main, headers: [] }
}

function codePage({ path }: Ask, status: number, problem: string): Admission {
  const main = html`<h1>${title}</h1>
<p>${problem}A code was mailed to the address that gets the requests. Type it here. It works for ten minutes, in this browser only.</p>
<form method="post" action="${path}"><div class="field"><label for="code">Code</label>
<input type="text" id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="20" required></div>
<p><button type="submit">Go on</button></p></form>
<p class="small">Nothing was changed yet.</p>
`
  return { kind: 'unknown', status, title, main, headers: [] }
}

const tooSoon = plainPage(
  429,
  html`A code was mailed less than ten minutes ago, and it does not work here. Wait ten minutes, then press the button again. Nothing was changed.`,
)

const notSent = plainPage(
  503,
  html`The letter with the code could not be sent. Try again later, or use the command <code>${howToType('leads move')}</code>. Nothing was changed.`,
)

function plainPage(status: number, words: Html): Admission {
  const main = html`<h1>${title}</h1>
<p>${words}</p>
`
  return { kind: 'unknown', status, title, main, headers: [] }
}
