/** The page of the settings, and that of the passkeys. */
import { readName } from '../../../access/members.ts'
import { longestName } from '../../../contract/limits.ts'
import { plural, capital } from '../../../words.ts'
import { html, type Html } from '../../../html.ts'
import { withCookies, type Answer, type Ask } from '../../../http/message.ts'
import { type Member, type Passkey } from '../../../store/access/store.ts'
import { inWords } from '../../../time.ts'
import { logged, scriptAnswer, showPage } from '../frame/answers.ts'
import { buttonDoor } from '../frame/form.ts'
import { sentJson, type Inbox, type SignedInCaller } from '../frame/inbox.ts'
import { backupWords } from '../frame/words.ts'
import { feedPath } from '../lead/calendar.ts'
import { paths } from '../paths.ts'
import { passkeyRefused } from './sign-in.ts'

export async function showSettings(caller: SignedInCaller): Promise<Answer> {
  const { inbox, member } = caller
  const { store } = inbox.access
  const passkeys = await store.listPasskeys(member.id)
  const members = await store.listMembers()
  const devices = await store.listDevices(member.id)
  const others = (await store.countSessions(member.id, inbox.now())) - 1
  const main = html`<ul class="sheet">
${row(paths.figures, 'Figures', 'Requests of the last thirteen weeks, and their outcomes')}
${row(paths.export, 'Export', 'The requests of a tab, or all, as a file')}</ul>
<h2>You <small>${member.name}, ${member.email}</small></h2>
<ul class="sheet">
${row(paths.devices, 'Notifications', devicesWords(devices.length))}
${row(paths.passkeys, 'Passkeys', passkeysWords(passkeys.length))}
<li class="row">
<span>Emails<small>${emailsWords(inbox, member, members)}</small></span>
${inbox.mailsCodes ? emailsButton(member) : ''}</li>
<li class="row" data-keys hidden>
<span>Keyboard<small role="status"></small></span>
<button type="button" class="quiet"></button>
</li>
<li class="row">
<span>Signed in<small>${signedIn(others)}</small></span>
<span class="pair">
${others > 0 ? signOutOthersButton : ''}${signOutButton}</span>
</li>
</ul>
<h2>Calendar</h2>
${calendarSheet(`${inbox.baseUrl}${feedPath(inbox, member)}`, member)}
<h2>The inbox</h2>
<ul class="sheet">
${row(paths.members, 'Members', membersWords(members.length))}
<li class="row">
<span>Backup<small>${capital(await backupWords(inbox))}</small></span>
</li>
</ul>
`
  return showPage(caller, { title: 'Settings', main })
}

function row(path: string, label: string, about: string): Html {
  return html`<li>
<a class="row" href="${path}"><span>${label}<small>${about}</small></span></a>
</li>`
}

function devicesWords(count: number): string {
  if (count === 0) return 'None yet: get notified on this phone or computer'
  return `On ${plural(count, 'device')}`
}

function passkeysWords(count: number): string {
  return count === 0 ? 'None yet: sign in without a code from now on' : plural(count, 'passkey')
}

function membersWords(count: number): string {
  return count === 1 ? 'Only you' : `${count} people share this inbox`
}

function calendarSheet(address: string, { feedNames }: Member): Html {
  const [names, label, words] =
    feedNames === 1
      ? ['off', 'Without names', namedFeed]
      : ['on', 'With names and numbers', unnamedFeed]
  return html`<div class="sheet row tall">
<p>Your visits in your own calendar: subscribe to this private address.</p>
${copied(address)}
<form method="post" action="${paths.calendarFeed}">
<button type="submit" class="quiet" name="names" value="${names}">${label}</button>
<small>${words}</small>
</form>
<details>
<summary>Someone else got this address?</summary>
<form method="post" action="${paths.calendarFeed}">
<button type="submit" class="quiet" name="names" value="">Make a new address</button>
<small>The old one stops working at once. Then subscribe to the new one.</small>
</form>
</details>
</div>
`
}

const unnamedFeed =
  'It shows references and places. With names and numbers it is your view for places without signal; the provider of your calendar can then read them.'
const namedFeed =
  'It shows names, numbers and streets, which the provider of your calendar can read. Your phone keeps them for places without signal.'

function copied(address: string): Html {
  return html`<p class="copy" data-copy>
<code>${address}</code>
<span class="pair">
<a class="button" href="${address.replace(/^https?:/, 'webcal:')}">Subscribe</a>
<button type="button" class="quiet" hidden>Copy</button>
</span>
</p>
`
}

/** Makes a new address, or says what the calendar shows. */
export const changeCalendar = buttonDoor({
  did: 'calendar changed',
  path: paths.settings,
  act: ({ inbox, member }, field) => {
    const { store } = inbox.access
    const names = field('names')
    return names === '' ? store.renewFeed(member.id) : store.setFeedNames(member.id, names === 'on')
  },
})

function emailsWords(
  { mailsCodes }: Inbox,
  { mailed }: Member,
  members: readonly Member[],
): string {
  if (!mailsCodes) return 'Email is not set up'
  if (mailed === 1) return 'You get an email about each request, and the morning email'
  const isAnybodyMailed = members.some((each) => each.mailed === 1)
  return isAnybodyMailed
    ? 'You get no emails about requests, and no morning email'
    : 'Off, but nobody else gets them: emails still go to the address in OWNER_EMAIL'
}

function emailsButton({ mailed }: Member): Html {
  const [value, label] = mailed === 1 ? ['off', 'Switch off'] : ['on', 'Switch on']
  return html`<form method="post" action="${paths.emails}">
<button type="submit" class="quiet" name="emails" value="${value}"
  aria-label="${label} emails">${label}</button>
</form>
`
}

export const setEmails = buttonDoor({
  did: 'emails set',
  path: paths.settings,
  act: ({ inbox, member }, field) =>
    inbox.access.store.setMailed(member.id, field('emails') === 'on'),
})

function signedIn(others: number): string {
  if (others <= 0) return 'Only in this browser'
  return `Here and in ${others === 1 ? 'one other browser' : `${others} other browsers`}`
}

const signOutButton = html`<form method="post" action="${paths.signOut}">
<button type="submit" class="quiet">Sign out</button>
</form>
`

const signOutOthersButton = html`<form method="post" action="${paths.signOutOthers}">
<button type="submit" class="quiet">Sign out everywhere else</button>
</form>
`

export const signOutOthers = buttonDoor({
  did: 'out everywhere else',
  path: paths.settings,
  act: ({ inbox, member, session }) => inbox.access.store.endSessions(member.id, session.id),
})

export const settingsLink = html`<a href="${paths.settings}">Settings</a>`

export async function showPasskeys(caller: SignedInCaller): Promise<Answer> {
  const { inbox, member } = caller
  const own = await inbox.access.store.listPasskeys(member.id)
  const list = html`<ul class="sheet">
${own.map((each) => passkeyRow(inbox, each))}</ul>
`
  const main = html`<p>A passkey signs you in with your fingerprint, your face or the code of your device. There is no password to forget.</p>
${own.length === 0 ? noPasskeys : list}${addButton}`
  return showPage(caller, { back: settingsLink, title: 'Passkeys', main })
}

function passkeyRow({ business: { timeZone }, now }: Inbox, passkey: Passkey): Html {
  const { id, name, madeAt, usedAt, backedUp } = passkey
  const when = (at: number) => inWords(at, timeZone, now())
  const used = usedAt === undefined ? 'not used yet' : `last used ${when(usedAt)}`
  const where = backedUp === 1 ? 'on several devices' : 'on one device'
  return html`<li class="row tall">
<form method="post" action="${paths.namePasskey}">
<input type="hidden" name="id" value="${id}">
<label for="name-${id}">Name</label>
<span class="pair">
<input type="text" id="name-${id}" name="name" value="${name}"
  maxlength="${longestName}" autocomplete="off" required>
<button type="submit" class="quiet">Rename</button>
</span>
</form>
<small>Made ${when(madeAt)}; ${used}; ${where}</small>
<form method="post" action="${paths.removePasskey}">
<input type="hidden" name="id" value="${id}">
<button type="submit" class="quiet" aria-label="Remove ${name}">Remove</button>
<small>Removing it signs you out in other browsers.</small>
</form>
</li>
`
}

const noPasskeys = html`<p class="empty">You have none yet. <a href="${paths.list}">Later: show me the requests</a></p>
`

const addButton = html`<div data-passkey="create"
  data-challenge="${paths.passkeyChallenge}"
  data-answer="${paths.passkeys}" hidden>
<button type="button" class="wide">Add a passkey</button>
<p class="say" role="status"></p>
</div>
<noscript><p class="small">Passkeys need scripts, which are off in this browser.</p></noscript>
`

export async function offerToAdd({ inbox, member }: SignedInCaller): Promise<Answer> {
  const { options, sealed } = await inbox.access.passkeys.offerToAdd(member)
  return withCookies(scriptAnswer(200, options), [inbox.cookies.challenge.set(sealed)])
}

export async function addPasskey(caller: SignedInCaller): Promise<Answer> {
  const { inbox, ask, member } = caller
  const sealed = inbox.cookies.challenge.read(ask) ?? ''
  const owner = { member, name: deviceOf(ask) ?? 'Passkey' }
  const added = await inbox.access.passkeys.add(sentJson(caller), sealed, owner)
  if (added.kind === 'refused') return passkeyRefused(added.why)
  return logged(scriptAnswer(200, { to: paths.passkeys }), 'passkey added', member.id)
}

/** In this order, because an iPhone's User-Agent also contains Mac, and Android's also contains Linux. */
const devices = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux']

export function deviceOf({ headers: { 'user-agent': agent = '' } }: Ask): string | undefined {
  return devices.find((name) => agent.includes(name))
}

export const renamePasskey = buttonDoor({
  did: 'passkey named',
  path: paths.passkeys,
  async act({ inbox, member }, field) {
    const name = readName(field('name'))
    if (name !== '') await inbox.access.store.namePasskey(member.id, field('id'), name)
    return name !== ''
  },
})

export const removePasskey = buttonDoor({
  did: 'passkey removed',
  path: paths.passkeys,
  act: ({ inbox, member, session }, field) =>
    inbox.access.store.removePasskey(member.id, field('id'), session.id),
})
