/** /inbox/settings/passkeys: a member's passkeys. */
import { readName } from '../../../access/members.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { type Passkey } from '../../../store/access/store.ts'
import { goTo, logged, scriptAnswer, showPage } from '../frame/answers.ts'
import { sentFields, sentJson } from '../frame/forms.ts'
import { type Inbox, type Visitor } from '../frame/inbox.ts'
import { shownDay } from '../frame/words.ts'
import { paths } from '../paths.ts'
import { passkeyRefused } from './sign-in.ts'

export async function showPasskeys(inbox: Inbox, ask: Ask, visit: Visitor): Promise<Answer> {
  const own = await inbox.access.store.listPasskeys(visit.member.id)
  const list = html`<ul class="sheet">
${own.map((each) => row(inbox, each))}</ul>
`
  const main = html`<p class="back"><a href="${paths.settings}">Settings</a></p>
<h1>Passkeys</h1>
<p>A passkey signs you in with your fingerprint, your face or the code of your device. There is no password to lose.</p>
${own.length === 0 ? none : list}${addButton}`
  return showPage(inbox, ask, { title: 'Passkeys', main, visit })
}

function row({ timeZone, now }: Inbox, { id, name, madeAt, usedAt, backedUp }: Passkey): Html {
  const used = usedAt === undefined ? 'not used yet' : `used ${shownDay(usedAt, now(), timeZone)}`
  const where = backedUp ? 'on several devices' : 'on one device'
  return html`<li class="row tall"><form method="post" action="${paths.namePasskey}"><input type="hidden" name="id" value="${id}">
<label for="name-${id}">Name</label><span class="pair"><input type="text" id="name-${id}" name="name" value="${name}" maxlength="80" autocomplete="off" required><button type="submit" class="quiet">Rename</button></span></form>
<small>Made ${shownDay(madeAt, now(), timeZone)}, ${used}, ${where}</small>
<form method="post" action="${paths.removePasskey}"><input type="hidden" name="id" value="${id}"><button type="submit" class="quiet" aria-label="Remove ${name}">Remove</button><small>Removing it signs you out in other browsers.</small></form></li>
`
}

const none = html`<p class="empty">You have none yet.</p>
`

const addButton = html`<div data-passkey="create" data-challenge="${paths.passkeyChallenge}" data-answer="${paths.passkeys}" hidden>
<button type="button" class="wide">Add a passkey</button>
<p class="say" role="status"></p>
</div>
<noscript><p class="small">Passkeys need scripts, which are off in this browser.</p></noscript>
`

export async function offerToAdd(
  { access, cookies }: Inbox,
  _ask: Ask,
  { member }: Visitor,
): Promise<Answer> {
  const { options, sealed } = await access.passkeys.offerToAdd(member)
  return scriptAnswer(200, options, cookies.challenge.set(sealed))
}

export async function addPasskey(
  { access, cookies }: Inbox,
  ask: Ask,
  { member }: Visitor,
): Promise<Answer> {
  const sealed = cookies.challenge.read(ask) ?? ''
  const owner = { member, name: deviceOf(ask.headers['user-agent']) }
  const added = await access.passkeys.add(sentJson(ask), sealed, owner)
  if (added.kind === 'refused') return passkeyRefused(added.why)
  return logged(scriptAnswer(200, { to: paths.passkeys }), 'passkey added', member.id)
}

/** The first that fits: an iPhone also says Mac, Android also says Linux. */
const devices = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux']

function deviceOf(userAgent = ''): string {
  return devices.find((name) => userAgent.includes(name)) ?? 'Passkey'
}

export async function renamePasskey(
  { access }: Inbox,
  ask: Ask,
  { member }: Visitor,
): Promise<Answer> {
  const field = sentFields(ask)
  const name = readName(field('name'))
  if (name !== '') await access.store.namePasskey(member.id, field('id'), name)
  return goTo(paths.passkeys)
}

export async function removePasskey(
  { access }: Inbox,
  ask: Ask,
  { member, session }: Visitor,
): Promise<Answer> {
  await access.store.removePasskey(member.id, sentFields(ask)('id'), session.id)
  return logged(goTo(paths.passkeys), 'passkey removed', member.id)
}
