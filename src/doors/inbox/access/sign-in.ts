/** Signs members in: by a code, a passkey, or again. No answer reveals whether an email belongs to a member. */
import { ceiling } from '../../../access/codes.ts'
import { plainEmail } from '../../../access/members.ts'
import { type PasskeyRefusal } from '../../../access/passkeys.ts'
import { type SignedIn } from '../../../access/sessions.ts'
import { durationInWords, smallNumber } from '../../../time.ts'
import { howToType } from '../../../words.ts'
import { isEmail, longestEmail } from '../../../contract/fields.ts'
import { codeMs, codeTries } from '../../../contract/limits.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { withCookies, withHeaders, type Answer } from '../../../http/message.ts'
import { type Member } from '../../../store/access/store.ts'
import { goTo, logged, scriptAnswer, showPage, tooOften } from '../frame/answers.ts'
import { findSignedIn, sentFields, sentJson, type Caller } from '../frame/inbox.ts'
import { paths } from '../paths.ts'

/** A signed-in member sees this page only if the page that he wants needs a newer sign-in. */
export async function showSignIn(caller: Caller): Promise<Answer> {
  const signedIn = await findSignedIn(caller)
  const back = caller.inbox.cookies.back.read(caller.ask)
  const isIn = signedIn !== undefined && (signedIn.isFresh || back === undefined)
  return isIn ? goTo(back?.page ?? paths.list) : signInPage(caller, 200, '')
}

async function signInPage(caller: Caller, status: number, problem: string): Promise<Answer> {
  const { inbox } = caller
  const signedIn = await findSignedIn(caller)
  const title = signedIn === undefined ? 'Sign in' : 'Sign in again'
  const passkeys = signedIn && (await inbox.access.store.listPasskeys(signedIn.member.id))
  // A member who is not signed in may have a passkey.
  const hasPasskey = passkeys?.length !== 0
  const main = html`${whySignIn(caller, signedIn)}
${hasPasskey ? passkeyButton(signedIn) : ''}
${inbox.mailsCodes ? codeForm(signedIn) : ''}
${otherWay(!hasPasskey && !inbox.mailsCodes)}
${signedIn === undefined ? '' : notNow}`
  return showPage({ ...caller, ...signedIn }, { status, title, problem, main })
}

function whySignIn({ inbox, ask }: Caller, signedIn: SignedIn | undefined): Html {
  if (signedIn !== undefined) return again
  const hasTyped = (inbox.cookies.back.read(ask)?.fields.length ?? 0) > 0
  return hasTyped ? signedOut : noHtml
}

function otherWay(isOnlyWay: boolean): Html {
  return html`<details class="help"${isOnlyWay ? html` open` : ''}>
<summary>Another way to sign in</summary>
<p>On the machine of the service, <code>${howToType('inbox link')}</code> prints an address that signs you in once.</p>
</details>
`
}

const signedOut = html`<p class="notice" role="status">You were signed out. What you typed is kept: sign in, and you are back where you were.</p>
`

const again = html`<p>To export, erase or change members, please sign in once more. Then you are back where you were, with what you typed.</p>
`

const notNow = html`<p><a class="button wide plain" href="${paths.list}">Not now</a></p>
`

/** The button is hidden until inbox.js has found that the browser supports passkeys. */
function passkeyButton(signedIn: SignedIn | undefined): Html {
  const offer = signedIn === undefined ? html` data-offer="yes"` : ''
  return html`<div data-passkey="get"${offer}
  data-challenge="${paths.signInChallenge}"
  data-answer="${paths.signInPasskey}" hidden>
<button type="button" class="wide">Sign in with a passkey</button>
<p class="say" role="status"></p>
<small>Your fingerprint, your face or the code of your device.</small>
</div>
<noscript><p class="small">Passkeys need scripts, which are off in this browser.</p></noscript>
`
}

function codeForm(signedIn: SignedIn | undefined): Html {
  const label =
    signedIn === undefined ? 'Email me a code' : `Email a code to ${signedIn.member.email}`
  return html`<form method="post" action="${paths.signIn}">
${signedIn === undefined ? emailField : knownEmail(signedIn.member)}
<button type="submit" class="wide">${label}</button>
</form>
`
}

const emailField = html`<p class="or">or</p>
<label for="email">Your email</label>
<input type="email" id="email" name="email" autocomplete="username webauthn"
  inputmode="email" maxlength="${longestEmail}" required>`

function knownEmail({ email }: Member): Html {
  return html`<input type="hidden" name="email" value="${email}">`
}

export async function askForCode(caller: Caller): Promise<Answer> {
  const { ask } = caller
  const { access, cookies, mailsCodes } = caller.inbox
  if (!mailsCodes) return signInPage(caller, 409, 'Codes by email are not set up here.')
  const email = plainEmail(sentFields(caller)('email'))
  // A text of any length must not reach the counters.
  if (!isEmail(email)) return signInPage(caller, 400, 'Type your email address.')
  const asker = { network: ask.address.network, known: cookies.known.read(ask) }
  const asked = await access.codes.ask(email, asker)
  if (asked.kind === 'limited') return showPage(caller, tooOften(asked.waitS))
  return goTo(paths.signInCode, [cookies.code.set(asked.held)])
}

export function showCode(caller: Caller): Answer | Promise<Answer> {
  const hasAsked = caller.inbox.cookies.code.read(caller.ask) !== undefined
  return hasAsked ? codePage(caller, 200, '') : goTo(paths.signIn)
}

export async function useCode(caller: Caller): Promise<Answer> {
  const { access, cookies } = caller.inbox
  const held = cookies.code.read(caller.ask) ?? ''
  const member = await access.codes.use(sentFields(caller)('code'), held)
  if (member === undefined) return codePage(caller, 403, codeRefused)
  const begun = [cookies.code.clear(), ...(await beginSession(caller, member))]
  return logged(goTo(wayBack(caller), begun), 'in by code', member.id)
}

const codeRefused = `This code does not work. It may be mistyped, older than ${durationInWords(codeMs)}, or tried ${smallNumber(codeTries)} times. Use the newest email, or start again.`

function codePage(caller: Caller, status: number, problem: string): Promise<Answer> {
  const sent = html`<p>If that address belongs to a member, an email with a code is on its way. It works for ${durationInWords(codeMs)}, in this browser only.</p>
`
  const main = html`${problem === '' ? sent : ''}
<form method="post" action="${paths.signInCode}">
<label for="code">Code</label>
<input class="code" type="text" id="code" name="code" maxlength="20" autofocus required
  autocomplete="one-time-code" autocapitalize="characters" spellcheck="false">
<button type="submit" class="wide">Sign in</button>
</form>
<p><a class="button wide plain" href="${paths.signIn}">No email? Start again</a></p>
<p class="small">New browsers get at most ${ceiling.perHour} codes an hour, and ${ceiling.perDay} a day. A passkey, or the command <code>${howToType('inbox link')}</code>, works at once.</p>
`
  return showPage(caller, { status, title: 'Type the code', problem, main })
}

export function offerPasskeys({ inbox: { access, cookies } }: Caller): Answer {
  const { options, sealed } = access.passkeys.offerToGet()
  return withCookies(scriptAnswer(200, options), [cookies.challenge.set(sealed)])
}

export async function usePasskey(caller: Caller): Promise<Answer> {
  const { access, cookies } = caller.inbox
  const sealed = cookies.challenge.read(caller.ask) ?? ''
  const checked = await access.passkeys.check(sentJson(caller), sealed)
  if (checked.kind === 'refused') return passkeyRefused(checked.why)
  const begun = await beginSession(caller, checked.member)
  const answer = withCookies(scriptAnswer(200, { to: wayBack(caller) }), begun)
  return logged(answer, 'in by passkey', checked.member.id)
}

const refusals: Record<PasskeyRefusal, string> = {
  challenge: 'That took too long. Try again.',
  unknown: 'This passkey is not known here. It may have been removed, or belong to another site.',
  'not-verified': 'This passkey could not be verified. Try again.',
  counter: 'This passkey may have been copied, so it was refused. Remove it, and add a new one.',
}

export function passkeyRefused(why: PasskeyRefusal): Answer {
  return logged(scriptAnswer(403, { say: refusals[why] }), `passkey refused: ${why}`)
}

/** Ends the browser's earlier session, and returns the cookies of the new one. */
export async function beginSession(caller: Caller, member: Member): Promise<string[]> {
  const { access, cookies } = caller.inbox
  const earlier = await findSignedIn(caller)
  const shown = await access.sessions.begin(member, earlier?.session)
  return [cookies.known.set(member.id), cookies.session.set(shown)]
}

export function wayBack({ inbox, ask }: Caller, otherwise: string = paths.list): string {
  return inbox.cookies.back.read(ask)?.page ?? otherwise
}

/** Works without a session, so that the cookies of an expired session are cleared, too. */
export async function signOut(caller: Caller): Promise<Answer> {
  const { access, cookies } = caller.inbox
  const signedIn = await findSignedIn(caller)
  if (signedIn !== undefined) await access.store.endSession(signedIn.session.id)
  const cleared = [cookies.session.clear(), ...cookies.back.clear()]
  const emptied = { 'Clear-Site-Data': '"cache", "storage"' }
  const answer = withHeaders(goTo(paths.signIn, cleared), emptied)
  return logged(answer, 'out', signedIn?.member.id)
}
