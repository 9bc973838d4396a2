/** /inbox/settings: letters, calendar, last backup, other sessions; and /inbox/settings/passkeys. */
import { readName } from '../../../access/members.ts'
import { plural } from '../../../contract/limits.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { type Member, type Passkey } from '../../../store/access/store.ts'
import { inWords } from '../../../time.ts'
import { goTo, logged, scriptAnswer, showPage } from '../frame/answers.ts'
import { sentFields, sentJson, type Inbox, type Visitor } from '../frame/inbox.ts'
import { backupWords } from '../frame/words.ts'
import { feedPath } from '../lead/calendar.ts'
import { paths } from '../paths.ts'
import { passkeyRefused } from './sign-in.ts'

export async function showSettings(visitor: Visitor): Promise<Answer> {
  const { inbox, member } = visitor
  const { store } = inbox.access
  const passkeys = await store.listPasskeys(member.id)
  const members = await store.listMembers()
  const devices = await store.listDevices(member.id)
  const others = (await store.countSessions(member.id, inbox.now())) - 1
  const main = html`<p class="soft">${member.name}, ${member.email}</p>
<ul class="sheet">
${row(paths.figures, 'Figures', 'the last thirteen weeks')}${row(paths.passkeys, 'Passkeys', passkeys.length === 0 ? 'none yet: add one for this device' : `${passkeys.length}`)}${row(paths.devices, 'Notifications', devices.length === 0 ? 'none yet: tell this phone' : `on ${plural(devices.length, 'device')}`)}${row(paths.members, 'Members', `${members.length}`)}<li class="row"><span>Letters<small>${lettersWords(inbox, member)}</small></span>${inbox.mailsCodes ? lettersButton(member) : ''}</li>
<li class="row tall"><span>Calendar<small>Subscribe to this private address in your calendar: it shows the visits that are booked, by reference and place. With <code>?names=1</code> at its end it also shows names, which your calendar's server can then read.</small></span><code>${inbox.baseUrl}${feedPath(inbox, member.id)}</code></li>
<li class="row"><span>Backup</span><span class="soft">${await backupWords(inbox)}</span></li>
<li class="row" data-keys hidden><span>Keyboard<small role="status"></small></span><button type="button" class="quiet"></button></li>
<li class="row"><span>Signed in<small>${signedIn(others)}</small></span>${others > 0 ? signOutOthersButton : ''}</li>
</ul>
<form method="post" action="${paths.signOut}"><button type="submit" class="wide quiet">Sign out</button></form>
`
  return showPage(visitor, { title: 'Settings', main })
}

function row(path: string, label: string, about: string): Html {
  return html`<li><a class="row" href="${path}"><span>${label}</span><span class="soft">${about}</span></a></li>
`
}

function lettersWords({ mailsCodes }: Inbox, { mailed }: Member): string {
  if (!mailsCodes) return 'mail is not set up'
  return mailed === 1 ? 'letters about requests come to you' : 'no letters come to you'
}

function lettersButton({ mailed }: Member): Html {
  const [value, label] = mailed === 1 ? ['off', 'Switch off'] : ['on', 'Switch on']
  return html`<form method="post" action="${paths.letters}"><button type="submit" class="quiet" name="letters" value="${value}" aria-label="${label} letters">${label}</button></form>`
}

export async function setLetters(visitor: Visitor): Promise<Answer> {
  const { inbox, member } = visitor
  await inbox.access.store.setMailed(member.id, sentFields(visitor)('letters') === 'on')
  return logged(goTo(paths.settings), 'letters set', member.id)
}

function signedIn(others: number): string {
  if (others <= 0) return 'only in this browser'
  return `here and in ${others === 1 ? 'one other browser' : `${others} other browsers`}`
}

const signOutOthersButton = html`<form method="post" action="${paths.signOutOthers}"><button type="submit" class="quiet">Sign out everywhere else</button></form>`

export async function signOutOthers({ inbox, member, session }: Visitor): Promise<Answer> {
  await inbox.access.store.endSessions(member.id, session.id)
  return logged(goTo(paths.settings), 'out everywhere else', member.id)
}

export const settingsLink = html`<a href="${paths.settings}">Settings</a>`

export async function showPasskeys(visitor: Visitor): Promise<Answer> {
  const { inbox, member } = visitor
  const own = await inbox.access.store.listPasskeys(member.id)
  const list = html`<ul class="sheet">
${own.map((each) => passkeyRow(inbox, each))}</ul>
`
  const main = html`<p>A passkey signs you in with your fingerprint, your face or the code of your device. There is no password to lose.</p>
${own.length === 0 ? noPasskeys : list}${addButton}`
  return showPage(visitor, { back: settingsLink, title: 'Passkeys', main })
}

function passkeyRow({ business: { timeZone }, now }: Inbox, passkey: Passkey): Html {
  const { id, name, madeAt, usedAt, backedUp } = passkey
  const when = (at: number) => inWords(at, timeZone, now())
  const used = usedAt === undefined ? 'not used yet' : `last used ${when(usedAt)}`
  const where = backedUp ? 'on several devices' : 'on one device'
  return html`<li class="row tall"><form method="post" action="${paths.namePasskey}"><input type="hidden" name="id" value="${id}">
<label for="name-${id}">Name</label><span class="pair"><input type="text" id="name-${id}" name="name" value="${name}" maxlength="80" autocomplete="off" required><button type="submit" class="quiet">Rename</button></span></form>
<small>Made ${when(madeAt)}; ${used}; ${where}</small>
<form method="post" action="${paths.removePasskey}"><input type="hidden" name="id" value="${id}"><button type="submit" class="quiet" aria-label="Remove ${name}">Remove</button><small>Removing it signs you out in other browsers.</small></form></li>
`
}

const noPasskeys = html`<p class="empty">You have none yet. <a href="${paths.list}">Later: show me the requests</a></p>
`

const addButton = html`<div data-passkey="create" data-challenge="${paths.passkeyChallenge}" data-answer="${paths.passkeys}" hidden>
<button type="button" class="wide">Add a passkey</button>
<p class="say" role="status"></p>
</div>
<noscript><p class="small">Passkeys need scripts, which are off in this browser.</p></noscript>
`

export async function offerToAdd({ inbox, member }: Visitor): Promise<Answer> {
  const { options, sealed } = await inbox.access.passkeys.offerToAdd(member)
  return scriptAnswer(200, options, inbox.cookies.challenge.set(sealed))
}

export async function addPasskey(visitor: Visitor): Promise<Answer> {
  const { inbox, ask, member } = visitor
  const sealed = inbox.cookies.challenge.read(ask) ?? ''
  const owner = { member, name: deviceOf(ask) ?? 'Passkey' }
  const added = await inbox.access.passkeys.add(sentJson(visitor), sealed, owner)
  if (added.kind === 'refused') return passkeyRefused(added.why)
  return logged(scriptAnswer(200, { to: paths.passkeys }), 'passkey added', member.id)
}

/** `deviceOf` tries these in this order: the User-Agent of an iPhone also says Mac, Android also says Linux. */
const devices = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux']

export function deviceOf({ headers: { 'user-agent': agent = '' } }: Ask): string | undefined {
  return devices.find((name) => agent.includes(name))
}

export async function renamePasskey(visitor: Visitor): Promise<Answer> {
  const { inbox, member } = visitor
  const field = sentFields(visitor)
  const name = readName(field('name'))
  if (name !== '') await inbox.access.store.namePasskey(member.id, field('id'), name)
  return goTo(paths.passkeys)
}

export async function removePasskey(visitor: Visitor): Promise<Answer> {
  const { inbox, member, session } = visitor
  await inbox.access.store.removePasskey(member.id, sentFields(visitor)('id'), session.id)
  return logged(goTo(paths.passkeys), 'passkey removed', member.id)
}
