/**
 * Who may use a route of the inbox. In this order: a request that another site caused is refused,
 * and one that is too large, then the session is looked up, then the door is opened. Nothing is read
 * or written before that.
 */
import { type Visit } from '../../../access/sessions.ts'
import { retryAfterS } from '../../../contract/limits.ts'
import { html } from '../../../html.ts'
import { withHeaders, type Answer, type App, type Ask } from '../../../http/message.ts'
import { StorageUnavailable } from '../../../store/engine/engine.ts'
import { leadIdIn, paths, readListPlace } from '../paths.ts'
import { goTo, scriptAnswer, showPage, type InboxPage } from './answers.ts'
import { isTooLarge, sentFields, sentPairs, toFields } from './forms.ts'
import { findVisit, type Inbox, type Visitor } from './inbox.ts'

/**
 * Every route of the inbox is a row. `fresh`: for a member who proved within ten minutes who he is.
 * `forScript`: it speaks JSON with the inbox's own script. `page`: where its form is, if not at the
 * same path.
 */
export type InboxRoute = {
  path: string
  method: 'GET' | 'POST'
  forScript?: true
  page?: string
} & (
  | { who: 'nobody'; door: (inbox: Inbox, ask: Ask) => Answer | Promise<Answer> }
  | { who: 'member' | 'fresh'; door: MemberDoor }
)

export type MemberDoor = (inbox: Inbox, ask: Ask, visit: Visitor) => Answer | Promise<Answer>

export function guard(inbox: Inbox, route: InboxRoute): App {
  return async (ask) => {
    if (route.method !== 'GET' && !isOwnOrigin(inbox, ask)) return showPage(inbox, ask, crossSite)
    if (isTooLarge(ask)) return refuse(inbox, route, ask, tooLarge)
    try {
      return await admit(inbox, route, ask)
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
      return refuse(inbox, route, ask, away)
    }
  }
}

function isOwnOrigin({ baseUrl }: Inbox, { headers }: Ask): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === baseUrl : site === 'same-origin'
}

async function admit(inbox: Inbox, route: InboxRoute, ask: Ask): Promise<Answer> {
  if (route.who === 'nobody') return route.door(inbox, ask)
  const visit = await findVisit(inbox, ask)
  const isAdmitted = visit !== undefined && (route.who === 'member' || visit.isFresh)
  if (!isAdmitted) return askToSignIn(inbox, route, ask)
  if (ask.headers['sec-purpose'] !== undefined) return route.door(inbox, ask, visit)
  await noteSeen(inbox, visit)
  const back = route.method === 'GET' ? inbox.cookies.back.read(ask) : undefined
  if (back === undefined || back.page !== addressOf(ask)) return route.door(inbox, ask, visit)
  const typed = back.fields.length === 0 ? undefined : toFields(back.fields)
  const answer = await route.door(inbox, ask, { ...visit, typed })
  return withHeaders(answer, ...inbox.cookies.back.clear())
}

/** A database that can only be read keeps nobody out. */
async function noteSeen({ access }: Inbox, visit: Visit): Promise<void> {
  await access.sessions.noteSeen(visit).catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error
  })
}

/** To the sign-in page, from where the way leads back to this page with what was typed on it. */
function askToSignIn(inbox: Inbox, route: InboxRoute, ask: Ask): Answer | Promise<Answer> {
  const isForm = route.method === 'POST' && !route.forScript
  const back = { page: pageOf(route, ask), fields: isForm ? sentPairs(ask) : [] }
  const isWorthIt = back.page !== paths.list || isForm
  const cookie = isWorthIt ? inbox.cookies.back.set(back) : []
  if (route.forScript) return scriptAnswer(401, { to: paths.signIn }, cookie)
  return cookie === undefined && isForm ? giveBack(inbox, ask) : goTo(paths.signIn, cookie)
}

/** The page to come back to: the one that was asked for, or the one that has the form. */
function pageOf({ method, path, page = path }: InboxRoute, ask: Ask): string {
  if (path.includes('*') && leadIdIn(ask.path) === '') return paths.list
  if (method === 'GET') return addressOf(ask)
  const { view } = readListPlace(sentFields(ask))
  const own = page.replace('*', leadIdIn(ask.path))
  return view === 'todo' ? own : `${own}?view=${view}`
}

function addressOf({ path, query }: Ask): string {
  return query === '' ? path : `${path}?${query}`
}

/** A text that no cookie can hold, as a long note in a script of many signs. */
function giveBack(inbox: Inbox, ask: Ask): Promise<Answer> {
  const title = 'Sign in, then send it again'
  const fields = sentPairs(ask).map(([name, value]) =>
    name === 'words'
      ? html`<label for="words">Your note</label>
<textarea id="words" name="words" rows="8">${value}</textarea>
`
      : html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const main = html`<h1>${title}</h1>
<p>What you typed is still here, but nothing was done with it yet. <a href="${paths.signIn}" target="_blank" rel="noopener">Sign in, in a new tab</a>; then come back to this page and send it again.</p>
<form method="post" action="${ask.path}">${fields}<button type="submit" class="wide">Send it again</button>
</form>
`
  return showPage(inbox, ask, { status: 401, title, main })
}

type Refusal = InboxPage & { status: number }

function refuse(
  inbox: Inbox,
  { forScript }: InboxRoute,
  ask: Ask,
  page: Refusal,
): Answer | Promise<Answer> {
  return forScript ? scriptAnswer(page.status, { say: page.title }) : showPage(inbox, ask, page)
}

const openInbox = html`<p><a class="button" href="${paths.list}">Open the inbox</a></p>
`

const crossSite: Refusal = {
  status: 403,
  title: 'Not from here',
  main: html`<h1>Not from here</h1>
<p>This request did not come from a page of the inbox, so nothing was changed.</p>
${openInbox}`,
}

const tooLarge: Refusal = {
  status: 413,
  title: 'That is too long',
  main: html`<h1>That is too long</h1>
<p>Nothing was changed. Go back, where what you typed still is, and make it shorter.</p>
${openInbox}`,
}

const away: Refusal = {
  status: 503,
  title: 'Please come back in a moment',
  headers: ['Retry-After', String(retryAfterS)],
  main: html`<h1>Please come back in a moment</h1>
<p>The database does not answer just now. You stay signed in, and requests that come in meanwhile are kept. Wait ${retryAfterS} seconds, then load this page again.</p>
`,
}

export const missing: Refusal = {
  status: 404,
  title: 'Nothing here',
  main: html`<h1>Nothing here</h1>
<p>There is no such page in the inbox.</p>
${openInbox}`,
}
