/** Decides who may use a route of the inbox. */
import { retryAfterS } from '../../../contract/limits.ts'
import { html } from '../../../html.ts'
import { retryAfter } from '../../../http/answers.ts'
import { withCookies, withHeaders, type Answer, type App, type Ask } from '../../../http/message.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import { leadIdIn, paths, placeQuery, readListPlace } from '../paths.ts'
import {
  goTo,
  openInboxLink,
  scriptAnswer,
  showPage,
  tooOften,
  type RefusalPage,
} from './answers.ts'
import { endBar } from './done-bar.ts'
import {
  findSignedIn,
  isTooLarge,
  sentFields,
  sentPairs,
  toFields,
  unlessReadOnly,
  type Caller,
  type Inbox,
  type SignedInCaller,
} from './inbox.ts'

export type InboxRoute = {
  path: string
  method: 'GET' | 'POST'
  /** The inbox's own script calls the route, so answers are JSON. */
  forScript?: true
  /** The page whose form is sent to this route, if that is not `path`. */
  page?: string
  takesFile?: true
} & (
  | { who: 'nobody'; door: (caller: Caller) => Answer | Promise<Answer> }
  | { who: 'member' | 'fresh'; door: (caller: SignedInCaller) => Answer | Promise<Answer> }
)

export function guard(inbox: Inbox, route: InboxRoute): App {
  const isCounted = route.who === 'nobody' && route.method === 'POST'
  return async (ask) => {
    const caller = { inbox, ask }
    if (isCounted) {
      const counted = inbox.limits.countRequest(ask.address, inbox.now())
      if (counted.limited) return refuseRoute(caller, route, tooOften(counted.quota.resetS))
    }
    if (route.method !== 'GET' && !isOwnOrigin(caller)) return showPage(caller, crossSite)
    if (isTooLarge(ask)) return refuseRoute(caller, route, tooLarge)
    try {
      const answer = await admit(caller, route)
      return route.method === 'POST' ? endBar(caller, answer) : answer
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      return refuseRoute(caller, route, away)
    }
  }
}

function isOwnOrigin({ inbox, ask: { headers } }: Caller): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === inbox.baseUrl : site === 'same-origin'
}

async function admit(caller: Caller, route: InboxRoute): Promise<Answer> {
  if (route.who === 'nobody') return route.door(caller)
  const { inbox, ask } = caller
  const signedIn = await findSignedIn(caller)
  const isAdmitted = signedIn !== undefined && (route.who === 'member' || signedIn.isFresh)
  if (!isAdmitted) return askToSignIn(caller, route)
  const member = { ...caller, ...signedIn }
  if (ask.headers['sec-purpose'] !== undefined) return route.door(member)
  await unlessReadOnly(inbox.access.sessions.noteSeen(signedIn))
  const back = route.method === 'GET' ? inbox.cookies.back.read(ask) : undefined
  if (back === undefined || back.page !== addressOf(ask)) return route.door(member)
  const typed = back.fields.length === 0 ? undefined : toFields(back.fields)
  const answer = await route.door({ ...member, typed })
  return withCookies(answer, inbox.cookies.back.clear())
}

function askToSignIn(caller: Caller, route: InboxRoute): Answer | Promise<Answer> {
  const { inbox, ask } = caller
  const isForm = route.method === 'POST' && !route.forScript
  const back = { page: pageToReturnTo(caller, route), fields: isForm ? sentPairs(ask) : [] }
  // An address that only the script requests, such as /inbox/news, is no page to return to.
  const isAsking = route.forScript && route.method === 'GET'
  const isWorthIt = !isAsking && (back.page !== paths.list || isForm)
  const cookies = isWorthIt ? inbox.cookies.back.set(back) : []
  if (route.forScript) return withCookies(scriptAnswer(401, { to: paths.signIn }), cookies ?? [])
  return cookies === undefined ? showPage(caller, tooLongToCarry) : goTo(paths.signIn, cookies)
}

function pageToReturnTo(caller: Caller, { method, path, page = path }: InboxRoute): string {
  const { ask } = caller
  if (path.includes('*') && leadIdIn(ask.path) === '') return paths.list
  if (method === 'GET') return addressOf(ask)
  return page.replace('*', leadIdIn(ask.path)) + placeQuery(readListPlace(sentFields(caller)))
}

function addressOf({ path, query }: Ask): string {
  return query === '' ? path : `${path}?${query}`
}

function refuseRoute(
  caller: Caller,
  { forScript }: InboxRoute,
  page: RefusalPage,
): Answer | Promise<Answer> {
  if (!forScript) return showPage(caller, page)
  return withHeaders(scriptAnswer(page.status, { say: page.title }), page.headers ?? {})
}

const crossSite: RefusalPage = {
  status: 403,
  title: 'Not from here',
  main: html`<p>This request did not come from a page of the inbox, so nothing was changed.</p>
${openInboxLink}`,
}

const tooLarge: RefusalPage = {
  status: 413,
  title: 'That is too long',
  main: html`<p>Nothing was changed. Go back: what you typed is still there. Make it shorter.</p>
${openInboxLink}`,
}

const tooLongToCarry: RefusalPage = {
  status: 401,
  title: 'Sign in, then send it again',
  main: html`<p>Nothing was changed.
<a href="${paths.signIn}" target="_blank" rel="noopener">Sign in, in a new tab</a>;
then go back to what you typed, and send it again.</p>
`,
}

const away: RefusalPage = {
  status: 503,
  title: 'Please come back in a moment',
  main: html`<p>The database is not answering right now. You stay signed in, and requests that come in meanwhile are kept. Wait ${retryAfterS} seconds, then load this page again.</p>
`,
  headers: retryAfter(retryAfterS),
}
