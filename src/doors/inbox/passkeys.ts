/** /inbox/settings/passkeys: a member's passkeys. They change only after a step-up. */
import { deviceOf } from '../../access/device.ts'
import { readName } from '../../access/members.ts'
import type { Visit } from '../../access/sessions.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import type { Passkey } from '../../store/access/passkeys.ts'
import { goTo, logged, scriptAnswer } from './answers.ts'
import { sentFields, sentJson } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import type { InboxParts } from './parts.ts'
import { sayRefused } from './passkey-words.ts'
import { paths, stepUpFor } from './paths.ts'
import { shownDay } from './shown-day.ts'

export function passkeysRoutes({ access, showPage, timeZone, now }: InboxParts): InboxRoute[] {
  const change = { method: 'POST', who: 'fresh', after: 'passkeys' } as const
  const forScript = true
  return [
    { path: paths.passkeys, method: 'GET', who: 'member', door: show },
    { path: paths.passkeyChallenge, ...change, forScript, door: challenge },
    { path: paths.passkeys, ...change, forScript, door: add },
    { path: paths.namePasskey, ...change, door: rename },
    { path: paths.removePasskey, ...change, door: remove },
  ]

  async function show(ask: Ask, visit: Visit): Promise<Answer> {
    const own = await access.store.listPasskeys(visit.member.id)
    const { isFresh } = visit
    const main = html`<p class="back"><a href="${paths.settings}">Settings</a></p>
<h1>Passkeys</h1>
<p>A passkey signs you in with your fingerprint, your face or the code of your device. There is no password to lose.</p>
${own.length === 0 ? none : list(own, isFresh)}${isFresh ? addButton : confirmFirst}`
    return showPage(ask, { title: 'Passkeys', main, visit })
  }

  function list(own: readonly Passkey[], isFresh: boolean): Html {
    return html`<ul class="sheet">
${own.map((each) => row(each, isFresh))}</ul>
`
  }

  function row({ id, name, madeAt, usedAt, backedUp }: Passkey, isFresh: boolean): Html {
    const used = usedAt === undefined ? 'not used yet' : `used ${shownDay(usedAt, now(), timeZone)}`
    const where = backedUp ? 'on several devices' : 'on one device'
    const about = html`<small>Made ${shownDay(madeAt, now(), timeZone)}, ${used}, ${where}</small>`
    if (!isFresh)
      return html`<li class="row"><span>${name}${about}</span></li>
`
    return html`<li class="row tall"><form method="post" action="${paths.namePasskey}"><input type="hidden" name="id" value="${id}">
<label for="name-${id}">Name</label><span class="pair"><input type="text" id="name-${id}" name="name" value="${name}" maxlength="80" autocomplete="off" required><button type="submit" class="quiet">Rename</button></span></form>
${about}
<form method="post" action="${paths.removePasskey}"><input type="hidden" name="id" value="${id}"><button type="submit" class="quiet" aria-label="Remove ${name}">Remove</button><small>Removing it signs out your other devices.</small></form></li>
`
  }

  async function challenge(_ask: Ask, visit: Visit): Promise<Answer> {
    return scriptAnswer(200, await access.optionsToAdd(holderOf(visit), visit.member))
  }

  async function add(ask: Ask, visit: Visit): Promise<Answer> {
    const name = deviceOf(ask.headers['user-agent'])
    const owner = { member: visit.member, name }
    const added = await access.addPasskey(sentJson(ask), holderOf(visit), owner)
    if (added.kind === 'refused') return sayRefused(added.why)
    return logged(scriptAnswer(200, { to: paths.passkeys }), 'passkey added', visit.member.id)
  }

  async function rename(ask: Ask, { member }: Visit): Promise<Answer> {
    const field = sentFields(ask)
    const name = readName(field('name'))
    if (name !== '') await access.store.namePasskey(member.id, field('id'), name)
    return goTo(paths.passkeys)
  }

  async function remove(ask: Ask, { member, session }: Visit): Promise<Answer> {
    await access.store.removePasskey(member.id, sentFields(ask)('id'), session.id)
    return logged(goTo(paths.passkeys), 'passkey removed', member.id)
  }
}

function holderOf({ session }: Visit) {
  return { purpose: 'add', heldBy: session.id } as const
}

const none = html`<p class="empty">You have none yet.</p>
`

const addButton = html`<div data-passkey="create" data-challenge="${paths.passkeyChallenge}" data-answer="${paths.passkeys}" hidden>
<button type="button" class="wide">Add a passkey</button>
<p class="say" role="status"></p>
</div>
<noscript><p class="small">Passkeys need scripts, which are off in this browser.</p></noscript>
`

const confirmFirst = html`<p><a class="button wide quiet" href="${stepUpFor('passkeys')}">Add or change passkeys</a></p>
`
