/**
 * Who may use a route of the inbox. In this order: a request that another site caused is refused,
 * and one that is too large, then the session is looked up, then the door is opened. Nothing is read
 * or written before that.
 */
import type { Access } from '../../access/access.ts'
import type { Visit } from '../../access/sessions.ts'
import { retryAfterS } from '../../contract/limits.ts'
import { longestNote } from '../../desk/acts.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, App, Ask } from '../../http/message.ts'
import { StorageUnavailable } from '../../store/engine/engine.ts'
import { goTo, scriptAnswer } from './answers.ts'
import type { InboxCookies } from './cookies.ts'
import { isTooLarge, sentFields, sentPairs } from './forms.ts'
import type { InboxPage, ShowPage } from './layout.ts'
import { leadIdIn, paths, stepUpFor } from './paths.ts'
import type { AfterStepUp, StepUpAbout } from './paths.ts'

/**
 * Every route of the inbox is a row. `fresh`: for a member who has just proved who he is.
 * `forScript`: it speaks JSON with the inbox's own script.
 */
export type InboxRoute = { path: string; method: 'GET' | 'POST'; forScript?: true } & (
  | { who: 'nobody'; door: (ask: Ask) => Answer | Promise<Answer> }
  | { who: 'member'; door: MemberDoor }
  | { who: 'fresh'; after: AfterStepUp; door: MemberDoor }
)

export type MemberDoor = (ask: Ask, visit: Visit) => Answer | Promise<Answer>

export type GuardParts = {
  access: Access
  cookies: InboxCookies
  showPage: ShowPage
  /** Without a slash at its end. */
  baseUrl: string
}

export type FindVisit = (ask: Ask) => Promise<Visit | undefined>

export function createFindVisit({ access, cookies }: GuardParts): FindVisit {
  return async (ask) => {
    const shown = cookies.readSession(ask)
    return shown === undefined ? undefined : access.sessions.find(shown)
  }
}

export function createInboxGuard(parts: GuardParts, findVisit: FindVisit) {
  const { access, cookies, showPage, baseUrl } = parts
  return (route: InboxRoute): App => {
    return async (ask) => {
      if (route.method !== 'GET' && !isOwnOrigin(ask)) return showPage(ask, crossSite)
      if (isTooLarge(ask)) return refuse(route, ask, tooLarge)
      try {
        return await admit(route, ask)
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error
        return refuse(route, ask, away)
      }
    }
  }

  function refuse({ forScript }: InboxRoute, ask: Ask, page: Refusal): Answer | Promise<Answer> {
    return forScript ? scriptAnswer(page.status, { say: page.title }) : showPage(ask, page)
  }

  async function admit(route: InboxRoute, ask: Ask): Promise<Answer> {
    if (route.who === 'nobody') return route.door(ask)
    const visit = await findVisit(ask)
    // The cookie stays: another tab may just have got a new session by a step-up.
    if (visit === undefined) return askToSignIn(route, ask)
    if (route.who === 'fresh' && !visit.isFresh) {
      return send(route, 403, stepUpFor(route.after, aboutOf(ask)))
    }
    if (ask.headers['sec-purpose'] === undefined) await noteSeen(visit)
    return route.door(ask, visit)
  }

  function askToSignIn(route: InboxRoute, ask: Ask): Answer | Promise<Answer> {
    const isNote = route.method === 'POST' && leadIdIn(ask.path) !== '' && sentFields(ask)('words')
    if (isNote) return showPage(ask, { status: 401, title: signedOut, main: signedOutPage(ask) })
    return send(route, 401, paths.signIn, wantedBy(route, ask))
  }

  /** Such as by a link in a letter. */
  function wantedBy({ method }: InboxRoute, { path }: Ask): string[] {
    const lead = leadIdIn(path)
    return method === 'GET' && lead !== '' ? cookies.setWanted(lead) : []
  }

  /** A database that can only be read keeps nobody out. */
  async function noteSeen(visit: Visit): Promise<void> {
    await access.sessions.noteSeen(visit).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable)) throw error
    })
  }

  function isOwnOrigin({ headers }: Ask): boolean {
    const site = headers['sec-fetch-site']
    return site === undefined ? headers.origin === baseUrl : site === 'same-origin'
  }
}

/** A page is asked for by its query, and its form carries the same on. */
function aboutOf(ask: Ask): StepUpAbout {
  const { method, path, query } = ask
  const view = method === 'GET' ? new URLSearchParams(query).get('view') : sentFields(ask)('view')
  return { lead: leadIdIn(path), view: view ?? '' }
}

function send(
  { forScript }: InboxRoute,
  status: number,
  path: string,
  headers: readonly string[] = [],
): Answer {
  return forScript ? scriptAnswer(status, { to: path }) : goTo(path, headers)
}

const signedOut = 'You were signed out'

/** Gives back a note whose session has ended, with all that was sent beside it. */
function signedOutPage(ask: Ask): Html {
  const others = sentPairs(ask).filter(([name]) => name !== 'words')
  const fields = others.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<h1>${signedOut}</h1>
<p>Your note is still here, but it is not kept yet. Sign in, then come back to this page and send it again.</p>
<p><a class="button wide" href="${paths.signIn}" target="_blank" rel="noopener">Sign in, in a new tab</a></p>
<form method="post" action="${ask.path}">${fields}
<label for="words">Your note</label>
<textarea id="words" name="words" rows="5" maxlength="${longestNote}" required>${sentFields(ask)('words')}</textarea>
<button type="submit" class="wide quiet">Send it again</button>
</form>
`
}

type Refusal = InboxPage & { status: number }

const crossSite = {
  status: 403,
  title: 'Not from here',
  main: html`<h1>Not from here</h1>
<p>This request did not come from a page of the inbox, so nothing was changed.</p>
<p><a class="button" href="${paths.list}">Open the inbox</a></p>
`,
}

const tooLarge = {
  status: 413,
  title: 'That is too long',
  main: html`<h1>That is too long</h1>
<p>Nothing was changed. Go back, where what you typed still is, and make it shorter.</p>
<p><a class="button" href="${paths.list}">Open the inbox</a></p>
`,
}

const away = {
  status: 503,
  title: 'Please come back in a moment',
  headers: ['Retry-After', String(retryAfterS)],
  main: html`<h1>Please come back in a moment</h1>
<p>The database does not answer just now. You stay signed in, and requests that come in meanwhile are kept. Wait ${retryAfterS} seconds, then load this page again.</p>
`,
}
