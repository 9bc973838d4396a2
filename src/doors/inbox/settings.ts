/** /inbox/settings: the way to passkeys, devices and members, and out; and when the last backup was made. */
import type { Visit } from '../../access/sessions.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { backupWords } from './backups.ts'
import type { InboxRoute } from './guard.ts'
import type { InboxParts } from './parts.ts'
import { paths } from './paths.ts'

export function settingsRoutes(parts: InboxParts): InboxRoute[] {
  const { access, showPage, now } = parts
  return [{ path: paths.settings, method: 'GET', who: 'member', door: show }]

  async function show(ask: Ask, visit: Visit): Promise<Answer> {
    const { member } = visit
    const passkeys = await access.store.listPasskeys(member.id)
    const devices = await access.store.listSessions(now(), member.id)
    const members = await access.store.listMembers()
    const main = html`<h1>Settings</h1>
<p class="soft">${member.name}, ${member.email}</p>
<ul class="sheet">
${row(paths.passkeys, 'Passkeys', passkeys.length === 0 ? 'none yet: add one for this device' : `${passkeys.length}`)}${row(paths.devices, 'Devices', `${devices.length} signed in`)}${row(paths.members, 'Members', `${members.length}`)}<li class="row"><span>Backup</span><span class="soft">${await backupWords(parts)}</span></li>
<li class="row" data-keys hidden><span>Keyboard<small role="status"></small></span><button type="button" class="quiet"></button></li>
</ul>
<form method="post" action="${paths.signOut}"><button type="submit" class="wide quiet">Sign out</button></form>
`
    return showPage(ask, { title: 'Settings', main, visit })
  }
}

function row(path: string, label: string, about: string): Html {
  return html`<li><a class="row" href="${path}"><span>${label}</span><span class="soft">${about}</span></a></li>
`
}
