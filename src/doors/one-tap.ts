/**
 * /tap/<token>: the owner moves a lead from his mail. Opening the page changes nothing; its button
 * does, in a browser of his.
 */
import { tapPath } from '../contract/routes.ts'
import { movesFrom } from '../contract/states.ts'
import type { State } from '../contract/states.ts'
import { createTapLinks, tapLinkDays } from '../lead/tap-link.ts'
import type { TapMove } from '../lead/tap-link.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { seeOther, type Answer, type App, type Ask } from '../http/message.ts'
import type { Route } from '../http/router.ts'
import { moveLead } from '../lead/move.ts'
import { stateWords } from '../lead/state-words.ts'
import { tapToUndo, undoTap } from '../lead/undo.ts'
import type { Site } from '../site/site.ts'
import type { Lead } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { readSmallForm } from './owner-browser.ts'
import type { OwnerBrowser } from './owner-browser.ts'
import { unindexed } from './pages.ts'
import { secretPage } from './personal-page.ts'
import { or503 } from './or-503.ts'

export type TapParts = {
  site: Site
  store: Pick<Store, 'findLead' | 'eventsOf' | 'moveLead'>
  secret: Buffer
  owner: OwnerBrowser
  notFound: App
  now: () => number
}

export function createTapRoute(parts: TapParts): Route {
  const { site, store, secret, owner, notFound, now } = parts
  const links = createTapLinks(secret)
  return {
    path: `${tapPath}*`,
    doors: { GET: or503(site, show), POST: or503(site, move) },
  }

  async function show(ask: Ask): Promise<Answer> {
    const found = await find(ask)
    if (found === undefined) return notFound(ask)
    if (found === 'expired') return page(ask, 410, 'This link is too old', expired)
    const { lead, to } = found
    const [events = []] = await store.eventsOf([lead])
    const undone = tapToUndo(events, now())?.from
    return page(ask, 200, `Request ${lead.reference}`, tapMain(lead, to, ask.path, undone))
  }

  async function move(ask: Ask): Promise<Answer> {
    const found = await find(ask)
    if (found === undefined || found === 'expired') return show(ask)
    const admission = await owner.admit(ask)
    const { headers } = admission
    if (admission.kind === 'unknown') {
      const { status, title, main } = admission
      return page(ask, status, title, main, headers)
    }
    const { lead, to } = found
    const about = { leadId: lead.id, at: now() }
    if (readSmallForm(ask).has(undoName)) await undoTap(store, about)
    else await takeSteps(about, stepsTo(lead.state, to))
    // Safe to redirect to: its signature was just checked.
    const words = 'The page of this link shows how the request stands.'
    return seeOther(ask.path, words, ...headers)
  }

  async function takeSteps(about: { leadId: string; at: number }, steps: State[]): Promise<void> {
    for (const to of steps) {
      const outcome = await moveLead(store, { ...about, to, by: 'owner' })
      // It was moved meanwhile; the page shows its state now.
      if (outcome.kind !== 'moved') return
    }
  }

  async function find(ask: Ask): Promise<{ lead: Lead; to: TapMove } | 'expired' | undefined> {
    const tap = links.read(ask.path.slice(tapPath.length), now())
    if (tap === undefined) return undefined
    if (tap.expired) return 'expired'
    const lead = await store.findLead(tap.leadId)
    return lead && { lead, to: tap.move }
  }

  function page(
    ask: Ask,
    status: number,
    title: string,
    main: Html,
    more: string[] = [],
  ): Promise<Answer> {
    const headers = [...unindexed, ...more]
    return secretPage(site, ask, { status, title, main, headers })
  }
}

/** A lead that is booked in the first call was contacted on the way. Empty: no such move. */
function stepsTo(from: State, to: TapMove): State[] {
  if (movesFrom(from, 'owner').includes(to)) return [to]
  const canContact = movesFrom(from, 'owner').includes('contacted')
  if (from === 'new' && canContact && movesFrom('contacted', 'owner').includes(to)) {
    return ['contacted', to]
  }
  return []
}

/** No personal details: a stranger with the address learns a reference and a state. */
function tapMain(lead: Lead, to: TapMove, action: string, undone: State | undefined): Html {
  const where = html`<p>It is marked as: <strong>${stateWords[lead.state]}</strong>.</p>`
  const title = html`<h1>Request <span class="whole">${lead.reference}</span></h1>`
  if (lead.state === to) {
    return html`${title}
${where}
<p>There is nothing left to do here. You can close this page.</p>
${undoForm(action, undone)}`
  }
  if (stepsTo(lead.state, to).length === 0) {
    return html`${title}
${where}
<p>From there it cannot go to: ${stateWords[to]}.</p>
${undoForm(action, undone)}`
  }
  return html`${title}
${where}
<form method="post" action="${action}"><button type="submit">${buttonWords[to]}</button></form>
<p class="small">Nothing changes until you press the button.</p>
`
}

function undoForm(action: string, undone: State | undefined): Html {
  if (undone === undefined) return html``
  return html`<form method="post" action="${action}"><input type="hidden" name="${undoName}" value="1"><button class="quiet" type="submit">Undo</button></form>
<p class="small">A wrong tap? For a day, this brings back: ${stateWords[undone]}.</p>
`
}

const undoName = 'undo'

const expired = html`<h1>This link is too old</h1>
<p>Links in a letter work for ${tapLinkDays} days. Nothing was changed.</p>
`

const buttonWords: Record<TapMove, string> = {
  contacted: 'Mark as contacted',
  consultation_booked: 'Mark the Consultation as booked',
  not_suitable: 'Mark as not suitable',
  spam: 'Mark as spam',
  new: 'Release it',
}
