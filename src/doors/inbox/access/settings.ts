/** /inbox/settings: the way to passkeys and members, the last backup, and the way out. */
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask } from '../../../http/message.ts'
import { goTo, logged, showPage } from '../frame/answers.ts'
import { backupWords } from '../frame/backups.ts'
import { type Inbox, type Visitor } from '../frame/inbox.ts'
import { paths } from '../paths.ts'

export async function showSettings(inbox: Inbox, ask: Ask, visit: Visitor): Promise<Answer> {
  const { store } = inbox.access
  const { member } = visit
  const passkeys = await store.listPasskeys(member.id)
  const members = await store.listMembers()
  const others = (await store.countSessions(member.id, inbox.now())) - 1
  const main = html`<h1>Settings</h1>
<p class="soft">${member.name}, ${member.email}</p>
<ul class="sheet">
${row(paths.passkeys, 'Passkeys', passkeys.length === 0 ? 'none yet: add one for this device' : `${passkeys.length}`)}${row(paths.members, 'Members', `${members.length}`)}<li class="row"><span>Backup</span><span class="soft">${await backupWords(inbox)}</span></li>
<li class="row" data-keys hidden><span>Keyboard<small role="status"></small></span><button type="button" class="quiet"></button></li>
<li class="row"><span>Signed in<small>${signedIn(others)}</small></span>${others > 0 ? signOutOthersButton : ''}</li>
</ul>
<form method="post" action="${paths.signOut}"><button type="submit" class="wide quiet">Sign out</button></form>
`
  return showPage(inbox, ask, { title: 'Settings', main, visit })
}

function row(path: string, label: string, about: string): Html {
  return html`<li><a class="row" href="${path}"><span>${label}</span><span class="soft">${about}</span></a></li>
`
}

function signedIn(others: number): string {
  if (others <= 0) return 'only in this browser'
  return `here and in ${others === 1 ? 'one other browser' : `${others} other browsers`}`
}

const signOutOthersButton = html`<form method="post" action="${paths.signOutOthers}"><button type="submit" class="quiet">Sign out everywhere else</button></form>`

export async function signOutOthers(
  { access }: Inbox,
  _ask: Ask,
  { member, session }: Visitor,
): Promise<Answer> {
  await access.store.endSessions(member.id, session.id)
  return logged(goTo(paths.settings), 'out everywhere else', member.id)
}
